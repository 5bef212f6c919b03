package danmu_test

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
	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/ratelimit"
)

// noon is the time at which every test begins.
var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// source makes ids with its own time.
type source struct {
	*clock
	n atomic.Uint64
}

func (s *source) Next(context.Context) (ids.ID, error) {
	return ids.At(s.Now()) + ids.ID(s.n.Add(1)), nil
}

// world is a repository over a fresh table.
type world struct {
	*danmu.Repository
	*source
	table string
}

type wrapper = func(aws.HTTPClient) aws.HTTPClient

// newWorld returns a repository without a rate limit. If opts is nil and there are
// wrappers, such as faults, it reads strongly consistent.
func newWorld(t testing.TB, opts *danmu.Options, wrap ...wrapper) world {
	t.Helper()
	w := world{table: dynamotest.Table(t, danmu.Table), source: &source{clock: &clock{now: noon}}}
	return w.process(t, opts, wrap...)
}

// process returns a repository of another process on the same table, with the same clock.
func (w world) process(t testing.TB, opts *danmu.Options, wrap ...wrapper) world {
	t.Helper()
	o := danmu.Options{Consistent: len(wrap) > 0}
	if opts != nil {
		o = *opts
	}
	if o.Limiter == nil && o.Rate == (ratelimit.Rate{}) {
		o.Limiter = ratelimit.Unlimited{}
	}
	o.Now = w.Now
	var err error
	w.Repository, err = danmu.New(dynamotest.DB(t, wrap...), w.table, w.source, &o)
	require.NoError(t, err)
	return w
}

// tester is a *testing.T or a *rapid.T.
type tester interface {
	require.TestingT
	Helper()
	Context() context.Context
}

func (w world) configure(t tester, object string, s danmu.Settings) {
	t.Helper()
	_, err := w.Configure(t.Context(), object, s)
	require.NoError(t, err)
}

// send sends a comment that must be new.
func (w world) send(t tester, c danmu.Comment) danmu.Comment {
	t.Helper()
	if c.Object == "" {
		c.Object = "v"
	}
	if c.User == "" {
		c.User = "ann"
	}
	if c.Text == "" {
		c.Text = "haha"
	}
	sent, created, err := w.Send(t.Context(), c)
	require.NoError(t, err)
	require.True(t, created)
	return sent
}

// at sends a comment to v at a moment in seconds.
func (w world) at(t tester, seconds float64) danmu.Comment {
	t.Helper()
	progress, err := danmu.Seconds(seconds)
	require.NoError(t, err)
	return w.send(t, danmu.Comment{Progress: progress})
}

// window returns the comments of v in [from, to), in seconds.
func (w world) window(t tester, from, to float64, opts *danmu.WindowOptions) []danmu.Comment {
	t.Helper()
	second := float64(time.Second)
	got, err := w.Window(t.Context(), "v", time.Duration(from*second), time.Duration(to*second), opts)
	require.NoError(t, err)
	return got.Comments
}

var consistent = &danmu.WindowOptions{Consistent: true}

// from returns the list of v from a moment on.
func (w world) from(moment time.Duration) func(context.Context, cursor.PageRequest) (cursor.Page[danmu.Comment], error) {
	return func(ctx context.Context, req cursor.PageRequest) (cursor.Page[danmu.Comment], error) {
		return w.ByObject(ctx, "v", moment, req)
	}
}

// all reads a list to its end, limit items a page.
func all[T any](t tester, list func(context.Context, cursor.PageRequest) (cursor.Page[T], error), limit int) []T {
	t.Helper()
	got := []T{}
	req := cursor.PageRequest{Limit: limit}
	for {
		page, err := list(t.Context(), req)
		require.NoError(t, err)
		require.LessOrEqual(t, len(page.Items), limit)
		got = append(got, page.Items...)
		if page.Next == "" {
			return got
		}
		req.Cursor = page.Next
	}
}

func idsOf(comments []danmu.Comment) []danmu.ID {
	got := make([]danmu.ID, len(comments))
	for i, c := range comments {
		got[i] = c.ID
	}
	return got
}

func (w world) raw(t testing.TB) dynamo.Table { return dynamotest.DB(t).Table(w.table) }

// stored is an item of the table.
type stored struct {
	PK    string `dynamo:"pk"`
	SK    string `dynamo:"sk"`
	User  string `dynamo:"userId"`
	Text  string `dynamo:"text"`
	State string `dynamo:"state"`
	Sent  ids.ID `dynamo:"sent"`
	Op    ids.ID `dynamo:"id"`
	Ended ids.ID `dynamo:"ended"`
	TTL   int64  `dynamo:"ttl"`
}

// items returns the items whose partition key begins with a prefix.
func (w world) items(t testing.TB, prefix string) []stored {
	t.Helper()
	var found []stored
	require.NoError(t, w.raw(t).Scan().Consistent(true).Filter("begins_with(pk, ?)", prefix).All(t.Context(), &found))
	return found
}

// reactions returns a user's current reactions. Reactions that were taken back are kept
// for 30 days, with only an id.
func (w world) reactions(t testing.TB, user string) []stored {
	t.Helper()
	var standing []stored
	for _, i := range w.items(t, "U#"+user) {
		if i.Op != 0 {
			standing = append(standing, i)
			require.Equal(t, stored{PK: i.PK, SK: i.SK, Op: i.Op}, i)
			continue
		}
		require.Equal(t, stored{PK: i.PK, SK: i.SK, Ended: i.Ended, TTL: i.TTL}, i)
		require.NotZero(t, i.Ended)
		require.LessOrEqual(t, i.TTL, w.Now().Add(30*24*time.Hour).Unix())
		require.Greater(t, i.TTL, w.Now().Add(29*24*time.Hour).Unix())
	}
	return standing
}

// clock is a clock that only pass moves.
type clock struct {
	mu  sync.Mutex
	now time.Time
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

// does checks what a call reports about a change.
func does(t tester, want bool, about ...any) func(changed bool, err error) {
	t.Helper()
	return func(changed bool, err error) {
		t.Helper()
		require.NoError(t, err, about...)
		require.Equal(t, want, changed, about...)
	}
}

// repeats sends a comment again, and gets the stored one.
func (w world) repeats(t tester, c, want danmu.Comment) {
	t.Helper()
	got, created, err := w.Send(t.Context(), c)
	require.NoError(t, err)
	require.Equal(t, want, got)
	require.False(t, created)
}

// fails checks that a call changed nothing, and why.
func fails(t tester, want error, about ...any) func(changed bool, err error) {
	t.Helper()
	return func(changed bool, err error) {
		t.Helper()
		require.ErrorIs(t, err, want, about...)
		require.False(t, changed, about...)
	}
}
