package kit_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/kit"
	"github.com/plaza-sdk/plaza/leaderboard"
	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/notify/digest"
	"github.com/plaza-sdk/plaza/notify/prefs"
	"github.com/plaza-sdk/plaza/plazatest"
	"github.com/plaza-sdk/plaza/tables"
)

func TestMain(m *testing.M) { faults.Main(m) }

var first = cursor.PageRequest{Limit: 10}

// world has tables and a clock by which kits and ids go. It is their source of ids too.
type world struct {
	*plazatest.Env
	t *testing.T

	mu   sync.Mutex
	now  time.Time
	last ids.ID
}

// newWorld makes the tables that have a name.
func newWorld(t *testing.T, names tables.Names, wrap ...func(aws.HTTPClient) aws.HTTPClient) *world {
	t.Helper()
	return &world{Env: plazatest.Start(t, &plazatest.Options{Tables: names, Wrap: wrap}), t: t, now: time.Now()}
}

func (w *world) Now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

func (w *world) pass(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(d)
}

// Next makes an id of the world's time.
func (w *world) Next(context.Context) (ids.ID, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last = max(w.last+1, ids.At(w.now))
	return w.last, nil
}

func (w *world) open(opts kit.Options) *kit.Kit {
	w.t.Helper()
	opts.Names, opts.Now = w.Tables, w.Now
	k, err := kit.New(w.DB, w, &opts)
	require.NoError(w.t, err)
	return k
}

// rings are the options of a kit whose users get mail about posts, every hour.
func rings(opts kit.Options) kit.Options {
	opts.Prefs.Channels = []string{"mail"}
	opts.Prefs.Verbs = []prefs.Verb{{Name: "post", Channels: []string{"mail"}}}
	opts.Digest.ScheduleOf = func(context.Context, string, string) (digest.Schedule, error) {
		return digest.Schedule{Every: time.Hour}, nil
	}
	return opts
}

// event is a post by an actor, about an object of its own.
func (w *world) event(user string, actor feed.Ref) notify.Notification {
	id, _ := w.Next(w.t.Context())
	return notify.Notification{User: user, Activity: feed.Activity{
		ID: id, Actor: actor, Verb: "post", Object: feed.Ref{Kind: "photo", ID: id.String()},
	}}
}

func (w *world) notify(k *kit.Kit, n notify.Notification) {
	w.t.Helper()
	_, _, err := k.Bell.Notify(w.t.Context(), n)
	require.NoError(w.t, err)
}

// bell is how many entries a user's bell has.
func (w *world) bell(k *kit.Kit, user string) int {
	w.t.Helper()
	page, err := k.Bell.List(w.t.Context(), notify.Reader{User: user, Audiences: []string{"all"}}, first)
	require.NoError(w.t, err)
	return len(page.Items)
}

// sent keeps digests.
type sent struct {
	mu   sync.Mutex
	all  []digest.Digest
	fail error
}

func (s *sent) Send(_ context.Context, d digest.Digest) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fail != nil {
		return s.fail
	}
	s.all = append(s.all, d)
	return nil
}

// ended keeps the periods that ended.
type ended struct {
	mu   sync.Mutex
	keys []string
}

func (e *ended) add(_ context.Context, p leaderboard.Ended) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.keys = append(e.keys, p.Key)
	return nil
}
