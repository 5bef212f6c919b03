package comment_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed/comment"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/pagetest"
)

// likes are counts that an application keeps elsewhere.
type likes struct {
	mu sync.Mutex
	n  map[ids.ID]int64
}

func (l *likes) score(_ context.Context, at comment.Address) (int64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.n[at.ID], nil
}

func (l *likes) set(id ids.ID, n int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.n[id] = n
}

func (l *likes) add(id ids.ID, n int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.n[id] += n
}

func newScored(t *testing.T, wrap ...wrapper) (world, *likes) {
	l := &likes{n: map[ids.ID]int64{}}
	return newWorld(t, &comment.Options{Consistent: true, Score: l.score}, wrap...), l
}

func (w world) top(object string) lister {
	return func(ctx ctx, req cursor.PageRequest) (cursor.Page[comment.Comment], error) {
		return w.Top(ctx, object, req)
	}
}

// requireTop compares Top with the likes.
func (w world) requireTop(t *testing.T, l *likes, cs []comment.Comment) {
	t.Helper()
	want := idsOf(cs)
	slices.SortFunc(want, func(a, b ids.ID) int {
		if l.n[a] != l.n[b] {
			if l.n[a] > l.n[b] {
				return -1
			}
			return 1
		}
		return int(int64(b - a))
	})
	require.Equal(t, want, idsOf(pagetest.All(t, w.top("bird"), 3)))

	// Then back to the first page.
	page, err := w.Top(t.Context(), "bird", cursor.PageRequest{Limit: len(want) - 1})
	require.NoError(t, err)
	if page.Next != "" {
		last, err := w.Top(t.Context(), "bird", cursor.PageRequest{Cursor: page.Next})
		require.NoError(t, err)
		back, err := w.Top(t.Context(), "bird", cursor.PageRequest{Cursor: last.Prev})
		require.NoError(t, err)
		require.Equal(t, page.Items, back.Items)
	}
}

func TestTopIsByScoreThenNewest(t *testing.T) {
	t.Parallel()
	w, l := newScored(t)
	var cs []comment.Comment
	for range 10 {
		cs = append(cs, w.says(t, "ann", "bird"))
	}
	w.requireTop(t, l, cs)
	for i, n := range []int64{0, -1, 1, 7, 7, math.MaxInt64, math.MinInt64, -100, 16, 15} {
		l.set(cs[i].ID, n)
		moved, err := w.UpdateScore(t.Context(), cs[i].Address())
		require.NoError(t, err)
		require.Equal(t, n != 0, moved)
		moved, err = w.UpdateScore(t.Context(), cs[i].Address())
		require.NoError(t, err)
		require.False(t, moved)
	}
	w.requireTop(t, l, cs)

	w.hide(t, cs[3])
	w.delete(t, cs[5])
	w.replies(t, "bob", cs[8])
	w.delete(t, cs[8])
	w.requireTop(t, l, slices.Concat(cs[:3], cs[4:5], cs[6:8], cs[9:]))
	w.unhide(t, cs[3])
	w.requireTop(t, l, slices.Concat(cs[:5], cs[6:8], cs[9:]))
	require.Len(t, w.places(t), 8, "removed comments have no place")

	for c, want := range map[ids.ID]error{cs[5].ID: plaza.ErrNotFound, cs[8].ID: plaza.ErrRemoved, w.id(t): plaza.ErrNotFound} {
		_, err := w.UpdateScore(t.Context(), comment.Address{Object: "bird", ID: c})
		require.ErrorIs(t, err, want)
	}
}

// places are the rows of Top.
func (w world) places(t *testing.T) []any {
	t.Helper()
	var places []any
	for _, i := range w.state(t) {
		if i["pk"] == "S#bird" {
			places = append(places, i["sk"])
		}
	}
	return places
}

func TestACommentOlderThanScoresGetsAPlaceUntilItIsRemoved(t *testing.T) {
	t.Parallel()
	plain := newWorld(t, nil)
	old := plain.says(t, "ann", "bird")
	l := &likes{n: map[ids.ID]int64{}}
	w := plain.process(t, &comment.Options{Consistent: true, Score: l.score})
	require.Empty(t, pagetest.All(t, w.top("bird"), 5))
	moved, err := w.UpdateScore(t.Context(), old.Address())
	require.NoError(t, err)
	require.True(t, moved)
	w.requireTop(t, l, []comment.Comment{old})
	boom := errors.New("boom")
	failing := plain.process(t, &comment.Options{Score: func(context.Context, comment.Address) (int64, error) { return 0, boom }})
	require.ErrorIs(t, failed(failing.UpdateScore(t.Context(), old.Address())), boom)

	// A process without scores removes it while its score changes.
	late := plain.interrupted(t, func() {
		l.set(old.ID, 5)
		require.NoError(t, failed(w.UpdateScore(t.Context(), old.Address())))
	})
	late.delete(t, old)
	require.Empty(t, w.places(t))
}

func TestTopIsExactOnceScoresStopChanging(t *testing.T) {
	t.Parallel()
	in := faults.New(t, 1, faults.Standard)
	w, l := newScored(t, in.Wrap)
	var cs []comment.Comment
	for range 4 {
		c := comment.Comment{Object: "bird", User: "ann", Text: "hello", ID: w.id(t)}
		require.NoError(t, failed(settled(func() error { return failed(w.Add(t.Context(), c)) })))
		cs = append(cs, c)
	}
	var group errgroup.Group
	for seed := range faults.Seeds(6) {
		random := rand.New(rand.NewPCG(seed, 3))
		group.Go(func() error {
			for range faults.Size(25, 15) {
				c := cs[random.IntN(len(cs))]
				l.add(c.ID, random.Int64N(5)-2)
				if _, err := settled(func() error { return failed(w.UpdateScore(t.Context(), c.Address())) }); err != nil {
					return err
				}
			}
			return nil
		})
	}
	require.NoError(t, group.Wait())
	in.Off()
	require.Len(t, w.places(t), len(cs), "one place each")
	w.requireTop(t, l, cs)
}

// TestUpdateScoreAsksAgainAfterAConcurrentChange calls UpdateScore between
// another one's call of Score and its write.
func TestUpdateScoreAsksAgainAfterAConcurrentChange(t *testing.T) {
	t.Parallel()
	l := &likes{n: map[ids.ID]int64{}}
	var between func()
	w := newWorld(t, &comment.Options{Consistent: true, Score: func(ctx context.Context, at comment.Address) (int64, error) {
		n, err := l.score(ctx, at)
		if f := between; f != nil {
			between = nil
			f()
		}
		return n, err
	}})
	unplaced := w.process(t, nil).says(t, "ann", "bird")
	c := w.says(t, "ann", "bird")
	other := w.says(t, "ann", "bird")
	l.set(unplaced.ID, 5)
	between = func() {
		l.set(unplaced.ID, 7)
		moved, err := w.UpdateScore(t.Context(), unplaced.Address())
		require.NoError(t, err)
		require.True(t, moved)
		l.set(unplaced.ID, 9)
	}
	_, err := w.UpdateScore(t.Context(), unplaced.Address())
	require.NoError(t, err)
	l.set(c.ID, 5)
	between = func() {
		l.set(c.ID, 0) // the stored score: this UpdateScore writes nothing
		moved, err := w.UpdateScore(t.Context(), c.Address())
		require.NoError(t, err)
		require.False(t, moved)
	}
	_, err = w.UpdateScore(t.Context(), c.Address())
	require.NoError(t, err)
	w.requireTop(t, l, []comment.Comment{unplaced, c, other})
	l.set(other.ID, 5)
	between = func() { w.delete(t, other) }
	_, err = w.UpdateScore(t.Context(), other.Address())
	require.ErrorIs(t, err, plaza.ErrNotFound)
	require.Len(t, w.places(t), 2)
}
