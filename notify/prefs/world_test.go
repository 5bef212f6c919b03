package prefs_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/calls/callstest"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/notify/prefs"
)

var _ notify.Policy = (*prefs.Repository)(nil)

// noon is the time at which every test begins.
var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

const (
	email = "email"
	push  = "push"
)

// options has a verb of each sort.
func options() *prefs.Options {
	return &prefs.Options{
		Channels: []string{email, push},
		Verbs: []prefs.Verb{
			{Name: "like"},
			{Name: "comment", Channels: []string{email}},
			{Name: "mention", Channels: []string{push, email}, Pierces: true},
			{Name: "login", Channels: []string{email}, Critical: true},
			{Name: "tip", Channels: []string{push}, OptIn: true},
		},
		Tokens:     prefs.Keyring{Current: 1, Keys: map[byte][]byte{1: key(1)}},
		Consistent: true,
	}
}

// key is key n of the tests: the bytes n, n+1 and so on.
func key(n byte) []byte {
	k := make([]byte, 32)
	for i := range k {
		k[i] = n + byte(i)
	}
	return k
}

// world is a repository over a fresh table.
type world struct {
	*prefs.Repository
	*clock
	table string
}

type wrapper = func(aws.HTTPClient) aws.HTTPClient

func newWorld(t testing.TB, opts *prefs.Options, wrap ...wrapper) world {
	t.Helper()
	w := world{table: dynamotest.Table(t, notify.Table), clock: &clock{now: noon}}
	return w.process(t, opts, wrap...)
}

// process returns a repository of another process on the same table.
func (w world) process(t testing.TB, opts *prefs.Options, wrap ...wrapper) world {
	t.Helper()
	if opts == nil {
		opts = options()
	}
	o := *opts
	o.Now = w.Now
	var err error
	w.Repository, err = prefs.New(dynamotest.DB(t, wrap...), w.table, w.clock, &o)
	require.NoError(t, err)
	return w
}

func (w world) raw(t testing.TB) dynamo.Table { return dynamotest.DB(t).Table(w.table) }

// stored are all items of the table.
func (w world) stored(t testing.TB) []dynamo.Item {
	t.Helper()
	var items []dynamo.Item
	require.NoError(t, w.raw(t).Scan().Consistent(true).All(t.Context(), &items))
	return items
}

// of is a notification of ann: bob did something to her picture.
func of(verb string) notify.Notification {
	return notify.Notification{User: "ann", Activity: feed.Activity{
		ID: ids.At(noon), Actor: feed.Ref{ID: "bob"}, Verb: verb, Object: picture,
	}}
}

var (
	picture = feed.Ref{Kind: "picture", ID: "10"}
	other   = feed.Ref{Kind: "picture", ID: "11"}
)

// about is what ann's setting of a verb on a channel is about.
func about(verb, channel string) prefs.Subscription {
	return prefs.Subscription{User: "ann", Verb: verb, Channel: channel}
}

var (
	bob  = prefs.Pair{User: "ann", Actor: "bob"}
	mute = prefs.Topic{User: "ann", Object: picture}
)

func (w world) decide(t testing.TB, n notify.Notification) notify.Decision {
	t.Helper()
	d, err := w.Decide(t.Context(), n)
	require.NoError(t, err)
	return d
}

func (w world) set(t testing.TB, s prefs.Subscription, on bool) {
	t.Helper()
	does(t, true)(w.Set(t.Context(), s, on))
}

func (w world) block(t testing.TB, p prefs.Pair) {
	t.Helper()
	does(t, true)(w.Block(t.Context(), p))
}

func (w world) mute(t testing.TB, topic prefs.Topic) {
	t.Helper()
	does(t, true)(w.Mute(t.Context(), topic))
}

// does checks what a call reports about a change.
func does(t testing.TB, want bool) func(changed bool, err error) {
	t.Helper()
	return func(changed bool, err error) {
		t.Helper()
		require.NoError(t, err)
		require.Equal(t, want, changed)
	}
}

// failed returns the last result of a call, which is its error.
var failed = callstest.Failed

// own are the settings that ann has set.
func (w world) own(t testing.TB) map[prefs.Subscription]bool {
	t.Helper()
	all, err := w.Settings(t.Context(), "ann")
	require.NoError(t, err)
	own := map[prefs.Subscription]bool{}
	for _, s := range all {
		if s.Own {
			own[about(s.Verb, s.Channel)] = s.On
		}
	}
	return own
}

// all reads a list of ann's to its end.
func all[T any](t testing.TB, list func(context.Context, string, cursor.PageRequest) (cursor.Page[T], error)) []T {
	t.Helper()
	items := []T{}
	for item, err := range cursor.All(t.Context(), func(ctx context.Context, req cursor.PageRequest) (cursor.Page[T], error) {
		return list(ctx, "ann", req)
	}) {
		require.NoError(t, err)
		items = append(items, item)
	}
	return items
}

// clock is a clock that only pass moves.
type clock struct {
	mu  sync.Mutex
	now time.Time
	ids atomic.Uint64
}

// Next makes ids with the clock's time.
func (c *clock) Next(context.Context) (ids.ID, error) {
	return ids.At(c.Now()) + ids.ID(c.ids.Add(1)), nil
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
