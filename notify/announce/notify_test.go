package announce_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/notify/announce"
)

// source makes ids of a clock's time.
type source struct {
	now func() time.Time
	n   *atomic.Uint64
}

func (s source) Next(context.Context) (ids.ID, error) {
	return ids.At(s.now()) + ids.ID(s.n.Add(1)), nil
}

var made atomic.Uint64

// bell is a process of a service: its users' notifications, with announcements.
type bell struct {
	*notify.Repository
	source
}

// bell makes another process.
func (w world) bell(t *testing.T, wrap ...wrapper) bell {
	t.Helper()
	b := bell{source: source{w.Now, &made}}
	announcements := w.process(t, nil, wrap...)
	var err error
	b.Repository, err = notify.New(announcements.db, w.table, b.source, &notify.Options{
		Announcements: announcements, Consistent: true, Now: w.Now,
	})
	require.NoError(t, err)
	return b
}

// notify notifies the user of a like of another photo.
func (b bell) notify(t *testing.T, user string) {
	t.Helper()
	id, err := b.Next(t.Context())
	require.NoError(t, err)
	_, created, err := b.Notify(t.Context(), notify.Notification{User: user, Activity: feed.Activity{
		ID: id, Actor: feed.Ref{ID: "fan"}, Verb: "like", Object: feed.Ref{Kind: "photo", ID: id.String()},
	}})
	require.NoError(t, err)
	require.True(t, created)
}

func (b bell) list(t *testing.T, reader notify.Reader, limit int) []notify.Entry {
	t.Helper()
	var all []notify.Entry
	for e, err := range cursor.All(t.Context(), func(ctx context.Context, req cursor.PageRequest) (cursor.Page[notify.Entry], error) {
		req.Limit = limit
		return b.List(ctx, reader, req)
	}) {
		require.NoError(t, err)
		all = append(all, e)
	}
	return all
}

func (b bell) unseen(t *testing.T, reader notify.Reader) int {
	t.Helper()
	count, err := b.Unseen(t.Context(), reader)
	require.NoError(t, err)
	return count.N
}

// everyone is a reader who joined then.
func everyone(user string, joined time.Time) notify.Reader {
	return notify.Reader{User: user, Joined: joined, Audiences: []string{"everyone"}}
}

// announced are the titles of the announcements among entries.
func announced(entries []notify.Entry) []string {
	titles := []string{}
	for _, e := range entries {
		if e.Announcement != nil {
			titles = append(titles, e.Announcement.Title)
		}
	}
	return titles
}

func TestAnAnnouncementOfBeforeSignupIsHidden(t *testing.T) {
	t.Parallel()
	in := faults.New(t, 1, faults.Rates{})
	w := newWorld(t, in.Wrap)
	a := w.announce(t, w.message("Hello"))
	old := w.message("For members since yesterday")
	old.From = today.Add(-24 * time.Hour)
	w.announce(t, old)
	w.forward(lead)
	b := w.bell(t, in.Wrap)
	for joined, want := range map[time.Time]int{
		{}:                              2,
		old.From:                        2,
		old.From.Add(1):                 1,
		a.From:                          1,
		a.From.Add(time.Millisecond):    0,
		today.Add(365 * 24 * time.Hour): 0,
	} {
		reader := everyone("ann", joined)
		require.Len(t, b.list(t, reader, 10), want, joined)
		require.Equal(t, want, b.unseen(t, reader), joined)
	}
	require.Equal(t, 2, in.Writes(), "in all")
}

func TestWithdrawnDismissedAndForeignAnnouncementsDoNotShow(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	one, two := w.announce(t, w.message("one")), w.announce(t, w.message("two"))
	three := w.announce(t, w.message("three"))
	staff := w.message("staff")
	staff.Audience = "staff"
	w.announce(t, staff)
	w.forward(lead)
	b := w.bell(t)
	ann, bob := everyone("ann", time.Time{}), everyone("bob", time.Time{})
	require.ElementsMatch(t, []string{"one", "two", "three"}, announced(b.list(t, ann, 10)))
	require.Equal(t, 3, b.unseen(t, ann))

	require.NoError(t, errOf(b.Dismiss(t.Context(), "ann", two.ID)))
	require.ElementsMatch(t, []string{"one", "three"}, announced(b.list(t, ann, 10)))
	require.Equal(t, 2, b.unseen(t, ann))
	require.Equal(t, 3, b.unseen(t, bob))

	w.withdraw(t, one)
	w.withdraw(t, two)
	w.forward(announce.CacheTTL)
	require.Equal(t, []string{"three"}, announced(b.list(t, ann, 10)))
	require.Equal(t, 1, b.unseen(t, ann))
	require.Equal(t, []string{"three"}, announced(b.list(t, bob, 10)))
	require.Equal(t, 1, b.unseen(t, bob))

	w.forward(notify.Window)
	require.NoError(t, errOf(b.MarkAllRead(t.Context(), "bob", notify.See(b.list(t, bob, 10)))))
	require.Zero(t, b.unseen(t, bob))
	require.Equal(t, 1, b.unseen(t, ann))
	entry := b.list(t, bob, 10)[0]
	require.True(t, entry.Seen && entry.Read)
	require.Equal(t, three, *entry.Announcement)
}

// TestAnnouncementsMakeAPageNoMoreExpensive compares the costs of a page and a count with and
// without announcements.
func TestAnnouncementsMakeAPageNoMoreExpensive(t *testing.T) {
	t.Parallel()
	meter := dynamotest.NewMeter()
	w := newWorld(t)
	for range faults.Size(announce.MaxLive, 30) {
		w.announce(t, w.message("Hello"))
	}
	w.forward(lead)
	b := w.bell(t, meter.Wrap)
	w.forward(time.Second)
	for range 25 {
		b.notify(t, "ann")
	}
	costs := func(reader notify.Reader) (all [3]dynamotest.Cost) {
		var next cursor.Cursor
		meter.Take()
		for i := range 2 {
			page, err := b.List(t.Context(), reader, cursor.PageRequest{Cursor: next, Limit: 20})
			require.NoError(t, err)
			next, all[i] = page.Next, meter.Take()
		}
		b.unseen(t, reader)
		all[2] = meter.Take()
		return all
	}
	without := costs(notify.Reader{User: "ann"})
	require.NotZero(t, without[0].Requests)
	b.list(t, everyone("bob", time.Time{}), 20) // somebody else's page reads the audience
	for i, with := range costs(everyone("ann", time.Time{})) {
		require.LessOrEqual(t, with.Requests, without[i].Requests)
		require.LessOrEqual(t, with.Read, without[i].Read)
		require.Zero(t, with.Write)
	}
}
