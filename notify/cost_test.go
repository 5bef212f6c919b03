package notify_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/internal/calls/callstest"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/group"
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

// The costs that the writes state. Ids have 16 bytes.
func TestWritesCostNoMoreThanStated(t *testing.T) {
	t.Parallel()
	stated := callstest.ReadCosts(t, "..", "notify")
	ofKB := func(n float64) dynamotest.Cost {
		return stated.Times(n, "Repository.Notify", "each further KB of the group, in each request")
	}
	for c, kind := range map[string]struct {
		by     notify.CountBy
		target feed.Ref
	}{"by activity": {}, "by actor": {by: notify.ByActor}, "with a target": {target: feed.Ref{Kind: "a", ID: "00000000000001"}}} {
		meter := dynamotest.NewMeter()
		w := newWorld(t, nil, meter.Wrap)
		at := func(name string, want dynamotest.Cost, call func()) {
			t.Helper()
			name = c + ": " + name
			t.Logf("%s: %v", name, meter.AtMost(t, name, want, call))
		}
		event := func(actor int) notify.Notification {
			n := w.like(fmt.Sprintf("u:%014d", actor))
			n.User, n.CountBy = "bob-0123456789ab", kind.by
			n.Activity.Actor = feed.Ref{Kind: "u", ID: fmt.Sprintf("%014d", actor)}
			n.Activity.Object, n.Activity.Target = feed.Ref{Kind: "p", ID: "00000000000001"}, kind.target
			return n
		}
		store := func(ns ...notify.Notification) func() { return func() { w.store(t, ns...) } }
		repeat := func(n notify.Notification, want string) func() {
			return func() { require.Equal(t, want, w.outcome(t, n)) }
		}
		retract := func(n notify.Notification, want bool) func() {
			return func() { require.Equal(t, want, w.retract(t, n)) }
		}

		first := event(0)
		at("first", stated.Of("Repository.Notify", "a group's first event"), store(first))
		at("repeat", stated.Of("Repository.Notify", "a repeat"), repeat(first, isStored))
		other := w.process(t, &notify.Options{}, meter.Wrap)
		w.pass(time.Minute)
		at("repeat, long after that", stated.Of("Repository.Notify", "a repeat"), repeat(first, isStored))
		at("by another process", stated.Of("Repository.Notify", "a repeat that moves the group"), func() { other.outcome(t, first) })
		require.Equal(t, w.Now().UnixMilli(), w.groups(t, first.User)[0].PlaceID().Time().UnixMilli(), "it moves")
		at("further", stated.Of("Repository.Notify", "an event"), store(event(1)))
		slower := stated.Of("Repository.Notify", "of an actor whom the group names, or older than its newest event")
		at("of an actor who is named", slower, store(event(1)))
		older := event(4)
		store(event(5))()
		at("older than the newest", slower, store(older))
		gone := event(2)
		at("retract what has not come", stated.Of("Repository.Retract", "an event"), retract(gone, false))
		at("retract again", stated.Of("Repository.Retract", "a repeat"), retract(gone, false))
		at("late", stated.Of("Repository.Notify", "a repeat"), repeat(gone, isRetracted))

		w.fill(t, first, group.Cap-1, filler)
		last := event(3)
		at("further at 100", stated.Of("Repository.Notify", "an event").Plus(ofKB(6)), store(last))
		require.EqualValues(t, group.Cap, w.groups(t, first.User)[0].N)
		at("repeat at 100", stated.Of("Repository.Notify", "a repeat").Plus(ofKB(6)), repeat(last, isStored))
		at("beyond", stated.Of("Repository.Notify", "into a full group").Plus(ofKB(2*6)), repeat(event(200), isFull))
		at("beyond again", stated.Of("Repository.Notify", "into a full group that may not rise yet"), repeat(event(201), isFull))
		at("retract at 100", stated.Of("Repository.Retract", "an event", "each further 4 KB of the group").
			Plus(stated.Times(6, "Repository.Retract", "each further KB of the group")), retract(first, true))
		about := func(want int) func() {
			return func() {
				emptied, err := w.RetractTarget(t.Context(), first.User, w.about(first))
				require.NoError(t, err)
				require.Equal(t, want, emptied)
			}
		}
		at("retract target", stated.Of("Repository.RetractTarget", "no group", "each group", "each further 4 KB of the groups").
			Plus(stated.Times(6, "Repository.RetractTarget", "each further KB of a group")), about(1))
		at("retract target again", stated.Of("Repository.RetractTarget", "no group"), about(0))
		at("after that", stated.Of("Repository.Notify", "a group's first event"), store(event(300)))

		only, newest := event(1), event(2)
		only.Activity.Verb, newest.Activity.Verb = "other", "other"
		w.store(t, only, newest)
		at("retract the newest", stated.Of("Repository.Retract", "an event"), retract(newest, true))
		at("retract the only one", stated.Of("Repository.Retract", "an event"), retract(only, true))
	}
}

// about is what the notification's group is about.
func (world) about(n notify.Notification) feed.Ref {
	if n.Activity.Target.IsZero() {
		return n.Activity.Object
	}
	return n.Activity.Target
}

func TestCostsOfLargeData(t *testing.T) {
	t.Parallel()
	stated := callstest.ReadCosts(t, "..", "notify")
	meter := dynamotest.NewMeter()
	w := newWorld(t, &notify.Options{}, meter.Wrap)
	big := func(n notify.Notification) notify.Notification {
		n.Activity.Data = json.RawMessage(`"` + strings.Repeat("x", notify.MaxData-2) + `"`)
		return n
	}
	larger := stated.Times(4, "Repository.Notify", "each further KB of the group, in each request").
		Plus(stated.Times(4, "Repository.Notify", "each further KB that lists read of it"))
	n := big(w.like("ann"))
	meter.AtMost(t, "first of 4.3 KB", stated.Of("Repository.Notify", "a group's first event").Plus(larger), func() { w.store(t, n) })
	meter.AtMost(t, "second of 4.4 KB", stated.Of("Repository.Notify", "an event").Plus(larger), func() { w.store(t, big(w.like("chris"))) })
	m := big(w.like("dora"))
	w.store(t, m)
	retract := stated.Of("Repository.Retract", "an event", "each further 4 KB of the group").
		Plus(stated.Times(4, "Repository.Retract", "each further KB of the group")).
		Plus(stated.Times(4, "Repository.Retract", "each further KB that lists read of it"))
	meter.AtMost(t, "retract", retract, func() { w.retract(t, m) })
	read := stated.Of("Repository.MarkRead").Plus(stated.Times(5, "Repository.MarkRead", "each further KB of a group"))
	entry := w.list(t, "bob")[0]
	meter.AtMost(t, "mark read", read, func() { require.NoError(t, errOf(w.MarkRead(t.Context(), "bob", shown(entry)))) })
	w.store(t, big(w.like("eve")))
	all := stated.Of("Repository.RetractTarget", "no group", "each group", "each further 4 KB of the groups").
		Plus(stated.Times(4, "Repository.RetractTarget", "each further KB of a group")).
		Plus(stated.Times(4, "Repository.RetractTarget", "each further KB that lists read of it"))
	meter.AtMost(t, "retract target", all, func() {
		require.NoError(t, errOf(w.RetractTarget(t.Context(), "bob", feed.Ref{Kind: "photo", ID: "1"})))
	})
	erase := stated.Of("Repository.Erase", "each 1,000 rows or 1 MB", "each 4 KB", "each 4 KB", "each 25 rows", "each row").
		Plus(stated.Times(4, "Repository.Erase", "each further KB of a row"))
	w.store(t, big(w.like("fay")))
	meter.AtMost(t, "erase", erase, func() { require.NoError(t, w.Erase(t.Context(), "bob")) })
}

// Waking a full group costs what List and Unseen state.
func TestWakingALargeGroupCostsWhatIsStated(t *testing.T) {
	t.Parallel()
	stated := callstest.ReadCosts(t, "..", "notify")
	meter := dynamotest.NewMeter()
	w := newWorld(t, &notify.Options{}, meter.Wrap)
	n := w.like("first")
	n.Activity.Data = json.RawMessage(`"` + strings.Repeat("x", notify.MaxData-2) + `"`)
	w.store(t, n)
	w.fill(t, n, 100, filler)
	g := w.group(t)
	w.snooze(t, notify.In{User: "bob", Group: g.SK[2:]}, time.Minute)
	w.pass(time.Hour)
	unseen := stated.Of("Repository.Unseen", "nothing new", "each further 4 KB of new rows", "groups that are due", "each group due").
		Plus(stated.Times(8, "Repository.Unseen", "each further KB of it")).
		Plus(stated.Times(2, "Repository.Unseen", "each further 4 KB of it"))
	t.Log(meter.AtMost(t, "unseen", unseen, func() { w.unseen(t, "bob") }))
}
