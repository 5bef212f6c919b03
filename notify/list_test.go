package notify_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/calls/callstest"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/group"
	"github.com/plaza-sdk/plaza/internal/pagetest"
	"github.com/plaza-sdk/plaza/notify"
)

// board is a source of announcements.
type board struct {
	mu   sync.Mutex
	live map[string][]notify.Announcement // newest first
	asks int
	err  error
}

func (b *board) Live(_ context.Context, r notify.Reader) ([]notify.Announcement, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.asks++
	return slices.Clone(b.live[r.User]), b.err
}

func (b *board) announce(user, title string, id ids.ID) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.live == nil {
		b.live = map[string][]notify.Announcement{}
	}
	b.live[user] = slices.Insert(b.live[user], 0, notify.Announcement{ID: id, Title: title})
}

func (b *board) withdraw(user, title string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if all, ok := b.live[user]; ok {
		b.live[user] = slices.DeleteFunc(slices.Clone(all), func(a notify.Announcement) bool { return a.Title == title })
	}
}

type lister = func(context.Context, cursor.PageRequest) (cursor.Page[notify.Entry], error)

// of makes listers of users of a call.
func of(list func(context.Context, string, cursor.PageRequest) (cursor.Page[notify.Entry], error)) func(user string) lister {
	return func(user string) lister {
		return func(ctx context.Context, req cursor.PageRequest) (cursor.Page[notify.Entry], error) {
			return list(ctx, user, req)
		}
	}
}

func (w world) filtered(f notify.Filter) func(user string) lister {
	return func(user string) lister {
		return func(ctx context.Context, req cursor.PageRequest) (cursor.Page[notify.Entry], error) {
			return w.List(ctx, notify.Reader{User: user, Filter: f}, req)
		}
	}
}

func (w world) lists(user string) lister {
	return func(ctx context.Context, req cursor.PageRequest) (cursor.Page[notify.Entry], error) {
		return w.List(ctx, reader(user), req)
	}
}

func TestEveryListIsPagedExactly(t *testing.T) {
	t.Parallel()
	var live board
	sent := faults.New(t, 1, faults.Rates{})
	w := newWorld(t, &notify.Options{Consistent: true, Announcements: &live}, sent.Wrap)
	var places sync.Map // of the groups, by name
	last := ids.At(noon.Add(1000 * time.Hour))
	for name, l := range map[string]struct {
		list    func(user string) lister
		shelf   group.Shelf
		between int // which of the items are announcements: none, all, or every so many
	}{
		"groups":                   {list: w.lists},
		"groups and announcements": {list: w.lists, between: 3},
		"announcements":            {list: w.lists, between: 1},
		"the archive":              {list: of(w.Archived), shelf: group.Archived},
		"snoozed groups":           {list: of(w.Snoozed), shelf: group.Snoozed},
		"unread likes":             {list: w.filtered(notify.Filter{Unread: true, Verbs: []string{"like"}})},
	} {
		if name != "groups and announcements" && name != "snoozed groups" && name != "unread likes" && !faults.Full() {
			continue // the others are read like one of these
		}
		t.Run(name, func(t *testing.T) {
			lists, added := 0, 0
			pagetest.Run(t, func(t *testing.T) pagetest.List[notify.Entry] {
				lists++
				user := fmt.Sprint(name, lists)
				return pagetest.List[notify.Entry]{
					Page:  l.list(user),
					Brief: name != "groups and announcements",
					ID: func(e notify.Entry) string {
						if e.Announcement != nil {
							return e.Announcement.Title
						}
						return e.Group
					},
					Add: func(ctx context.Context, n int) []string {
						var names []string
						var rows []any
						for range n {
							added++
							to := in(user, added)
							id := w.id()
							if l.between > 0 && added%l.between == 0 {
								live.announce(user, to.Group, id)
								names = append(names, to.Group)
								continue
							}
							if l.shelf == group.Snoozed {
								id = last - ids.ID(added)<<32
							}
							g := w.row(t, to)
							g.Place = group.Place(l.shelf, id, g.SK)
							places.Store(to, g)
							rows, names = append(rows, g), append(names, to.Group)
						}
						for chunk := range slices.Chunk(rows, 25) {
							require.NoError(t, errOf(w.items(t).Batch().Write().Put(chunk...).Run(ctx)))
						}
						return names
					},
					Remove: func(ctx context.Context, name string) {
						live.withdraw(user, name)
						require.NoError(t, w.items(t).Delete("pk", userPK(user)).Range("sk", "G#"+name).Run(ctx))
					},
					Hide: func(ctx context.Context, item string) {
						to := notify.In{User: user, Group: item}
						g, ok := places.Load(to)
						if !ok {
							live.withdraw(user, item)
							return
						}
						hidden := g.(raw)
						if hidden.TTL = w.Now().Unix(); name == "unread likes" {
							hidden.TTL, hidden.Read = g.(raw).TTL, hidden.Last
						}
						require.NoError(t, w.items(t).Put(hidden).Run(ctx))
					},
					Others:   append(w.others(t, user, l.shelf, lists == 1), w.filters(t, user, name == "unread likes")...),
					Requests: sent.Requests,
				}
			})
		})
	}
}

// others are lists of two groups each besides one shelf of a user. They are filled at once
// if that shelf is to be read beside them, otherwise when they are read.
func (w world) others(t *testing.T, user string, shelf group.Shelf, beside bool) []pagetest.Other {
	t.Helper()
	lists := map[group.Shelf]func(string) lister{group.Listed: w.lists, group.Archived: of(w.Archived), group.Snoozed: of(w.Snoozed)}
	var others []pagetest.Other
	for s, list := range lists {
		owner := user
		if s == shelf {
			owner += "'s neighbour"
		}
		first := 1_000_000 + 10*len(others)
		fill := sync.OnceFunc(func() {
			w.forgeMany(t, owner, first, 2, func(_ int, g *raw) { g.Place = group.Place(s, w.id(), g.SK) })
		})
		if beside {
			fill()
		}
		others = append(others, pagetest.Foreign(string(s)+owner, func(ctx context.Context, req cursor.PageRequest) (cursor.Page[notify.Entry], error) {
			fill()
			return list(owner)(ctx, req)
		}))
	}
	return others
}

// filters are lists of a user's shares, which a list of likes does not show.
func (w world) filters(t *testing.T, user string, likes bool) (others []pagetest.Other) {
	t.Helper()
	if !likes {
		return nil
	}
	fill := sync.OnceFunc(func() {
		w.forgeMany(t, user, 2_000_000, 2, func(_ int, g *raw) {
			g.SK, g.Data = strings.Replace(g.SK, "#like#", "#share#", 1), strings.Replace(g.Data, `"like"`, `"share"`, 1)
			g.Place = group.Place(group.Listed, w.id(), g.SK)
		})
	})
	for name, f := range map[string]notify.Filter{
		"all":           {},
		"unread":        {Unread: true},
		"shares":        {Verbs: []string{"share"}},
		"unread shares": {Unread: true, Verbs: []string{"share"}},
		"both":          {Unread: true, Verbs: []string{"share", "like"}},
		"named unread":  {Verbs: []string{"unread", "share"}},
	} {
		others = append(others, pagetest.Foreign(name, func(ctx context.Context, req cursor.PageRequest) (cursor.Page[notify.Entry], error) {
			fill()
			return w.filtered(f)(user)(ctx, req)
		}))
	}
	return others
}

func TestAFilterSaysWhichEntriesListsAndCountsHave(t *testing.T) {
	t.Parallel()
	var live board
	w := newWorld(t, &notify.Options{Consistent: true, Announcements: &live})
	event := func(thing, verb string) {
		n := w.like("ann")
		n.Activity.Object.ID, n.Activity.Verb = thing, verb
		w.store(t, n)
	}
	event("1", "like")
	event("2", "share")
	event("3", "like")
	event("4", "unread")
	live.announce("bob", "news", w.id())
	for name, c := range map[string]struct {
		filter notify.Filter
		want   string
		unread int
	}{
		"all":              {notify.Filter{}, "news 4 3 2 1", 4},
		"unread":           {notify.Filter{Unread: true}, "news 4 2 1", 4},
		"likes":            {notify.Filter{Verbs: []string{"like"}}, "3 1", 1},
		"unread likes":     {notify.Filter{Unread: true, Verbs: []string{"like"}}, "1", 1},
		"likes and shares": {notify.Filter{Verbs: []string{"share", "like", "like"}}, "3 2 1", 2},
		"a verb: unread":   {notify.Filter{Verbs: []string{"unread"}}, "4", 1},
		"what nobody did":  {notify.Filter{Verbs: []string{"follow"}}, "", 0},
	} {
		require.NoError(t, errOf(w.MarkRead(t.Context(), "bob", shown(w.entry(t, notify.In{User: "bob", Group: "photo:3#like#2026-03-10"})))))
		who := notify.Reader{User: "bob", Filter: c.filter}
		page, err := w.List(t.Context(), who, cursor.PageRequest{})
		require.NoError(t, err)
		var got []string
		for _, e := range page.Items {
			if e.Announcement != nil {
				got = append(got, e.Announcement.Title)
				continue
			}
			got = append(got, e.Activity.Object.ID)
		}
		require.Equal(t, c.want, strings.Join(got, " "), name)
		require.Equal(t, len(c.filter.Verbs) > 0, notify.See(page.Items).At == 0, "a mark by verbs would cover others")
		for call, count := range map[string]func(context.Context, notify.Reader) (notify.Count, error){"unseen": w.Unseen, "unread": w.UnreadCount} {
			n, err := count(t.Context(), who)
			require.NoError(t, err)
			require.Equal(t, notify.Count{N: c.unread}, n, name+", "+call)
		}
	}

	doesNot(t)(w.MarkSeen(t.Context(), "bob", notify.See(nil)))
	w.seen(t, "bob")
	require.Zero(t, w.unseen(t, "bob"))
	n, err := w.UnreadCount(t.Context(), reader("bob"))
	require.NoError(t, err)
	require.Equal(t, notify.Count{N: 4}, n, "seen is not read")
	w.allRead(t, "bob")
	does(t)(w.MarkUnread(t.Context(), notify.In{User: "bob", Group: "photo:2#share#2026-03-10"}))
	n, err = w.UnreadCount(t.Context(), reader("bob"))
	require.NoError(t, err)
	require.Equal(t, notify.Count{N: 1}, n, "also below what was read at once")
}

// It stops at 100, and after six reads, and says so.
func TestTheCountOfTheUnreadIsBounded(t *testing.T) {
	t.Parallel()
	meter := dynamotest.NewMeter()
	w := newWorld(t, nil, meter.Wrap)
	stated := callstest.ReadCosts(t, "..", "notify")
	count := func(most dynamotest.Cost) (c notify.Count) {
		t.Helper()
		t.Log(meter.AtMost(t, "unread", most, func() {
			var err error
			c, err = w.UnreadCount(t.Context(), reader("ann"))
			require.NoError(t, err)
		}))
		return c
	}
	w.forgeMany(t, "ann", 0, 3, asWritten)
	strong := stated.Of("Repository.UnreadCount").Plus(stated.Of("Repository.UnreadCount")).Read
	require.Equal(t, notify.Count{N: 3}, count(dynamotest.Cost{Requests: 1, Read: strong}))
	w.forgeMany(t, "ann", 10, 97, asWritten)
	rows := stated.Times(26, "Repository.UnreadCount", "each further 4 KB")
	require.Equal(t, notify.Count{N: 100}, count(stated.Of("Repository.UnreadCount").Plus(rows)))
	w.put(t, in("ann", 200))
	require.Equal(t, notify.Count{N: 100, More: true}, count(stated.Of("Repository.UnreadCount").Plus(rows)))

	w.forgeMany(t, "ann", 1000, 300, func(_ int, g *raw) { g.Read = g.Last })
	most := stated.Of("Repository.UnreadCount", "4 KB", "past groups that are read, at most").Plus(rows).Plus(rows).Plus(rows).Plus(rows)
	require.Equal(t, notify.Count{N: 100, More: true}, count(most))
}

func TestAboveTheCapTheCountIsTheCapFlagged(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	count := func() notify.Count {
		t.Helper()
		c, err := w.Unseen(t.Context(), reader("ann"))
		require.NoError(t, err)
		return c
	}
	w.forgeMany(t, "ann", 0, 97, asWritten)
	for n := range 3 {
		w.put(t, in("ann", 97+n))
	}
	require.Equal(t, notify.Count{N: 100}, count())
	w.put(t, in("ann", 100))
	require.Equal(t, notify.Count{N: 100, More: true}, count())

	// A removed target leaves nothing in the lists.
	for n := range 3 {
		removed, err := w.RetractTarget(t.Context(), "ann", feed.Ref{Kind: "picture", ID: fmt.Sprint(97 + n)})
		require.NoError(t, err)
		require.Equal(t, 1, removed)
	}
	require.Equal(t, notify.Count{N: 98}, count())
	require.Len(t, w.list(t, "ann"), 98)

	w.allRead(t, "ann")
	require.Equal(t, notify.Count{}, count(), "all at once, though all are new")
	for _, e := range w.list(t, "ann") {
		require.True(t, e.Seen && e.Read)
	}
	w.put(t, in("ann", 200))
	require.Equal(t, notify.Count{N: 1}, count(), "beside the 98 that were just read")
}

func TestTheCountReachesBeneathWhatWasSeen(t *testing.T) {
	t.Parallel()
	sent := faults.New(t, 1, faults.Rates{})
	w := newWorld(t, nil, sent.Wrap)
	w.forgeMany(t, "ann", 0, 110, asWritten)
	page, err := w.List(t.Context(), reader("ann"), cursor.PageRequest{Limit: 20})
	require.NoError(t, err)
	require.NoError(t, errOf(w.MarkSeen(t.Context(), "ann", notify.See(page.Items))))
	before := sent.Requests()
	require.Equal(t, 90, w.unseen(t, "ann"))
	require.Equal(t, 2, sent.Requests()-before, "the state, and all that is unseen at once")
}

func TestRowsThatWereReadOneByOneTakeNoPlaceInTheCount(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.forgeMany(t, "ann", 0, 3, asWritten)
	w.forgeMany(t, "ann", 10, 102, func(_ int, g *raw) { g.Read = g.Last })
	c, err := w.Unseen(t.Context(), reader("ann"))
	require.NoError(t, err)
	require.Equal(t, notify.Count{N: 3}, c)
}

func TestADismissedAnnouncementIsHiddenAloneAndForAsLongAsItLives(t *testing.T) {
	t.Parallel()
	var live board
	w := newWorld(t, &notify.Options{Consistent: true, Announcements: &live})
	var all []ids.ID
	for n := range 3 {
		all = append(all, w.id())
		live.announce("ann", fmt.Sprint(n), all[n])
		live.announce("bob", fmt.Sprint(n), all[n])
	}
	w.put(t, in("ann", 1))
	for range 2 {
		require.NoError(t, errOf(w.Dismiss(t.Context(), "ann", all[1])))
	}
	require.Equal(t, []string{in("ann", 1).Group, "2", "0"}, names(w.list(t, "ann")))
	require.Equal(t, 3, w.unseen(t, "ann"), "the others are as they were")
	require.Equal(t, 3, w.unseen(t, "bob"))
	live.withdraw("ann", "0")
	require.Equal(t, 2, w.unseen(t, "ann"))
	w.allRead(t, "ann")
	for _, e := range w.list(t, "ann") {
		require.True(t, e.Read)
	}
	w.pass(89 * 24 * time.Hour)
	require.NoError(t, errOf(w.Dismiss(t.Context(), "ann", w.id())))
	require.Equal(t, []string{in("ann", 1).Group, "2"}, names(w.list(t, "ann")), "it is still live")

	// Of too many the oldest is forgotten, and so are those that have ended.
	w.dismissed(t, "ann", all[1])
	require.Equal(t, []string{in("ann", 1).Group, "2"}, names(w.list(t, "ann")))
	require.NoError(t, errOf(w.Dismiss(t.Context(), "ann", w.id())))
	require.Equal(t, []string{in("ann", 1).Group, "2", "1"}, names(w.list(t, "ann")))
	size := w.stateSize(t, "ann")
	w.pass(92 * 24 * time.Hour)
	require.NoError(t, errOf(w.Dismiss(t.Context(), "ann", w.id())))
	require.Less(t, w.stateSize(t, "ann"), size-1000)
}

func TestAnnouncementsAreReadOneByOne(t *testing.T) {
	t.Parallel()
	var live board
	meter := dynamotest.NewMeter()
	stated := callstest.ReadCosts(t, "..", "notify")
	w := newWorld(t, &notify.Options{Consistent: true, Announcements: &live}, meter.Wrap)
	var all []notify.Shown
	for n := range 4 {
		id := w.id()
		live.announce("ann", fmt.Sprint(n), id)
		all = append(all, notify.Shown{Last: id})
	}
	w.put(t, in("ann", 1))
	entry := w.entry(t, in("ann", 1))
	unread := func(n int) {
		t.Helper()
		c, err := w.UnreadCount(t.Context(), reader("ann"))
		require.NoError(t, err)
		require.Equal(t, notify.Count{N: n}, c)
		require.Equal(t, n, w.unseen(t, "ann"), "what is read is seen")
	}
	mark := func(want int, shown ...notify.Shown) {
		t.Helper()
		n, err := w.MarkRead(t.Context(), "ann", shown)
		require.NoError(t, err)
		require.Equal(t, want, n)
	}
	unread(5)
	meter.AtMost(t, "two", stated.Of("Repository.Dismiss"), func() { mark(2, all[1], all[3], all[1]) })
	unread(3)
	mark(0, all[1])
	mark(0, notify.Shown{Last: ids.At(w.Now().Add(time.Hour))})
	mark(2, all[2], shown(entry)[0])
	unread(1)
	for _, e := range w.list(t, "ann") {
		require.Equal(t, e.Last != all[0].Last, e.Read, e.Last)
	}

	// It stays read under later marks.
	w.pass(time.Minute)
	w.put(t, in("ann", 2))
	unread(2)
	w.seen(t, "ann")
	mark(0, all[2])
	w.allRead(t, "ann")
	unread(0)
	w.pass(time.Minute)
	id := w.id()
	live.announce("ann", "5", id)
	mark(1, notify.Shown{Last: id})
	w.put(t, in("ann", 3))
	unread(1)
	w.pass(time.Minute)
	w.allRead(t, "ann")
	unread(0)
}

func TestASourceThatFailsFailsTheList(t *testing.T) {
	t.Parallel()
	live := board{err: plaza.ErrBusy}
	w := newWorld(t, &notify.Options{Announcements: &live})
	_, err := w.List(t.Context(), reader("ann"), cursor.PageRequest{Limit: 20})
	require.ErrorIs(t, err, plaza.ErrBusy)
	_, err = w.Unseen(t.Context(), reader("ann"))
	require.ErrorIs(t, err, plaza.ErrBusy)
}

// A cursor of Plain is not signed. Any gap in one gives a page or plaza.ErrInvalid.
func TestAForgedGapIsAPageOrInvalid(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for n := range 3 {
		w.put(t, in("ann", n))
	}
	w.snooze(t, in("ann", 2), time.Hour)
	does(t)(w.Archive(t.Context(), in("ann", 1)))
	w.seen(t, "ann")
	for scope, list := range map[cursor.Scope]lister{
		{List: "notify", Partition: "ann"}:                          w.lists("ann"),
		{List: "notify/archived", Partition: "ann"}:                 of(w.Archived)("ann"),
		{List: "notify/snoozed", Partition: "ann", Order: "oldest"}: of(w.Snoozed)("ann"),
	} {
		for _, gap := range []string{
			"", "\x00", "-", "-~", "-\x00", "+", "+~", "0", "00", "7", "7~", "8", "8\x00", "9", "Z", "~", "~\x00", "}",
			strings.Repeat("5", 1024), strings.Repeat("z", 1024), strings.Repeat("5", 1025), "5\xff", "-" + strings.Repeat("5", 1023),
		} {
			for _, way := range []string{"d", "u"} {
				err := errOf(list(t.Context(), cursor.PageRequest{Cursor: cursor.Plain().Encode(scope, []byte(way+gap))}))
				require.True(t, err == nil || errors.Is(err, plaza.ErrInvalid), "%v %s %.20q: %v", scope, way, gap, err)
			}
		}
	}
}
