package live_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/danmu/live"
	rooms "github.com/plaza-sdk/plaza/live"
)

func TestRepeatsAreShownOnce(t *testing.T) {
	bubble(t, func(t *testing.T) {
		hub := newHub(t, &table{}, nil)
		v := join(t, hub, "")
		one, other := comment(1, 1), comment(1, 2)
		gone := func(kind live.Kind, c danmu.Comment) live.Event { return live.Event{Kind: kind, ID: c.ID} }
		publish(t, hub, sentEvent(one), sentEvent(one), sentEvent(other), sentEvent(one))
		require.Equal(t, []string{"1", "2"}, texts(next(t, v).Events))
		publish(t, hub, sentEvent(one))
		publish(t, hub, gone(live.Recalled, one), gone(live.Recalled, one), gone(live.Removed, one), sentEvent(one))
		require.Equal(t, []string{"recalled"}, texts(next(t, v).Events))
		late := comment(1, 3) // its removal comes first
		publish(t, hub, gone(live.Removed, late), sentEvent(late))
		require.Equal(t, []string{"removed"}, texts(next(t, v).Events))
		publish(t, hub, gone(live.Recalled, one), gone(live.Recalled, late))
		quiet(t, v)
	})
}

// A hundred comments a second do not make a room forget a comment whose Send may
// still be repeated.
func TestARepeatIsKnownForTwoMinutes(t *testing.T) {
	bubble(t, func(t *testing.T) {
		plane := &wire{from: "0"}
		hub := newHub(t, &table{}, &live.Options{Backplane: plane})
		v := join(t, hub, "")
		time.Sleep(119 * time.Second)
		first := []rooms.Entry{entry(t, "first", sentEvent(comment(1, 1)))}
		plane.deliver(first)
		require.Equal(t, []string{"1"}, texts(next(t, v).Events))
		for n := range 119 {
			var entries []rooms.Entry
			for i := range 100 {
				entries = append(entries, entry(t, strconv.Itoa(100*n+i), sentEvent(comment(2, 100*n+i))))
			}
			plane.deliver(entries)
			time.Sleep(time.Second)
			require.Len(t, next(t, v).Events, 100)
		}
		plane.deliver(first)
		quiet(t, v)
	})
}

// A room recognizes 16,384 comments, and as many before them.
func TestRepeatsAreForgottenBeyondABound(t *testing.T) {
	bubble(t, func(t *testing.T) {
		plane := &wire{from: "0"}
		hub := newHub(t, &table{}, &live.Options{Backplane: plane, Bytes: 1 << 30})
		v := join(t, hub, "")
		all := make([]rooms.Entry, 3<<14)
		for n := range all {
			all[n] = entry(t, strconv.Itoa(n), sentEvent(comment(1, n)))
		}
		for len(all) > 0 {
			plane.deliver(all[:1<<13])
			time.Sleep(time.Second)
			require.Len(t, next(t, v).Events, 1<<13)
			all = all[1<<13:]
		}
		plane.deliver([]rooms.Entry{entry(t, "a", sentEvent(comment(1, 2<<14))), entry(t, "b", sentEvent(comment(1, 0)))})
		require.Equal(t, []string{"0"}, texts(next(t, v).Events))
	})
}
