package seed

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/examples/pinboard/art"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/feed/comment"
	"github.com/plaza-sdk/plaza/feed/reaction"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/leaderboard"
	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/notify/message"
	"github.com/plaza-sdk/plaza/plazatest"
)

var small = size{
	people: 10, pictures: faults.Size(30, 20), repins: faults.Size(12, 8), likes: faults.Size(90, 60), comments: faults.Size(40, 30),
}

// world is a database and what the seed writes to.
type world struct {
	Repositories
	env      *plazatest.Env
	reported map[string]map[string]bool // who reported an object
}

func newWorld(t *testing.T, wrap ...func(aws.HTTPClient) aws.HTTPClient) world {
	t.Helper()
	env := plazatest.Start(t, &plazatest.Options{Wrap: wrap, Price: func(context.Context) bool { return false }})
	w := world{env: env, reported: map[string]map[string]bool{}}
	gen, err := ids.New(1, nil)
	require.NoError(t, err)
	db, names := env.DB, env.Tables
	w.Follows, err = follow.New(db, names.Follow, gen, nil)
	require.NoError(t, err)
	w.Feeds, err = feed.New(db, names.Feed, gen, w.Follows, &feed.Options{About: func(a feed.Activity) feed.Ref { return a.Object }, Consistent: true})
	require.NoError(t, err)
	w.Comments, err = comment.New(db, names.Comment, gen, &comment.Options{Consistent: true})
	require.NoError(t, err)
	w.Reactions, err = reaction.New(db, names.Reaction, gen, &reaction.Options{Kinds: []string{"like", "report"}, Consistent: true})
	require.NoError(t, err)
	w.Boards = func(now func() time.Time) (*leaderboard.Repository, error) {
		return leaderboard.New(db, names.Leaderboard, gen, &leaderboard.Options{Now: now, Parallel: 16, Consistent: true})
	}
	w.Messages = func(gen ids.Source, now func() time.Time) (*message.Repository, error) {
		return message.New(db, names.Message, gen, &message.Options{Now: now, Consistent: true})
	}
	w.Bells = func(gen ids.Source, now func() time.Time) (*notify.Repository, error) {
		return notify.New(db, names.Notify, gen, &notify.Options{Now: now, Consistent: true})
	}
	w.Report = func(_ context.Context, r reaction.Reaction, _ string) error {
		if w.reported[r.Object] == nil {
			w.reported[r.Object] = map[string]bool{}
		}
		w.reported[r.Object][r.User] = true
		return nil
	}
	boards, err := w.Boards(time.Now)
	require.NoError(t, err)
	_, err = boards.Define(t.Context(), leaderboard.Board{Name: Board, Operator: leaderboard.Increment, Cron: "@weekly"})
	require.NoError(t, err)
	return w
}

func TestASeedIsWhatItsPlanSays(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	now := time.Now()
	require.NoError(t, run(t.Context(), w.Repositories, now, small, func(string) {}))
	w.isAsPlanned(t, now)
}

func (w world) isAsPlanned(t *testing.T, now time.Time) {
	t.Helper()
	p, err := newPlan(now.UTC().Truncate(time.Minute), small)
	require.NoError(t, err)

	t.Run("people follow", func(t *testing.T) {
		following := tally(p.follows, func(e follow.Edge) string { return e.Follower })
		for _, m := range p.members {
			counts, err := w.Follows.Counts(t.Context(), m.ID)
			require.NoError(t, err)
			assert.EqualValues(t, following[m.ID], counts.Following, m.ID)
			drift, err := w.Follows.Check(t.Context(), m.ID)
			require.NoError(t, err)
			assert.Zero(t, drift)
		}
	})
	t.Run("moderators have what was reported", func(t *testing.T) {
		assert.NotEmpty(t, w.reported)
		for object, people := range w.reported {
			counts, err := w.Reactions.Counts(t.Context(), object)
			require.NoError(t, err)
			assert.EqualValues(t, len(people), counts["report"], object)
		}
	})
	t.Run("homes show the newest first", func(t *testing.T) {
		for _, reader := range known {
			shown := list(t, w.Feeds.Home(reader).List)
			assert.True(t, slices.IsSortedFunc(shown, func(a, b feed.Activity) int { return cmp.Compare(b.ID, a.ID) }), reader)
			assert.NotEmpty(t, shown)
			assert.Equal(t, p.home(reader), objects(shown), reader)
		}
	})
	t.Run("outboxes have the pins", func(t *testing.T) {
		pins := map[string]int{}
		for _, pic := range p.pictures {
			for _, box := range []string{p.members[pic.owner].ID, "tag:" + pic.tag, "board:" + pic.board.ID()} {
				pins[box]++
			}
			assert.Equal(t, pic.tag, art.TagOf(pic.ID))
		}
		for _, r := range p.repins {
			pins[p.members[r.by].ID]++
			pins["board:"+r.board.ID()]++
		}
		for box, n := range pins {
			assert.Len(t, list(t, w.Feeds.Outbox(box).List), n, box)
		}
		for _, m := range p.members {
			opened := list(t, w.Feeds.Outbox("boards:"+m.ID).List)
			assert.Len(t, opened, len(m.boards))
			for _, b := range opened {
				assert.Positive(t, pins["board:"+b.Object.ID], b.Object.ID)
				assert.Equal(t, []string{b.Object.String()}, objects(list(t, w.Feeds.Outbox("about:"+b.Object.ID).List)))
			}
		}
	})
	t.Run("likes count", func(t *testing.T) {
		for object, n := range tally(p.likes, func(l like) string { return l.object }) {
			counts, err := w.Reactions.Counts(t.Context(), object)
			require.NoError(t, err)
			assert.EqualValues(t, n, counts["like"], object)
		}
	})
	t.Run("comments count", func(t *testing.T) {
		for _, th := range p.threads {
			counts, err := w.Comments.Counts(t.Context(), "picture:"+p.pictures[th.picture].ID)
			require.NoError(t, err)
			if th.hidden == 0 {
				assert.EqualValues(t, len(th.comments), counts.All)
			}
		}
	})
	t.Run("players have a point for each like", func(t *testing.T) {
		boards, err := w.Boards(time.Now)
		require.NoError(t, err)
		points := int64(0)
		for _, m := range p.members {
			entries, err := boards.ByPlayer(t.Context(), m.ID, cursor.PageRequest{Limit: 100})
			require.NoError(t, err)
			for _, e := range entries.Items {
				points += e.Score.Int64()
			}
		}
		assert.EqualValues(t, len(p.recentLikes()), points)
		assert.Positive(t, points)
	})
	t.Run("conversations and bells are of the past", func(t *testing.T) {
		gen, err := ids.New(2, nil)
		require.NoError(t, err)
		messages, err := w.Messages(gen, time.Now)
		require.NoError(t, err)
		inbox, err := messages.Inbox(t.Context(), "ann", cursor.PageRequest{})
		require.NoError(t, err)
		assert.Len(t, inbox.Items, 4)
		for _, e := range inbox.Items {
			assert.True(t, e.Last.ID.Time().Before(now), e.Conversation)
		}
		unread, err := messages.Unread(t.Context(), "ann")
		require.NoError(t, err)
		assert.EqualValues(t, 4, unread.Messages)
		bells, err := w.Bells(gen, time.Now)
		require.NoError(t, err)
		for _, user := range known {
			events, err := p.events(user)
			require.NoError(t, err)
			groups, fresh := map[string]bool{}, map[string]bool{} // of one verb, about one thing, on one day
			for _, n := range events {
				at := n.Activity.ID.Time()
				group := fmt.Sprint(n.Activity.Verb, n.Activity.Object, at.Truncate(24*time.Hour))
				groups[group] = true
				if !at.Before(p.anchor.Add(-12 * time.Hour)) {
					fresh[group] = true
				}
			}
			unseen, err := bells.Unseen(t.Context(), notify.Reader{User: user})
			require.NoError(t, err)
			assert.Equal(t, len(fresh), unseen.N, user)
			page, err := bells.List(t.Context(), notify.Reader{User: user}, cursor.PageRequest{Limit: 100})
			require.NoError(t, err)
			assert.Len(t, page.Items, len(groups), user)
			for _, e := range page.Items {
				assert.False(t, e.Last.Time().After(now), "%s: %s", user, e.Activity.Verb)
			}
		}
	})
}

// home is what a reader's home shows of a plan, newest first: of each picture the first pin
// that came by somebody or something that the reader follows.
func (p *plan) home(reader string) []string {
	follows := map[string]bool{}
	for _, e := range p.follows {
		follows[e.Followee] = e.Follower == reader || follows[e.Followee]
	}
	type pin struct {
		id     ids.ID
		object string
	}
	first := map[string]ids.ID{}
	add := func(by string, id ids.ID, object string, to ...string) {
		came := follows[by] || slices.ContainsFunc(to, func(s string) bool { return follows[s] })
		if old, ok := first[object]; came && (!ok || id < old) {
			first[object] = id
		}
	}
	for _, pic := range p.pictures {
		add(p.members[pic.owner].ID, pic.pin, "picture:"+pic.ID, "board:"+pic.board.ID(), "tag:"+pic.tag)
	}
	for _, r := range p.repins {
		add(p.members[r.by].ID, r.pin, "picture:"+p.pictures[r.picture].ID, "board:"+r.board.ID())
	}
	var pins []pin
	for object, id := range first {
		pins = append(pins, pin{id, object})
	}
	slices.SortFunc(pins, func(a, b pin) int { return cmp.Compare(b.id, a.id) })
	shown := make([]string, len(pins))
	for i, one := range pins {
		shown[i] = one.object
	}
	return shown
}

func TestAnInterruptedSeedIsCompletedByTheNext(t *testing.T) {
	if !faults.Full() {
		t.Skip("by default one seed is written")
	}
	t.Parallel()
	const whole = 1 << 40
	fuse, now := &fuse{}, time.Now()
	fuse.left.Store(whole)
	w := newWorld(t, func(next aws.HTTPClient) aws.HTTPClient { fuse.next = next; return fuse })
	began, cut := now, 0
	for requests := int64(100); ; requests *= 2 {
		fuse.left.Store(requests)
		err := run(t.Context(), w.Repositories, began, small, func(string) {})
		if err == nil {
			break
		}
		require.ErrorIs(t, err, errBlown, "after %d requests", requests)
		began = now.Add(time.Hour) // a later run goes on with the time of the first
		cut++
	}
	require.Greater(t, cut, 2)
	fuse.left.Store(whole)
	deliver(t, w.Feeds)
	w.isAsPlanned(t, now)

	before := w.env.Meter.Total().Requests
	require.NoError(t, run(t.Context(), w.Repositories, now.Add(48*time.Hour), small, func(string) {}))
	assert.LessOrEqual(t, w.env.Meter.Total().Requests-before, 2, "nothing is left to do")
}

func TestAPlanIsTheSameForItsAnchor(t *testing.T) {
	anchor := time.Date(2026, 3, 2, 8, 30, 0, 0, time.UTC)
	one, err := newPlan(anchor, small)
	require.NoError(t, err)
	other, err := newPlan(anchor, small)
	require.NoError(t, err)
	assert.Equal(t, one.pictures, other.pictures)
	assert.Equal(t, one.likes, other.likes)
	assert.Equal(t, one.threads, other.threads)
	assert.Equal(t, one.follows, other.follows)
	for id := range one.used {
		assert.False(t, id.Time().After(anchor), id)
	}
}

func TestAFullPlanHasTheShapeOfACommunity(t *testing.T) {
	p, err := newPlan(time.Date(2026, 3, 2, 8, 30, 0, 0, time.UTC), full)
	require.NoError(t, err)
	assert.Len(t, p.members, 200)
	assert.Len(t, p.pictures, 2000)
	followers := tally(p.follows, func(e follow.Edge) string { return e.Followee })
	for _, id := range known {
		assert.Greater(t, followers[id], 20, id)
	}
	for _, m := range p.members {
		assert.True(t, len(m.follows) >= 4 && len(m.follows) <= 60, m.ID)
		assert.True(t, len(m.boards) >= 1 && len(m.boards) <= 3, m.ID)
	}
	assert.Contains(t, p.members[1].boards, board{"eric", "Places to Visit"})
	assert.Equal(t, "eric.places-to-visit", board{"eric", "Places to Visit"}.ID())
	likes := tally(p.likes, func(l like) int { return l.picture })
	delete(likes, -1)
	assert.Greater(t, slices.Max(slices.Collect(maps.Values(likes))), 15*full.likes/full.pictures, "a few pictures have most of the likes")
	assert.Greater(t, len(likes), full.pictures/4, "many have some")
	quotes, replies, pinned := 0, 0, 0
	for _, th := range p.threads {
		if th.pinned != 0 {
			pinned++
		}
		for _, c := range th.comments {
			if c.Quote != nil {
				quotes++
			}
			if c.Root != 0 {
				replies++
			}
		}
	}
	boards := map[board]bool{}
	for _, m := range p.members {
		for _, b := range m.boards {
			boards[b] = true
		}
	}
	for _, pic := range p.pictures {
		delete(boards, pic.board)
	}
	for _, r := range p.repins {
		delete(boards, r.board)
	}
	assert.Empty(t, boards, "no board is empty")
	assert.Greater(t, replies, full.comments/10)
	assert.Greater(t, quotes, 10)
	assert.Greater(t, pinned, 10)
}

var errBlown = errors.New("the fuse has blown")

// fuse fails every request once some were sent.
type fuse struct {
	next aws.HTTPClient
	left atomic.Int64
}

func (f *fuse) Do(r *http.Request) (*http.Response, error) {
	if f.left.Add(-1) < 0 {
		return nil, blown{}
	}
	return f.next.Do(r)
}

// blown is errBlown, which the SDK does not repeat.
type blown struct{}

func (blown) Error() string        { return errBlown.Error() }
func (blown) Unwrap() error        { return errBlown }
func (blown) RetryableError() bool { return false }

// tally counts the elements with each key.
func tally[T any, K comparable](all []T, key func(T) K) map[K]int {
	counts := map[K]int{}
	for _, one := range all {
		counts[key(one)]++
	}
	return counts
}

func list(t *testing.T, read func(context.Context, cursor.PageRequest) (cursor.Page[feed.Activity], error)) []feed.Activity {
	t.Helper()
	var all []feed.Activity
	for a, err := range cursor.All(t.Context(), read) {
		require.NoError(t, err)
		all = append(all, a)
	}
	return all
}

func objects(as []feed.Activity) []string {
	names := make([]string, len(as))
	for i, a := range as {
		names[i] = a.Object.String()
	}
	return names
}

// deliver finishes what an interruption left.
func deliver(t *testing.T, feeds *feed.Repository) {
	t.Helper()
	for more := 1; more > 0; {
		var err error
		more, err = feeds.Deliver(t.Context())
		require.NoError(t, err)
	}
}
