package notify_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/group"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
	"github.com/plaza-sdk/plaza/notify"
)

// noon is the time at which every test begins.
var noon = time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)

// clock is a world's clock, and makes ids with its time.
type clock struct {
	mu  sync.Mutex
	now time.Time
	ids atomic.Uint64
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func (c *clock) id() ids.ID { return ids.At(c.Now()) + ids.ID(c.ids.Add(1)) }

func (c *clock) Next(context.Context) (ids.ID, error) { return c.id(), nil }

// world is a repository over a fresh table.
type world struct {
	*notify.Repository
	*clock
	table string
}

type wrapper = func(aws.HTTPClient) aws.HTTPClient

func newWorld(t testing.TB, opts *notify.Options, wrap ...wrapper) world {
	t.Helper()
	w := world{table: dynamotest.Table(t, notify.Table), clock: &clock{now: noon}}
	return w.process(t, opts, wrap...)
}

// process returns a repository of another process on the same table.
func (w world) process(t testing.TB, opts *notify.Options, wrap ...wrapper) world {
	t.Helper()
	return w.skewed(t, 0, opts, wrap...)
}

// skewed is a process whose clock is ahead.
func (w world) skewed(t testing.TB, by time.Duration, opts *notify.Options, wrap ...wrapper) world {
	t.Helper()
	o := notify.Options{Consistent: true}
	if opts != nil {
		o = *opts
	}
	own := ahead{w.clock, by}
	o.Now = own.Now
	var err error
	w.Repository, err = notify.New(dynamotest.DB(t, wrap...), w.table, own, &o)
	require.NoError(t, err)
	return w
}

// ahead is a clock that is fast or slow by as much.
type ahead struct {
	*clock
	by time.Duration
}

func (a ahead) Now() time.Time { return a.clock.Now().Add(a.by) }

func (a ahead) Next(context.Context) (ids.ID, error) {
	return ids.At(a.Now()) + ids.ID(a.ids.Add(1)), nil
}

// like is a new like of bob's photo.
func (w world) like(actor string) notify.Notification {
	return notify.Notification{User: "bob", Activity: feed.Activity{
		ID: w.id(), Actor: feed.Ref{ID: actor}, Verb: "like", Object: feed.Ref{Kind: "photo", ID: "1"},
	}}
}

// store notifies of what is new.
func (w world) store(t testing.TB, ns ...notify.Notification) (last notify.Result) {
	t.Helper()
	for _, n := range ns {
		var created bool
		var err error
		last, created, err = w.Notify(t.Context(), n)
		require.NoError(t, err)
		require.True(t, created)
		require.Equal(t, isStored, outcomeOf(last))
	}
	return last
}

const (
	isStored  = "stored"
	isFull    = "full"
	isDropped = "dropped"

	isRetracted = "retracted"
)

func outcomeOf(res notify.Result) string {
	switch {
	case res.Retracted && res.Dropped:
		return isRetracted
	case res.Dropped:
		return isDropped
	case res.Full:
		return isFull
	}
	return isStored
}

// errOf and errOf3 are a call's error, for calls whose other answers do not matter.
func errOf[A any](_ A, err error) error { return err }

func errOf3[A, B any](_ A, _ B, err error) error { return err }

// outcome notifies of what changes nothing, or is full.
func (w world) outcome(t testing.TB, n notify.Notification) string {
	t.Helper()
	res, created, err := w.Notify(t.Context(), n)
	require.NoError(t, err)
	require.False(t, created)
	return outcomeOf(res)
}

func (w world) retract(t testing.TB, n notify.Notification) (changed bool) {
	t.Helper()
	changed, err := w.Retract(t.Context(), n)
	require.NoError(t, err)
	return changed
}

// storedGroup is a group as it is stored.
type storedGroup struct {
	group.Head
	live, off int // entries
}

// groupItems reads a user's groups, by name.
func (w world) groupItems(t testing.TB, user string) (items []dynamo.Item) {
	t.Helper()
	q := dynamotest.DB(t).Table(w.table).Get("pk", keys.Join("N", user)).Range("sk", dynamo.BeginsWith, "G#").Consistent(true)
	require.NoError(t, q.All(t.Context(), &items))
	return items
}

// groups are a user's groups.
func (w world) groups(t testing.TB, user string) []storedGroup {
	t.Helper()
	items := w.groupItems(t, user)
	groups := make([]storedGroup, len(items))
	for i, item := range items {
		require.NoError(t, store.UnmarshalItem(item, &groups[i]))
		for name, value := range item {
			text, _ := value.(*types.AttributeValueMemberS)
			switch {
			case name[0] != 'e':
			case strings.HasPrefix(text.Value, "-"):
				groups[i].off++
			default:
				groups[i].live++
			}
		}
	}
	return groups
}

// group reads bob's only group.
func (w world) group(t testing.TB) storedGroup {
	t.Helper()
	groups := w.groups(t, "bob")
	require.Len(t, groups, 1)
	return groups[0]
}

// fill adds events before the others to the group of n, until it has that many. It
// writes what Notify would, at once.
func (w world) fill(t testing.TB, n notify.Notification, until int, actor func(i int) feed.Ref) {
	t.Helper()
	g := w.groups(t, n.User)[0]
	added := map[string]string{}
	for i := range until - int(g.N) {
		id, who := n.Activity.ID-ids.ID(i)-1, actor(i).String()
		name, parts := "e"+id.String(), []string{id.String(), who} // as the write's
		if n.CountBy == notify.ByActor {
			name, parts[1] = "e#"+who, id.String()
		}
		if !n.Activity.Target.IsZero() {
			parts = append(parts, "o"+n.Activity.Object.String())
		}
		added[name] = keys.Join(parts...)
	}
	w.add(t, g, until, added)
}

// add adds entries to a group.
func (w world) add(t testing.TB, g storedGroup, n int, entries map[string]string) {
	t.Helper()
	table := dynamotest.DB(t).Table(w.table)
	var item dynamo.Item
	require.NoError(t, table.Get("pk", g.PK).Range("sk", dynamo.Equal, g.SK).One(t.Context(), &item))
	item["n"] = &types.AttributeValueMemberN{Value: fmt.Sprint(n)}
	for name, text := range entries {
		item[name] = &types.AttributeValueMemberS{Value: text}
	}
	require.NoError(t, table.Put(item).Run(t.Context()))
}

// filler is an actor of fill.
func filler(i int) feed.Ref { return feed.Ref{ID: fmt.Sprintf("filler%010d", i)} }

// set changes attributes of bob's only group, as a shelf does.
func (w world) set(t testing.TB, attributes map[string]any) {
	t.Helper()
	g := w.group(t)
	u := dynamotest.DB(t).Table(w.table).Update("pk", g.PK).Range("sk", g.SK).Add("rev", 1)
	for name, value := range attributes {
		u.SetExpr("$ = ?", name, value)
	}
	require.NoError(t, u.Run(t.Context()))
}

// activity is the newest that the group shows.
func (g storedGroup) activity(t testing.TB) (a feed.Activity) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(g.Data), &a))
	return a
}

// actors are those that the group names.
func (g storedGroup) actors() string { return strings.TrimSpace(strings.Join(g.Actors(), " ")) }
