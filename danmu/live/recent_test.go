package live_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/danmu/live"
	rooms "github.com/plaza-sdk/plaza/live"
)

// A hundred comments a second push none out whose Send may still be repeated.
func TestARepeatIsKnownForTwoMinutes(t *testing.T) {
	bubble(t, func(t *testing.T) {
		plane := &wire{from: "0"}
		hub := newHub(t, &table{}, &live.Options{Backplane: plane})
		v := join(t, hub, "")
		time.Sleep(119 * time.Second)
		first := []rooms.Entry{entry(t, "first", told(comment(1, 1)))}
		plane.deliver(first)
		require.Equal(t, []string{"1"}, texts(next(t, v).Events))
		for n := range 119 {
			var entries []rooms.Entry
			for i := range 100 {
				entries = append(entries, entry(t, strconv.Itoa(100*n+i), told(comment(2, 100*n+i))))
			}
			plane.deliver(entries)
			time.Sleep(time.Second)
			require.Len(t, next(t, v).Events, 100)
		}
		plane.deliver(first)
		quiet(t, v)
	})
}

// What is known of a room is bounded: 16,384 comments and as many before them.
func TestRepeatsAreForgottenBeyondABound(t *testing.T) {
	bubble(t, func(t *testing.T) {
		plane := &wire{from: "0"}
		hub := newHub(t, &table{}, &live.Options{Backplane: plane, Bytes: 1 << 30})
		v := join(t, hub, "")
		all := make([]rooms.Entry, 3<<14)
		for n := range all {
			all[n] = entry(t, strconv.Itoa(n), told(comment(1, n)))
		}
		for len(all) > 0 {
			plane.deliver(all[:1<<13])
			time.Sleep(time.Second)
			require.Len(t, next(t, v).Events, 1<<13)
			all = all[1<<13:]
		}
		plane.deliver([]rooms.Entry{entry(t, "a", told(comment(1, 2<<14))), entry(t, "b", told(comment(1, 0)))})
		require.Equal(t, []string{"0"}, texts(next(t, v).Events))
	})
}
