package notify_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/internal/calls/callstest"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/notify"
)

func TestListsAndMarksCostWhatIsStated(t *testing.T) {
	t.Parallel()
	type cost = dynamotest.Cost
	stated := callstest.ReadCosts(t, "..", "notify")
	meter := dynamotest.NewMeter()
	quiet := newWorld(t, nil)
	w := quiet.process(t, &notify.Options{}, meter.Wrap)
	user := "ann-567890123456"
	quiet.forgeMany(t, user, 10, 50, asWritten)
	for n := range 10 {
		quiet.put(t, in(user, n))
	}
	quiet.pass(time.Minute)
	list := func(c cursor.Cursor) cursor.Page[notify.Entry] {
		page, err := w.List(t.Context(), reader(user), cursor.PageRequest{Limit: 20, Cursor: c})
		require.NoError(t, err)
		return page
	}
	first := list("")
	unseen := func() error { return errOf(w.Unseen(t.Context(), reader(user))) }
	seen := func() error { return errOf(w.MarkSeen(t.Context(), user, notify.See(first.Items))) }
	allRead := func() error { return errOf(w.MarkAllRead(t.Context(), user, notify.See(first.Items))) }
	event := func(n int) func() { return func() { quiet.put(t, in(user, n)); first = list("") } }
	marked := func() { first = list(""); require.NoError(t, seen()) }
	changes := func(call func(context.Context, notify.In) (bool, error), n int) func() error {
		return func() error {
			changed, err := call(t.Context(), in(user, n))
			require.True(t, changed)
			return err
		}
	}
	snooze := func(d time.Duration) func(context.Context, notify.In) (bool, error) {
		return func(ctx context.Context, to notify.In) (bool, error) { return w.Snooze(ctx, to, quiet.Now().Add(d)) }
	}
	later := func() { quiet.pass(10 * time.Minute) }
	for _, c := range []struct {
		name   string
		want   cost
		call   func() error
		before func()
	}{
		{name: "first page", want: stated.Of("Repository.List", "4 KB", "each further 4 KB"), call: func() error { list(""); return nil }},
		{name: "second page", want: stated.Of("Repository.List", "4 KB", "a later page", "each further 4 KB"), call: func() error { list(first.Next); return nil }},
		{name: "unseen, 60 new", want: stated.Of("Repository.Unseen").Plus(stated.Times(3, "Repository.Unseen", "each further 4 KB of new rows")), call: unseen},
		{name: "first mark", want: stated.Of("Repository.MarkSeen", "a user's first, or beside marks of the last 20 s"), call: seen},
		{name: "unseen, nothing new", want: stated.Of("Repository.Unseen", "nothing new"), call: unseen},
		{name: "mark all read", want: stated.Of("Repository.MarkSeen", "a mark"), call: allRead},
		{name: "mark seen, nothing new", want: cost{Requests: 1, Write: 1}, call: seen},
		{name: "mark seen, new", want: stated.Of("Repository.MarkSeen", "a mark"), call: seen, before: event(1)},
		{name: "mark all read, as new", want: stated.Of("Repository.MarkSeen", "a user's first, or beside marks of the last 20 s"), call: allRead},
		{name: "mark seen beside marks of the last 10 s", want: stated.Of("Repository.MarkSeen", "a user's first, or beside marks of the last 20 s"), call: seen, before: event(2)},
		{name: "mark seen, after them", want: stated.Of("Repository.MarkSeen", "a mark"), call: seen, before: func() { later(); event(3)() }},
		{name: "mark read", want: stated.Of("Repository.MarkRead", "each group"), call: func() error { return errOf(w.MarkRead(t.Context(), user, shown(first.Items[0]))) }},
		{name: "mark 20 read, one of them again", want: stated.Times(20, "Repository.MarkRead", "each group").Plus(stated.Of("Repository.MarkRead", "one that was read already or changes meanwhile")), call: func() error {
			var all []notify.Shown
			for _, e := range first.Items {
				all = append(all, shown(e)...)
			}
			return errOf(w.MarkRead(t.Context(), user, all))
		}},
		{name: "mark unread", want: cost{Requests: 3, Read: 2, Write: 2}, call: changes(w.MarkUnread, 3)},
		{name: "mark unread again", want: cost{Requests: 3, Read: 2, Write: 1}, call: func() error { return errOf(w.MarkUnread(t.Context(), in(user, 3))) }},
		{name: "archive", want: cost{Requests: 2, Read: 1, Write: 3}, call: changes(w.Archive, 3)},
		{name: "archive again", want: cost{Requests: 2, Read: 1, Write: 1}, call: func() error { return errOf(w.Archive(t.Context(), in(user, 3))) }},
		{name: "archived", want: stated.Of("Repository.Archived"), call: func() error {
			return errOf(w.Archived(t.Context(), user, cursor.PageRequest{Limit: 20}))
		}},
		{name: "unarchive", want: cost{Requests: 2, Read: 1, Write: 3}, call: changes(w.Unarchive, 3)},
		{name: "snooze", want: stated.Of("Repository.Snooze", "a group"), call: changes(snooze(time.Hour), 3)},
		{name: "snooze, another due before", want: stated.Of("Repository.Snooze", "where another group is due before"), call: changes(snooze(2*time.Hour), 4)},
		{name: "unsnooze", want: cost{Requests: 2, Read: 1, Write: 3}, call: changes(w.Unsnooze, 4)},
		{name: "snooze, now the first", want: stated.Of("Repository.Snooze", "a group"), call: changes(snooze(30*time.Minute), 4)},
		{name: "unseen, one due", want: stated.Of("Repository.Unseen", "nothing new", "groups that are due", "each group due"), call: unseen, before: func() { marked(); quiet.pass(45 * time.Minute) }},
		{name: "list, one due", want: cost{Requests: 5, Read: 5, Write: 5}, call: func() error { list(""); return nil }, before: func() { quiet.pass(time.Hour) }},
		{name: "list, nothing due any more", want: cost{Requests: 1, Read: 2}, call: func() error { list(""); return nil }, before: func() { quiet.pass(48 * time.Hour); list("") }},
		{name: "dismiss", want: cost{Requests: 2, Read: 1, Write: 2}, call: func() error { return errOf(w.Dismiss(t.Context(), user, quiet.id())) }},
		{name: "erase", want: stated.Of("Repository.Erase", "each 1,000 rows or 1 MB").Plus(stated.Times(4, "Repository.Erase", "each 4 KB")).
			Plus(stated.Times(3, "Repository.Erase", "each 25 rows")).Plus(stated.Times(61, "Repository.Erase", "each row")), call: func() error { return w.Erase(t.Context(), user) }},
	} {
		if c.before != nil {
			c.before()
		}
		got := meter.AtMost(t, c.name, c.want, func() { require.NoError(t, c.call()) })
		require.Equal(t, c.want.Requests, got.Requests, c.name)
		t.Log(c.name, got)
	}
}

// The worst state and the largest rows cost no more than stated.
func TestTheWorstDataCostsWhatIsStated(t *testing.T) {
	t.Parallel()
	stated := callstest.ReadCosts(t, "..", "notify")
	meter := dynamotest.NewMeter()
	quiet := newWorld(t, nil)
	w := quiet.process(t, &notify.Options{}, meter.Wrap)
	quiet.dismissed(t, "ann")
	quiet.forgeMany(t, "ann", 0, 201, asWritten)
	view := notify.See(quiet.list(t, "ann"))
	require.NoError(t, errOf(w.MarkAllRead(t.Context(), "ann", view)))
	got := meter.AtMost(t, "mark seen", stated.Of("Repository.MarkSeen", "beside 100 such marks and 100 dismissals"), func() {
		quiet.forge(t, in("ann", 201), func(*raw) {})
		require.NoError(t, errOf(w.MarkSeen(t.Context(), "ann", notify.See(quiet.list(t, "ann")))))
	})
	t.Log("mark seen", got)
	got = meter.AtMost(t, "unseen", stated.Of("Repository.Unseen", "nothing new", "past rows that were read one by one, 6,000 at most").
		Plus(stated.Times(11, "Repository.Unseen", "each further 4 KB of new rows")), func() {
		c, err := w.Unseen(t.Context(), reader("ann"))
		require.NoError(t, err)
		require.Equal(t, notify.Count{N: 100, More: true}, c)
	})
	t.Log("unseen", got)
}
