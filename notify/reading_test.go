package notify_test

import (
	"encoding/binary"
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

// raw is a group as it is stored.
type raw struct {
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
	return notify.In{User: user, Group: fmt.Sprintf("picture:%d#like#2026-03-10", n)}
}

// of is an event of such a group, of the first day of the test.
func (w world) of(t testing.TB, to notify.In) notify.Notification {
	t.Helper()
	var about feed.Ref
	require.NoError(t, about.UnmarshalText([]byte(keys.Split(to.Group)[0])))
	n := w.ids.Add(1)
	return notify.Notification{User: to.User, Activity: feed.Activity{
		ID: ids.At(noon) + ids.ID(n), Actor: feed.Ref{ID: fmt.Sprint("actor ", n)}, Verb: "like", Object: about,
	}}
}

// put notifies of another event, and returns its write.
func (w world) put(t testing.TB, to notify.In) ids.ID {
	t.Helper()
	return w.store(t, w.of(t, to)).Last
}

// row is a group of one event.
func (w world) row(t testing.TB, to notify.In) raw {
	t.Helper()
	id := w.id()
	data, err := json.Marshal(w.of(t, to).Activity)
	require.NoError(t, err)
	sk := "G#" + to.Group
	return raw{
		PK: userPK(to.User), SK: sk, Place: group.Place(group.Listed, id, sk), Last: id, N: 1, Actor: "bob", Rev: 1,
		TTL: w.Now().Add(90 * 24 * time.Hour).Unix(), Data: string(data),
	}
}

// forge stores a group as no write leaves it.
func (w world) forge(t testing.TB, to notify.In, change func(*raw)) {
	t.Helper()
	g := w.row(t, to)
	change(&g)
	require.NoError(t, w.items(t).Put(g).Run(t.Context()))
}

// forgeMany stores n such groups of a user, numbered from first, 25 a request.
func (w world) forgeMany(t testing.TB, user string, first, n int, change func(k int, g *raw)) {
	t.Helper()
	rows := make([]any, n)
	for k := range n {
		g := w.row(t, in(user, first+k))
		change(k, &g)
		rows[k] = g
	}
	require.NoError(t, errOf(w.items(t).Batch().Write().Put(rows...).Run(t.Context())))
}

// asWritten changes nothing.
func asWritten(int, *raw) {}

// dismissed stores a user's state as if those announcements and others, a hundred
// together, had just been dismissed.
func (w world) dismissed(t testing.TB, user string, announcements ...ids.ID) {
	t.Helper()
	for len(announcements) < 100 {
		announcements = append(announcements, w.id())
	}
	gone := []byte{0}
	for _, id := range announcements {
		gone = binary.BigEndian.AppendUint64(gone, uint64(id))
		gone = binary.BigEndian.AppendUint32(gone, uint32(w.Now().Add(90*24*time.Hour).Unix()/3600))
	}
	require.NoError(t, w.items(t).Put(map[string]any{
		"pk": userPK(user), "sk": "S", "last": "~", "rev": 1, "s": map[string]any{"gone": gone},
	}).Run(t.Context()))
}

// stateSize is how large the user's state is in JSON.
func (w world) stateSize(t testing.TB, user string) int {
	t.Helper()
	var item map[string]any
	require.NoError(t, w.items(t).Get("pk", userPK(user)).Range("sk", dynamo.Equal, "S").Consistent(true).One(t.Context(), &item))
	text, err := json.Marshal(item)
	require.NoError(t, err)
	return len(text)
}

// inTable is a group as it is stored.
func (w world) inTable(t testing.TB, to notify.In) raw {
	t.Helper()
	var g raw
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
	require.NoError(t, errOf(w.MarkSeen(t.Context(), user, notify.See(w.list(t, user)))))
}

func (w world) allRead(t testing.TB, user string) {
	t.Helper()
	require.NoError(t, errOf(w.MarkAllRead(t.Context(), user, notify.See(w.list(t, user)))))
}

// does checks a call that must change something.
func does(t testing.TB) func(changed bool, err error) {
	return func(changed bool, err error) {
		t.Helper()
		require.NoError(t, err)
		require.True(t, changed)
	}
}

// doesNot checks a call that must change nothing.
func doesNot(t testing.TB) func(changed bool, err error) {
	return func(changed bool, err error) {
		t.Helper()
		require.NoError(t, err)
		require.False(t, changed)
	}
}
