package like_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/feed/like"
	"github.com/plaza-sdk/plaza/feed/reaction"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/streamtest"
	"github.com/plaza-sdk/plaza/leaderboard"
	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/stream"
)

func TestMain(m *testing.M) { faults.Main(m) }

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

func (c *clock) Next(context.Context) (ids.ID, error) {
	return ids.At(c.Now()) + ids.ID(c.ids.Add(1)), nil
}

// world has the tables, and the records of the reactions' stream.
type world struct {
	process
	*clock
	reactionTable, boardTable, bellTable string

	tail *streamtest.Tail
	log  []stream.Record // all so far
	new  int             // how many of the log were delivered
}

// process has the repositories of one process.
type process struct {
	reactions *reaction.Repository
	boards    *leaderboard.Repository
	bell      *notify.Repository
	likes     *like.Likes
}

const (
	week = "week" // a point for each like
	all  = "all"  // the counts
)

func newWorld(t testing.TB) *world {
	t.Helper()
	w := &world{
		clock:         &clock{now: time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)},
		reactionTable: dynamotest.Table(t, streamtest.Streamed(reaction.Table)),
		boardTable:    dynamotest.Table(t, leaderboard.Table),
		bellTable:     dynamotest.Table(t, notify.Table),
	}
	w.process = w.open(t)
	var err error
	w.tail, err = streamtest.New(t.Context(), dynamotest.DB(t), w.reactionTable)
	require.NoError(t, err)
	zero := leaderboard.Int(0)
	for _, b := range []leaderboard.Board{
		{Name: week, Operator: leaderboard.Increment, Above: &zero, Cron: "@weekly"},
		{Name: all, Operator: leaderboard.Set, Above: &zero},
	} {
		_, err := w.boards.Define(t.Context(), b)
		require.NoError(t, err)
	}
	return w
}

func (w *world) open(t testing.TB, wrap ...func(aws.HTTPClient) aws.HTTPClient) process {
	t.Helper()
	db := dynamotest.DB(t, wrap...)
	var p process
	var err error
	p.reactions, err = reaction.New(db, w.reactionTable, w.clock, &reaction.Options{
		Kinds: []string{"like", "love", "wow"}, OneOf: [][]string{{"love", "wow"}}, Now: w.Now,
	})
	require.NoError(t, err)
	p.boards, err = leaderboard.New(db, w.boardTable, w.clock, &leaderboard.Options{Now: w.Now})
	require.NoError(t, err)
	p.bell, err = notify.New(db, w.bellTable, w.clock, &notify.Options{Now: w.Now, Consistent: true})
	require.NoError(t, err)
	p.likes, err = like.New(p.reactions, p.boards, p.bell, options())
	require.NoError(t, err)
	return p
}

// ownerOf is who owns "ben/photo".
func ownerOf(object string) string {
	owner, _, _ := strings.Cut(object, "/")
	return owner
}

func options() *like.Options {
	return &like.Options{
		Notification: func(_ context.Context, a reaction.Reaction) (notify.Notification, bool, error) {
			return notify.Notification{User: ownerOf(a.Object), CountBy: notify.ByActor, Activity: feed.Activity{
				Actor: feed.Ref{ID: a.User}, Verb: "like", Object: feed.Ref{Kind: "photo", ID: a.Object},
			}}, true, nil
		},
		Point: func(_ context.Context, a reaction.Reaction) (leaderboard.Submission, bool, error) {
			return leaderboard.Submission{Board: week, Player: a.Object, Score: leaderboard.Int(1)}, a.User != ownerOf(a.Object), nil
		},
		Entry: func(_ context.Context, object string, counts map[string]int64) (leaderboard.Projection, bool, error) {
			return leaderboard.Projection{Board: all, Player: object, Score: leaderboard.Int(counts["like"] + counts["love"] + counts["wow"])}, true, nil
		},
	}
}

// way is a way to like and to take back.
type way struct {
	react, unreact func(process, context.Context, reaction.Reaction) error
	streamed       bool
}

var ways = map[string]way{
	"inline":       {react: process.react, unreact: process.unreact},
	"side by side": {react: process.react, unreact: process.unreact, streamed: true},
	"by changes": {
		react: func(p process, ctx context.Context, a reaction.Reaction) error {
			_, _, err := p.reactions.React(ctx, a)
			return err
		},
		unreact: func(p process, ctx context.Context, a reaction.Reaction) error {
			_, err := p.reactions.Unreact(ctx, a)
			return err
		},
		streamed: true,
	},
}

func (p process) react(ctx context.Context, a reaction.Reaction) error {
	_, _, err := p.likes.React(ctx, a)
	return err
}

func (p process) unreact(ctx context.Context, a reaction.Reaction) error {
	_, err := p.likes.Unreact(ctx, a)
	return err
}

func (y way) do(ctx context.Context, p process, a reaction.Reaction, likes bool) error {
	if likes {
		return y.react(p, ctx, a)
	}
	return y.unreact(p, ctx, a)
}

// deliver lets p handle the new records, up to the first that fails.
func (w *world) deliver(t testing.TB, y way, p process) error {
	t.Helper()
	if !y.streamed {
		return nil
	}
	records, err := w.tail.Records(t.Context())
	require.NoError(t, err)
	for w.log = append(w.log, records...); w.new < len(w.log); w.new++ {
		if err := p.likes.Handle(t.Context(), w.log[w.new]); err != nil {
			return err
		}
	}
	return nil
}

// again delivers all records once more, in any order.
func (w *world) again(t testing.TB, random *rand.Rand) {
	t.Helper()
	for _, i := range random.Perm(len(w.log)) {
		require.NoError(t, w.likes.Handle(t.Context(), w.log[i]))
	}
	w.log, w.new = nil, 0
}

// agree requires that the boards and the bell have exactly the reactions of these users to
// an object, and returns who likes it.
func (w *world) agree(t testing.TB, object string, users ...string) (likers []string) {
	t.Helper()
	for _, user := range users {
		_, err := w.reactions.Get(t.Context(), liked(user, object))
		if err == nil {
			likers = append(likers, user)
		} else {
			require.ErrorIs(t, err, plaza.ErrNotFound)
		}
	}
	slices.Sort(likers)
	require.Equal(t, map[string]int{week: len(likers), all: len(likers)}, w.scores(t, object))
	require.Equal(t, likers, w.actors(t, object))
	return likers
}

// scores are those of an object on each board, 0 if it is not there.
func (w *world) scores(t testing.TB, object string) map[string]int {
	t.Helper()
	scores := map[string]int{}
	for _, board := range []string{week, all} {
		e, err := w.boards.Entry(t.Context(), leaderboard.In{Board: board}, object)
		if err != nil {
			require.ErrorIs(t, err, plaza.ErrNotFound)
		} else {
			require.Positive(t, e.Score.Int64(), "it is left out otherwise")
		}
		scores[board] = int(e.Score.Int64())
	}
	return scores
}

// actors are those of whose likes of an object the owner's bell has.
func (w *world) actors(t testing.TB, object string) (actors []string) {
	t.Helper()
	of := map[string]bool{}
	for _, e := range w.entries(t, ownerOf(object)) {
		if e.Activity.Object.ID == object {
			for _, a := range e.Actors {
				require.False(t, of[a.ID], "%s is in two groups", a.ID)
				of[a.ID] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(of))
}

func (w *world) entries(t testing.TB, user string) []notify.Entry {
	t.Helper()
	page, err := w.bell.List(t.Context(), notify.Reader{User: user}, cursor.PageRequest{Limit: 100})
	require.NoError(t, err)
	return page.Items
}

// see marks all as seen that the bell has.
func (w *world) see(t testing.TB, user string) {
	t.Helper()
	_, err := w.bell.MarkSeen(t.Context(), user, notify.See(w.entries(t, user)))
	require.NoError(t, err)
}

func (w *world) unseen(t testing.TB, user string) int {
	t.Helper()
	n, err := w.bell.Unseen(t.Context(), notify.Reader{User: user})
	require.NoError(t, err)
	return n.N
}

func liked(user, object string) reaction.Reaction {
	return reaction.Reaction{User: user, Object: object, Kind: "like"}
}

// photo is the i-th object, of an owner of its own.
func photo(i int) string { return fmt.Sprintf("owner %d/photo", i) }

// does likes ("l") and takes back ("u") inline.
func (w *world) does(t testing.TB, a reaction.Reaction, letters string) {
	w.all(t, "inline", a, letters)
}

// changes likes and takes back without what that causes.
func (w *world) changes(t testing.TB, a reaction.Reaction, letters string) {
	w.all(t, "by changes", a, letters)
}

func (w *world) all(t testing.TB, how string, a reaction.Reaction, letters string) {
	t.Helper()
	for _, c := range letters {
		require.NoError(t, ways[how].do(t.Context(), w.process, a, c == 'l'))
	}
}
