package notify_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/group"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/notify"
)

// ahead is a clock that is fast or slow by as much.
type ahead struct {
	*clock
	by time.Duration
}

func (a ahead) Now() time.Time { return a.clock.Now().Add(a.by) }

func (a ahead) Next(context.Context) (ids.ID, error) {
	return ids.At(a.Now()) + (a.clock.id() - ids.At(a.clock.Now())), nil
}

// skewed is a process on the table of w whose clock is ahead.
func (w world) skewed(t testing.TB, by time.Duration, wrap ...wrapper) world {
	t.Helper()
	a := ahead{w.clock, by}
	var err error
	w.Repository, err = notify.New(dynamotest.DB(t, wrap...), w.table, a, &notify.Options{Now: a.Now, Consistent: true})
	require.NoError(t, err)
	return w
}

// stored is a group as it stands in the table.
type stored struct {
	PK     string `dynamo:"pk"`
	SK     string `dynamo:"sk"`
	Place  string `dynamo:"last,omitempty"`
	Last   ids.ID `dynamo:"lv"`
	N      int    `dynamo:"n"`
	Actor  string `dynamo:"a1"`
	Rev    int    `dynamo:"rev"`
	Read   ids.ID `dynamo:"read,omitempty"`
	Unread ids.ID `dynamo:"unread,omitempty"`
	Was    string `dynamo:"was,omitempty"`
	TTL    int64  `dynamo:"ttl"`
	Data   string `dynamo:"data"`
}

// items is the table itself.
func (w world) items(t testing.TB) dynamo.Table { return dynamotest.DB(t).Table(w.table) }

func userPK(user string) string { return keys.Join("N", user) }

// in is a group of a user by number.
func in(user string, n int) notify.In {
	return notify.In{User: user, Group: fmt.Sprintf("picture:%d#like#2026-11-22", n)}
}

// put writes one event into a group, as if it was the only one.
func (w world) put(t testing.TB, to notify.In, change ...func(*stored)) ids.ID {
	t.Helper()
	id := w.id()
	w.putAt(t, to, id, change...)
	return id
}

func (w world) putAt(t testing.TB, to notify.In, id ids.ID, change ...func(*stored)) {
	t.Helper()
	a := feed.Activity{ID: id, Actor: feed.Ref{ID: "bob"}, Verb: "like", Object: feed.Ref{Kind: "picture", ID: "1"}, Time: id.Time()}
	data, err := json.Marshal(a)
	require.NoError(t, err)
	sk := "G#" + to.Group
	g := stored{
		PK: userPK(to.User), SK: sk, Place: group.Place(group.Listed, id, sk), Last: id, N: 1, Actor: "bob", Rev: 1,
		TTL: w.Now().Add(90 * 24 * time.Hour).Unix(), Data: string(data),
	}
	for _, c := range change {
		c(&g)
	}
	require.NoError(t, w.items(t).Put(g).Run(t.Context()))
}

// event is a later event of a group, as Notify's update.
func (w world) event(t testing.TB, to notify.In) ids.ID {
	t.Helper()
	id := w.id()
	require.NoError(t, w.moveTo(t, to, id))
	return id
}

func (w world) moveTo(t testing.TB, to notify.In, id ids.ID) error {
	sk := "G#" + to.Group
	return w.items(t).Update("pk", userPK(to.User)).Range("sk", sk).
		Set("'last'", group.Place(group.Listed, id, sk)).Set("lv", id).Remove("was").Add("rev", 1).Run(t.Context())
}

func (w world) stands(t testing.TB, to notify.In) stored {
	t.Helper()
	var g stored
	require.NoError(t, w.items(t).Get("pk", userPK(to.User)).Range("sk", dynamo.Equal, "G#"+to.Group).Consistent(true).One(t.Context(), &g))
	return g
}

func reader(user string) notify.Reader { return notify.Reader{User: user} }

func (w world) list(t testing.TB, user string) []notify.Entry {
	t.Helper()
	page, err := w.List(t.Context(), reader(user), cursor.PageRequest{Limit: 100})
	require.NoError(t, err)
	return page.Items
}

func (w world) entry(t testing.TB, to notify.In) notify.Entry {
	t.Helper()
	for _, e := range w.list(t, to.User) {
		if e.Group == to.Group {
			return e
		}
	}
	require.Fail(t, "not listed", to.Group)
	return notify.Entry{}
}

func (w world) unseen(t testing.TB, user string) int {
	t.Helper()
	c, err := w.Unseen(t.Context(), reader(user))
	require.NoError(t, err)
	require.False(t, c.More)
	return c.N
}

// names are the groups of entries, or the announcements, by number.
func names(entries []notify.Entry) []string {
	got := make([]string, len(entries))
	for i, e := range entries {
		got[i] = e.Group
		if e.Announcement != nil {
			got[i] = e.Announcement.Title
		}
	}
	return got
}

func groups(user string, numbers ...int) []string {
	want := make([]string, len(numbers))
	for i, n := range numbers {
		want[i] = in(user, n).Group
	}
	return want
}

func (w world) seen(t testing.TB, user string) {
	t.Helper()
	require.NoError(t, w.MarkSeen(t.Context(), user, notify.See(w.list(t, user))))
}

func (w world) allRead(t testing.TB, user string) {
	t.Helper()
	require.NoError(t, w.MarkAllRead(t.Context(), user, notify.See(w.list(t, user))))
}

// does fails unless the call changed something.
func does(t testing.TB, changed bool, err error) {
	t.Helper()
	require.NoError(t, err)
	require.True(t, changed)
}

// doesNot fails if the call changed something.
func doesNot(t testing.TB, changed bool, err error) {
	t.Helper()
	require.NoError(t, err)
	require.False(t, changed)
}
