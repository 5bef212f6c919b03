package notify_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/notify"
)

var question = feed.Ref{Kind: "question", ID: "7"}

// audience is a world with people who follow things.
type audience struct {
	world
	*changes
	followTable string
}

func newAudience(t *testing.T, watchers int) audience {
	t.Helper()
	a := audience{followTable: dynamotest.Table(t, follow.Table)}
	a.world, a.changes = newStreamed(t, nil)
	a.world = a.process(t, nil)
	_, err := a.follows(t, nil).Import(t.Context(), question.String(), func(yield func(follow.Edge, error) bool) {
		for n := range watchers {
			if !yield(follow.Edge{Follower: watcher(n), Followee: question.String()}, nil) {
				return
			}
		}
	}, nil)
	require.NoError(t, err)
	return a
}

func watcher(n int) string { return fmt.Sprintf("w%03d", n) }

// graph has a few watchers on a page.
type graph struct {
	*follow.Repository
	page int
}

func (g graph) Walk(ctx context.Context, followee string, req cursor.PageRequest) (cursor.Page[follow.Edge], error) {
	req.Limit = min(req.Limit, g.page)
	return g.Repository.Walk(ctx, followee, req)
}

func (a audience) follows(t testing.TB, opts *follow.Options) *follow.Repository {
	t.Helper()
	follows, err := follow.New(dynamotest.DB(t), a.followTable, a.clock, opts)
	require.NoError(t, err)
	return follows
}

func (a audience) follow(t testing.TB, user string, object feed.Ref) {
	t.Helper()
	require.NoError(t, errOf3(a.follows(t, &follow.Options{Now: a.Now}).Follow(t.Context(), follow.Edge{Follower: user, Followee: object.String()})))
}

// process walks two watchers at a time, unless opts have another graph.
func (a audience) process(t testing.TB, opts *notify.Options, wrap ...wrapper) world {
	t.Helper()
	return a.skewed(t, 0, opts, wrap...)
}

// skewed is a process whose clock is ahead.
func (a audience) skewed(t testing.TB, by time.Duration, opts *notify.Options, wrap ...wrapper) world {
	t.Helper()
	o := notify.Options{Consistent: true}
	if opts != nil {
		o = *opts
	}
	if o.Watchers == nil {
		o.Watchers = graph{a.follows(t, nil), 2}
	}
	return a.world.skewed(t, by, &o, wrap...)
}

// answer is a new answer to the question.
func (w world) answer(actor string) notify.Notification {
	id := w.id()
	return notify.Notification{Activity: feed.Activity{
		ID: id, Actor: feed.Ref{ID: actor}, Verb: "answer", Object: feed.Ref{Kind: "answer", ID: id.String()}, Target: question,
		Data: []byte(`{"text":"because"}`),
	}}
}

func (w world) watchers(t testing.TB, n notify.Notification) {
	t.Helper()
	created, err := w.NotifyWatchers(t.Context(), question, n)
	require.NoError(t, err)
	require.True(t, created)
}

// deliverAll does what is due, and what was left by the dead.
func (a audience) deliverAll(t testing.TB) {
	t.Helper()
	for done := 1; done > 0 || len(a.jobs(t)) > 0; {
		a.pass(31 * time.Second)
		var err error
		done, err = a.process(t, nil).Deliver(t.Context())
		require.NoError(t, err)
	}
}

type job struct {
	PK     string `dynamo:"pk"`
	SK     string `dynamo:"sk"`
	Lease  int64  `dynamo:"lease"`
	User   string `dynamo:"user"`
	Cursor string `dynamo:"cursor"`
}

func (w world) jobs(t testing.TB) (jobs []job) {
	t.Helper()
	var all []job
	require.NoError(t, w.items(t).Scan().Consistent(true).All(t.Context(), &all))
	for _, j := range all {
		if strings.HasPrefix(j.PK, "J#") {
			jobs = append(jobs, j)
		}
	}
	return jobs
}

// notifiedOf fails unless each of the users has the activity once, and nobody else was
// notified of it. A worker that takes over may notify those of a page again.
func (a audience) notifiedOf(t testing.TB, id ids.ID, users ...string) {
	t.Helper()
	var got []string
	for _, c := range a.Next(t) {
		require.Equal(t, notify.Notified, c.Kind)
		require.Equal(t, id, c.Activity.ID)
		got = append(got, c.User)
	}
	slices.Sort(got)
	require.Equal(t, users, slices.Compact(got))
	for _, user := range users {
		groups := a.groups(t, user)
		require.Len(t, groups, 1)
		require.EqualValues(t, 1, groups[0].N)
	}
}

func watchersTo(n int) []string {
	users := make([]string, n)
	for i := range users {
		users[i] = watcher(i)
	}
	return users
}

// The policy drops it for one of them.
func TestWatchersAreNotifiedButNotTheActor(t *testing.T) {
	t.Parallel()
	a := newAudience(t, 5)
	a.follow(t, "zoe", question)
	a.follow(t, "eve", feed.Ref{Kind: "question", ID: "8"})
	n := a.answer("zoe")
	n.Activity.To = []string{"somebody"}
	a.watchers(t, n)
	require.Len(t, a.jobs(t), 1)
	var attempts []notify.Attempt
	delivered, err := a.process(t, &notify.Options{
		Policy:    byWatcher(func(user string) (notify.Decision, error) { return notify.Decision{Drop: user == watcher(4)}, nil }),
		OnAttempt: func(d notify.Attempt) { attempts = append(attempts, d) },
	}).Deliver(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, delivered)
	require.Equal(t, []notify.Attempt{{Object: question, ID: n.Activity.ID, Watchers: 6, Done: true}}, attempts)
	require.Empty(t, a.jobs(t))
	a.notifiedOf(t, n.Activity.ID, watchersTo(4)...)

	e := a.list(t, watcher(3))[0]
	n.Activity.To, n.Activity.Time = nil, n.Activity.ID.Time()
	require.Equal(t, n.Activity, e.Activity)
	delivered, err = a.Deliver(t.Context())
	require.NoError(t, err)
	require.Zero(t, delivered)
}

func TestARepeatOfWatchersIsHarmless(t *testing.T) {
	t.Parallel()
	a := newAudience(t, 3)
	n := a.answer("zoe")
	n.Activity.Data = []byte(`{"text":"<&>"}`)
	a.watchers(t, n)
	local := n
	local.Activity.Time = n.Activity.ID.Time().In(time.FixedZone("far", 3600))
	for _, repeat := range []notify.Notification{n, local} {
		created, err := a.NotifyWatchers(t.Context(), question, repeat)
		require.NoError(t, err)
		require.False(t, created)
	}
	for _, change := range []func(*notify.Notification){
		func(n *notify.Notification) { n.Activity.Verb = "like" },
		func(n *notify.Notification) { n.CountBy = notify.ByActor },
		func(n *notify.Notification) { n.Critical = true },
	} {
		other := n
		change(&other)
		created, err := a.NotifyWatchers(t.Context(), question, other)
		require.ErrorIs(t, err, plaza.ErrConflict)
		require.False(t, created)
	}
	a.deliverAll(t)
	a.notifiedOf(t, n.Activity.ID, watchersTo(3)...)

	a.pass(15 * time.Minute)
	a.watchers(t, n) // after its end it is another job
	require.NoError(t, errOf(a.Retract(t.Context(), withUser(n, watcher(1)))))
	require.Len(t, a.Next(t), 1)
	a.deliverAll(t)
	require.Empty(t, a.Next(t), "nobody is notified again, and what was retracted stays away")

	old := a.answer("zoe")
	old.Activity.ID = ids.At(a.Now().Add(-91 * 24 * time.Hour))
	created, err := a.NotifyWatchers(t.Context(), question, old)
	require.NoError(t, err)
	require.False(t, created)
	require.Empty(t, a.jobs(t))
}

func withUser(n notify.Notification, user string) notify.Notification {
	n.User = user
	return n
}
