package seed

import (
	"cmp"
	"context"
	"errors"
	"fmt"
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
	env *plazatest.Env
}

func newWorld(t *testing.T, wrap ...func(aws.HTTPClient) aws.HTTPClient) world {
	t.Helper()
	env := plazatest.Start(t, &plazatest.Options{Wrap: wrap, Price: func(context.Context) bool { return false }})
	w := world{env: env}
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
	w.Report = func(context.Context, reaction.Reaction, string) error { return nil }
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
	reported := map[string]map[string]bool{} // who reported an object
	w.Report = func(_ context.Context, r reaction.Reaction, _ string) error {
		if reported[r.Object] == nil {
			reported[r.Object] = map[string]bool{}
		}
		reported[r.Object][r.User] = true
		return nil
	}
	require.NoError(t, run(t.Context(), w.Repositories, now, small, func(string) {}))
	p, err := newPlan(now.UTC().Truncate(time.Minute), small)
	require.NoError(t, err)

	t.Run("people follow", func(t *testing.T) {
		following := map[string]int64{}
		for _, e := range p.follows {
			following[e.Follower]++
		}
		for _, m := range p.members {
			counts, err := w.Follows.Counts(t.Context(), m.ID)
			require.NoError(t, err)
			assert.Equal(t, following[m.ID], counts.Following, m.ID)
			drift, err := w.Follows.Check(t.Context(), m.ID)
			require.NoError(t, err)
			assert.Zero(t, drift)
		}
	})
	t.Run("moderators have what was reported", func(t *testing.T) {
		assert.NotEmpty(t, reported)
		for object, people := range reported {
			counts, err := w.Reactions.Counts(t.Context(), object)
			require.NoError(t, err)
			assert.EqualValues(t, len(people), counts["report"], object)
		}
	})
	t.Run("homes show the newest first", func(t *testing.T) {
		for _, reader := range known {
			shown := list(t, w.Feeds.Home(reader).List)
			assert.NotEmpty(t, shown)
			assert.True(t, slices.IsSortedFunc(shown, func(a, b feed.Activity) int { return cmp.Compare(b.ID, a.ID) }), reader)
			assert.Equal(t, p.home(reader), objects(shown), reader)
		}
	})
	t.Run("outboxes have the pins", func(t *testing.T) {
		pins, tags, boards := map[string]int{}, map[string]int{}, map[string]int{}
		for _, pic := range p.pictures {
			pins[p.members[pic.owner].ID]++
			tags[pic.tag]++
			boards[pic.board.ID()]++
			assert.Equal(t, pic.tag, art.TagOf(pic.ID))
		}
		for _, r := range p.repins {
			pins[p.members[r.by].ID]++
			boards[r.board.ID()]++
		}
		for who, n := range pins {
			assert.Len(t, list(t, w.Feeds.Outbox(who).List), n)
		}
		for tag, n := range tags {
			assert.Len(t, list(t, w.Feeds.Outbox("tag:"+tag).List), n)
		}
		for board, n := range boards {
			assert.Len(t, list(t, w.Feeds.Outbox("board:"+board).List), n)
		}
		for _, m := range p.members {
			opened := list(t, w.Feeds.Outbox("boards:"+m.ID).List)
			assert.Len(t, opened, len(m.boards))
			for _, b := range opened {
				assert.Positive(t, boards[b.Object.ID], b.Object.ID)
				assert.Equal(t, []string{b.Object.String()}, objects(list(t, w.Feeds.Outbox("about:"+b.Object.ID).List)))
			}
		}
	})
	t.Run("likes count", func(t *testing.T) {
		likes := map[string]int64{}
		for _, l := range p.likes {
			likes[l.object]++
		}
		for object, n := range likes {
			counts, err := w.Reactions.Counts(t.Context(), object)
			require.NoError(t, err)
			assert.Equal(t, n, counts["like"], object)
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
		for period, err := range cursor.All(t.Context(), func(ctx context.Context, req cursor.PageRequest) (cursor.Page[leaderboard.Period], error) {
			return boards.Periods(ctx, Board, req)
		}) {
			require.NoError(t, err)
			in := leaderboard.In{Board: Board, Period: period.Name}
			for s, err := range cursor.All(t.Context(), func(ctx context.Context, req cursor.PageRequest) (cursor.Page[leaderboard.Standing], error) {
				return boards.Top(ctx, in, req)
			}) {
				require.NoError(t, err)
				points += s.Score.Int64()
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
	whole, now := newWorld(t), time.Now()
	require.NoError(t, run(t.Context(), whole.Repositories, now, small, func(string) {}))

	fuse := &fuse{}
	fuse.left.Store(1 << 40)
	broken := newWorld(t, func(next aws.HTTPClient) aws.HTTPClient { fuse.next = next; return fuse })
	requests := whole.env.Meter.Total().Requests
	for _, percent := range []int{5, 20, 40, 60} {
		fuse.left.Store(int64(requests * percent / 100))
		require.ErrorIs(t, run(t.Context(), broken.Repositories, now, small, func(string) {}), errBlown, "after %d of %d requests", requests*percent/100, requests)
	}
	fuse.left.Store(1 << 40)
	require.NoError(t, run(t.Context(), broken.Repositories, now.Add(time.Hour), small, func(string) {}), "a later run goes on with the time of the first")
	deliver(t, broken.Feeds)
	assert.Equal(t, whole.state(t, now), broken.state(t, now))

	before := broken.env.Meter.Total().Requests
	require.NoError(t, run(t.Context(), broken.Repositories, now.Add(48*time.Hour), small, func(string) {}))
	assert.LessOrEqual(t, broken.env.Meter.Total().Requests-before, 2, "nothing is left to do")
}

// state is what a seed wrote, as texts.
func (w world) state(t *testing.T, now time.Time) []string {
	t.Helper()
	p, err := newPlan(now.UTC().Truncate(time.Minute), small)
	require.NoError(t, err)
	var all []string
	note := func(what string, value any, err error) {
		require.NoError(t, err)
		all = append(all, fmt.Sprintf("%s: %v", what, value))
	}
	gen, err := ids.New(3, nil)
	require.NoError(t, err)
	messages, err := w.Messages(gen, time.Now)
	require.NoError(t, err)
	bells, err := w.Bells(gen, time.Now)
	require.NoError(t, err)
	boards, err := w.Boards(time.Now)
	require.NoError(t, err)
	for _, m := range p.members {
		counts, err := w.Follows.Counts(t.Context(), m.ID)
		note("follows", counts, err)
		note("home", objects(list(t, w.Feeds.Home(m.ID).List)), nil)
		note("outbox", objects(list(t, w.Feeds.Outbox(m.ID).List)), nil)
		unread, err := messages.Unread(t.Context(), m.ID)
		note("unread", unread, err)
		page, err := bells.List(t.Context(), notify.Reader{User: m.ID}, cursor.PageRequest{})
		for i := range page.Items {
			e := &page.Items[i]
			note("bell", []any{e.Group, e.Activity.ID, e.N}, nil)
		}
		note("bell", len(page.Items), err)
		entries, err := boards.ByPlayer(t.Context(), m.ID, cursor.PageRequest{})
		note("points", entries.Items, err)
	}
	for _, pic := range p.pictures {
		likes, err := w.Reactions.Counts(t.Context(), "picture:"+pic.ID)
		note("likes", likes, err)
		comments, err := w.Comments.Counts(t.Context(), "picture:"+pic.ID)
		note("comments", comments, err)
	}
	return all
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
	followers := map[string]int{}
	for _, e := range p.follows {
		followers[e.Followee]++
	}
	for _, id := range known {
		assert.Greater(t, followers[id], 20, id)
	}
	for _, m := range p.members {
		assert.True(t, len(m.follows) >= 4 && len(m.follows) <= 60, m.ID)
		assert.True(t, len(m.boards) >= 1 && len(m.boards) <= 3, m.ID)
	}
	assert.Contains(t, p.members[1].boards, board{"eric", "Places to Visit"})
	assert.Equal(t, "eric.places-to-visit", board{"eric", "Places to Visit"}.ID())
	likes := map[int]int{}
	for _, l := range p.likes {
		likes[l.picture]++
	}
	delete(likes, -1)
	most := 0
	for _, n := range likes {
		most = max(most, n)
	}
	assert.Greater(t, most, 15*full.likes/full.pictures, "a few pictures have most of the likes")
	assert.Greater(t, len(likes), full.pictures/4, "many have some")
	quotes, replies, pinned := 0, 0, 0
	for _, t := range p.threads {
		if t.pinned != 0 {
			pinned++
		}
		for _, c := range t.comments {
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
