package digest_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/notify/digest"
)

var (
	_ notify.Scheduler = (*digest.Repository)(nil)
	_ digest.Groups    = (*notify.Repository)(nil)
)

// noon is the time at which every test begins.
var noon = time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)

const email = "email"

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

func (c *clock) set(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = now
}

func (c *clock) pass(d time.Duration) { c.set(c.Now().Add(d)) }

func (c *clock) id() ids.ID { return ids.At(c.Now()) + ids.ID(c.ids.Add(1)) }

func (c *clock) Next(context.Context) (ids.ID, error) { return c.id(), nil }

// world is a table, and what was sent from it.
type world struct {
	*clock
	*settings
	*mailbox
	table string
}

func newWorld(t testing.TB, s digest.Schedule) world {
	t.Helper()
	return world{
		table: dynamotest.Table(t, notify.Table), clock: &clock{now: noon},
		settings: &settings{byUser: map[string]digest.Schedule{"": s}}, mailbox: &mailbox{},
	}
}

// settings are the schedules of users.
type settings struct {
	mu     sync.Mutex
	byUser map[string]digest.Schedule // "" is for all others
	asked  int
}

func (s *settings) schedule(_ context.Context, user, _ string) (digest.Schedule, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	own, ok := s.byUser[user]
	if !ok {
		own = s.byUser[""]
	}
	return own, nil
}

func (s *settings) choose(user string, own digest.Schedule) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.byUser[user] = own
}

// mailbox is a Sender that keeps its deliveries.
type mailbox struct {
	mu   sync.Mutex
	sent []digest.Digest
}

func (m *mailbox) Send(_ context.Context, d digest.Digest) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sent = append(m.sent, d)
	return nil
}

func (m *mailbox) all() []digest.Digest {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.sent)
}

// objects are what was sent once by key, such as "1 2, 3" for two digests.
func (m *mailbox) objects(t testing.TB) string {
	t.Helper()
	var texts []string
	known := map[string]bool{}
	for _, d := range m.all() {
		if known[d.Key] {
			continue
		}
		known[d.Key] = true
		texts = append(texts, objectsOf(d))
	}
	return strings.Join(texts, ", ")
}

func objectsOf(d digest.Digest) string {
	var own []string
	for _, e := range slices.Backward(d.Entries) { // oldest first
		own = append(own, e.Activity.Object.ID)
	}
	return strings.Join(own, " ")
}

type wrapper = func(aws.HTTPClient) aws.HTTPClient

// process is one of a world's processes.
type process struct {
	world
	*notify.Repository
	digests *digest.Repository
	worker  *digest.Worker
}

// parts are what a process does not share with the world; nil means shared.
type parts struct {
	now      func() time.Time
	schedule func(context.Context, string, string) (digest.Schedule, error)
	sender   digest.Sender
	policy   notify.Policy
	opts     digest.Options
	worker   digest.WorkerOptions
	bell     notify.Options
}

func (w world) process(t testing.TB, p parts, wrap ...wrapper) process {
	t.Helper()
	if p.now == nil {
		p.now = w.Now
	}
	if p.schedule == nil {
		p.schedule = w.schedule
	}
	if p.sender == nil {
		p.sender = w.mailbox
	}
	if p.policy == nil {
		p.policy = channels{email}
	}
	p.opts.Now, p.opts.ScheduleOf = p.now, p.schedule
	db := dynamotest.DB(t, wrap...)
	digests, err := digest.New(db, w.table, &p.opts)
	require.NoError(t, err)
	p.bell.Policy, p.bell.Scheduler, p.bell.Consistent, p.bell.Now = p.policy, digests, true, p.now
	bell, err := notify.New(db, w.table, ahead{w.clock, p.now}, &p.bell)
	require.NoError(t, err)
	worker, err := digest.NewWorker(digests, bell, p.sender, &p.worker)
	require.NoError(t, err)
	return process{w, bell, digests, worker}
}

// ahead makes ids with a process's own clock.
type ahead struct {
	*clock
	own func() time.Time
}

func (a ahead) Next(context.Context) (ids.ID, error) {
	return ids.At(a.own()) + ids.ID(a.ids.Add(1)), nil
}

// channels is a Policy that wants everything on them.
type channels []string

func (c channels) Decide(context.Context, notify.Notification) (notify.Decision, error) {
	return notify.Decision{Channels: c}, nil
}

// post is a new comment on the user's post.
func (w world) post(user, id string) notify.Notification {
	return notify.Notification{User: user, Activity: feed.Activity{
		ID: w.id(), Actor: feed.Ref{ID: "zoe"}, Verb: "comment", Object: feed.Ref{Kind: "post", ID: id},
	}}
}

// notify stores comments on ann's posts.
func (p process) notify(t testing.TB, posts ...string) {
	t.Helper()
	for _, id := range posts {
		_, created, err := p.Notify(t.Context(), p.post("ann", id))
		require.NoError(t, err)
		require.True(t, created)
	}
}

// due plans digests for an event.
func (p process) due(ctx context.Context, user string, channels []string, at ids.ID) error {
	return errOf(p.digests.Schedule(ctx, user, channels, at))
}

// deliver delivers what is due.
func (p process) deliver(t testing.TB) (done int) {
	t.Helper()
	done, err := p.worker.Deliver(t.Context())
	require.NoError(t, err)
	return done
}

// until lets time pass to a time of this day or the next.
func (w world) until(t testing.TB, clock string) {
	t.Helper()
	at, err := time.Parse("15:04:05", clock)
	require.NoError(t, err)
	now := w.Now()
	next := now.Truncate(24 * time.Hour).Add(at.Sub(at.Truncate(24 * time.Hour)))
	if !next.After(now) {
		next = next.Add(24 * time.Hour)
	}
	w.set(next)
}

func (w world) raw(t testing.TB) dynamo.Table { return dynamotest.DB(t).Table(w.table) }

// job is a digest that is due, as it is stored.
type job struct {
	PK      string `dynamo:"pk"`
	SK      string `dynamo:"sk"`
	User    string `dynamo:"user"`
	Channel string `dynamo:"channel"`
	Begin   ids.ID `dynamo:"begin"`
	Slot    ids.ID `dynamo:"slot"`
	Tries   int    `dynamo:"tries"`
}

// jobs are those of all shards, in the order in which they are due.
func (w world) jobs(t testing.TB) (all []job) {
	t.Helper()
	require.NoError(t, w.raw(t).Scan().Consistent(true).Filter("begins_with(pk, ?)", "D#").All(t.Context(), &all))
	slices.SortFunc(all, func(a, b job) int { return strings.Compare(a.SK, b.SK) })
	return all
}

// errOf and errOf3 are a call's error, for calls whose other answers do not matter.
func errOf[A any](_ A, err error) error { return err }

func errOf3[A, B any](_ A, _ B, err error) error { return err }
