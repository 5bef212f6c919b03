package notify_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/calls/callstest"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/notify"
)

// thing is a new like of one of bob's things.
func (w world) thing(thing int) notify.Notification {
	n := w.like("ann")
	n.Activity.Object.ID = fmt.Sprint(thing)
	return n
}

func (w world) unread(t testing.TB, from, to ids.ID) (things []string, more bool) {
	t.Helper()
	entries, more, err := w.UnreadBetween(t.Context(), "bob", notify.Span{From: from, To: to})
	require.NoError(t, err)
	for _, e := range entries {
		require.False(t, e.Read)
		things = append(things, e.Activity.Object.ID)
	}
	return things, more
}

func TestUnreadIsWhatASpanHas(t *testing.T) {
	t.Parallel()
	meter := dynamotest.NewMeter()
	w := newWorld(t, nil, meter.Wrap)
	stated := callstest.ReadCosts(t, "..", "notify")
	var last []ids.ID
	for n := range 8 {
		last = append(last, w.store(t, w.thing(n)).Last)
		w.pass(time.Second)
	}
	for _, most := range []dynamotest.Cost{ // with the state, and apart from it
		stated.Of("Repository.UnreadBetween"),
		stated.Of("Repository.UnreadBetween", "4 KB of groups", "over a minute after its end"),
	} {
		for _, c := range []struct {
			from, to ids.ID
			want     []string
		}{
			{0, last[7] + 1, []string{"7", "6", "5", "4", "3", "2", "1", "0"}},
			{last[2], last[5], []string{"4", "3", "2"}},
			{last[2] + 1, last[5] + 1, []string{"5", "4", "3"}},
			{last[7] + 1, last[7] + 2, nil},
			{0, last[0], nil},
		} {
			meter.AtMost(t, "unread", most, func() {
				got, more := w.unread(t, c.from, c.to)
				require.Equal(t, c.want, got)
				require.False(t, more)
			})
		}
		w.pass(2 * time.Minute)
	}
	for n := range 4 {
		in := notify.In{User: "bob", Group: fmt.Sprintf("photo:%d#like#2026-03-10", n)}
		switch n {
		case 0:
			require.NoError(t, errOf(w.Archive(t.Context(), in)))
		case 1:
			require.NoError(t, errOf(w.Snooze(t.Context(), in, w.Now().Add(time.Hour))))
		case 2:
			require.NoError(t, errOf(w.MarkRead(t.Context(), "bob", []notify.Shown{{Group: in.Group, Last: last[n]}})))
		case 3:
			require.NoError(t, errOf(w.RetractTarget(t.Context(), "bob", feed.Ref{Kind: "photo", ID: "3"})))
		}
	}
	got, _ := w.unread(t, 0, ids.At(w.Now()))
	require.Equal(t, []string{"7", "6", "5", "4"}, got)
	w.allRead(t, "bob")
	got, _ = w.unread(t, 0, ids.At(w.Now()))
	require.Empty(t, got)
	w.pass(100 * 24 * time.Hour)
	got, _ = w.unread(t, 0, ids.At(w.Now()))
	require.Empty(t, got, "expired")
}

func TestUnreadStopsAtAHundred(t *testing.T) {
	t.Parallel()
	meter := dynamotest.NewMeter()
	w := newWorld(t, nil, meter.Wrap)
	w.forgeMany(t, "bob", 0, 150, func(int, *raw) { w.pass(time.Millisecond) })
	middle := ids.At(w.Now().Add(-50 * time.Millisecond))
	for _, c := range []struct {
		from, to ids.ID
		n        int
		more     bool
	}{
		{0, ids.At(w.Now()), 100, true},
		{0, middle, 100, false},
		{ids.At(noon.Add(time.Millisecond)), middle, 99, false},
		{middle, ids.At(w.Now()), 50, false},
	} {
		got, more := w.unread(t, c.from, c.to)
		require.Len(t, got, c.n)
		require.Equal(t, c.more, more)
	}
	w.pass(time.Hour)
	w.allRead(t, "bob")
	w.store(t, w.thing(200))
	stated := callstest.ReadCosts(t, "..", "notify")
	most := stated.Of("Repository.UnreadBetween", "4 KB of groups", "past groups that are read, at most").
		Plus(stated.Times(8, "Repository.UnreadBetween", "each further 4 KB"))
	var got []string
	var more bool
	meter.AtMost(t, "past those that are read", most, func() { got, more = w.unread(t, 0, ids.At(w.Now().Add(time.Second))) })
	require.Equal(t, []string{"200"}, got, "past those that are read")
	require.False(t, more)
}
