package feed_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/keys"
)

func TestTrimRemovesOlderActivitiesPermanently(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	done := w.layHome(t, "chris", activities("chris", faults.Size(200, 70)))
	home := w.Home("jack")
	for _, step := range []struct {
		keep    int
		trimmed bool
	}{{50, true}, {50, false}, {60, false}, {10, true}} {
		trimmed, err := home.Trim(t.Context(), done[len(done)-step.keep].ID)
		require.NoError(t, err)
		require.Equal(t, step.trimmed, trimmed)
	}
	for _, limit := range faults.Some(3, 1, 10, 100, 3, 11) {
		require.Equal(t, newestFirst(done[len(done)-10:]), all(t, home.List, limit), "by %d", limit)
	}
	page := pageOf(t, home.List, cursor.PageRequest{Limit: 10})
	require.Empty(t, page.Next, "paging stops at the floor")
	meter := dynamotest.NewMeter()
	metered := w.process(t, nil, meter.Wrap).Home("jack")
	meter.AtMost(t, "a page down to the floor", dynamotest.Cost{Requests: 3, Read: 40}, func() {
		_, err := metered.List(t.Context(), cursor.PageRequest{Limit: 10})
		require.NoError(t, err)
	})
}

func TestUnfollowIsErrFullOnceTheHeaderIsFull(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	unfollow := w.mint(t)
	jack := w.Home("jack")
	for _, source := range []string{"ann", "bob", "chris"} {
		w.subscribe(t, "jack", source)
	}
	done := w.publish(t, "chris", 1)
	putHeader(t, w, 3_839, unfollow)
	for _, source := range []string{"ann", "bob"} { // the second fills the header
		removed, err := jack.Unfollow(t.Context(), source, nil)
		require.NoError(t, err)
		require.True(t, removed)
	}
	for range 2 {
		_, err := jack.Unfollow(t.Context(), "chris", nil)
		require.ErrorIs(t, err, feed.ErrFull)
		require.ErrorIs(t, err, plaza.ErrBusy)
	}
	w.setPulled(t, "dora", true)
	_, err := jack.Follow(t.Context(), "dora", nil)
	require.ErrorIs(t, err, feed.ErrFull)
	requireNotFollowing(t, w, "jack", "dora")
	require.Equal(t, newestFirst(done), all(t, jack.List, 10), "nothing was written")
	_, err = w.follows.Get(t.Context(), followEdge("jack", "chris"))
	require.NoError(t, err)

	w.subscribe(t, "jack", "ann") // has an ending already
	removed, err := jack.Unfollow(t.Context(), "ann", nil)
	require.NoError(t, err)
	require.True(t, removed)
	_, err = jack.Unfollow(t.Context(), "chris", keep)
	require.ErrorIs(t, err, feed.ErrFull)
	_, err = w.follows.Get(t.Context(), followEdge("jack", "chris"))
	require.NoError(t, err)

	// Once the oldest endings are removed there is room again.
	aged := w.process(t, &feed.Options{Consistent: true, Now: func() time.Time { return time.Now().Add(91*24*time.Hour + time.Minute) }})
	aged.unfollow(t, "jack", "chris", nil)
	require.Less(t, len(headerItem(t, w, "jack")), 3_839)
	require.NotContains(t, headerItem(t, w, "jack"), "full")
}

func TestAHeaderTooLargeForDynamoDBIsErrFull(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.subscribe(t, "jack", "chris")
	header := map[string]any{"pk": "H#jack", "sk": "~", "pad": strings.Repeat("x", 399<<10+980)}
	require.NoError(t, dynamotest.DB(t).Table(w.feedTable).Put(header).Run(t.Context()))
	_, err := w.Home("jack").Unfollow(t.Context(), "chris", nil)
	require.ErrorIs(t, err, feed.ErrFull)
	_, err = w.follows.Get(t.Context(), followEdge("jack", "chris"))
	require.NoError(t, err)
}

// An ending that is written again while it is being removed stays.
func TestAnEndingWrittenAgainIsKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	putHeader(t, w, 60, 1)
	late := &faults.Late{Holds: func(_ string, body []byte) bool { return bytes.Contains(body, []byte("crowded")) }}
	_, err := w.process(t, nil, late.Wrap).Home("jack").Unfollow(t.Context(), "ann", nil)
	require.Error(t, err, "it removes the oldest endings")
	const again = "source-000000007"
	w.subscribe(t, "jack", again)
	w.publish(t, again, 1)
	w.unfollow(t, "jack", again, nil)
	late.Arrive(t)
	require.Contains(t, headerItem(t, w, "jack"), "end#"+again)
	require.Empty(t, all(t, w.Home("jack").List, 10))

	require.Len(t, headerItem(t, w, "jack"), 2+2+9, "fifty at once")
	w.unfollow(t, "jack", "bob", nil)
	require.Len(t, headerItem(t, w, "jack"), 2+3)
}

// All names have the greatest length, and consist of a character that keys
// escape to two.
func TestTheLongestNamesAreStored(t *testing.T) {
	t.Parallel()
	w := newWorld(t, &feed.Options{
		Consistent: true, InlineFollowers: -1, OwnHome: true, Codec: cursor.Plain(),
		About: func(a feed.Activity) feed.Ref { return a.Object },
	})
	name := func(n int) string { return strings.Repeat("#", 255) + string(rune('a'+n)) }
	a := feed.Activity{
		Actor: feed.Ref{ID: name(0)}, Verb: name(1), ForeignID: name(2),
		Object: feed.Ref{Kind: strings.Repeat("#", 255) + "k", ID: name(3)},
	}
	for n := range 20 {
		a.To = append(a.To, name(n+4))
	}
	size := len(a.Actor.ID) + len(a.Verb) + len(a.ForeignID) + len(a.Object.Kind) + len(a.Object.ID) + 20*256
	a.Data = []byte(`"` + strings.Repeat("x", feed.MaxActivity-size-2) + `"`)
	owner, reader := name(0), name(25)
	w.subscribe(t, reader, owner)
	w.subscribe(t, reader, a.To[7])
	var want []feed.Activity
	for range faults.Size(3, 2) {
		a.ID, a.Object.ID = 0, a.Object.ID[1:]
		a.ForeignID = a.ForeignID[1:]
		want = append(want, w.send(t, owner, a))
	}
	deliverAll(t, w)
	for _, limit := range faults.Some(1, 2, 1, 5) {
		requireWalk(t, w.Home(reader).List, limit, inHome(want))
		requireWalk(t, w.Outbox(a.To[3]).List, limit, inHome(want))
	}
	for _, source := range []string{owner, a.To[7]} {
		require.True(t, w.unfollow(t, reader, source, nil))
	}
	require.Empty(t, all(t, w.Home(reader).List, 10))
	a.ID, a.Data = 0, a.Data[:len(a.Data)-1]
	_, _, err := w.Outbox(owner).Publish(t.Context(), a)
	require.ErrorIs(t, err, plaza.ErrInvalid)
	require.NoError(t, w.Erase(t.Context(), owner))
	require.Empty(t, all(t, w.Outbox(a.To[3]).List, 10))
}

// putHeader writes a header with endings of n sources into jack's home.
func putHeader(t testing.TB, w world, n int, unfollow ids.ID) {
	t.Helper()
	header := map[string]any{"pk": "H#jack", "sk": "~"}
	for i := range n {
		header[keys.Join("end", fmt.Sprintf("source-%09d", i))] = ending{Edge: 1 << 40, Unfollow: unfollow}
	}
	require.NoError(t, dynamotest.DB(t).Table(w.feedTable).Put(header).Run(t.Context()))
}
