package comment_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/feed/comment"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/calls/callstest"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/pagetest"
)

// requireFirst compares each thread's First with Replies.
func (w world) requireFirst(t testing.TB, object string) {
	t.Helper()
	for _, opts := range []*comment.ListOptions{nil, {WithHidden: true, Oldest: true}} {
		for _, thread := range pagetest.All(t, of(w.Threads, object, opts), 5) {
			var want []comment.Comment
			for _, reply := range pagetest.All(t, of(w.Replies, thread.Address(), &comment.ListOptions{Oldest: true, WithHidden: opts != nil}), 50) {
				if reply.Removed == nil && len(want) < 3 {
					want = append(want, reply)
				}
			}
			require.Equal(t, want, thread.First, "under %v, %+v", thread.ID, opts)
		}
	}
}

func TestFirstRepliesAreTheOldestThatStand(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	root := w.says(t, "ann", "bird")
	var replies []comment.Comment
	var left []ids.ID
	add := func(n int) {
		for range n {
			replies = append(replies, w.replies(t, "bob", root))
			left = append(left, replies[len(replies)-1].ID)
		}
	}
	shows := func(what string) {
		t.Helper()
		require.Equal(t, left[:min(len(left), 3)], idsOf(pagetest.All(t, of(w.Threads, "bird", nil), 5)[0].First), what)
	}
	add(12)
	shows("12 are added")
	for i := range replies {
		if i%2 == 0 {
			w.delete(t, replies[i])
		} else {
			w.hide(t, replies[i])
		}
		left = left[1:]
		shows("the first is gone")
	}
	for i := len(replies) - 1; i > 0; i -= 2 {
		w.unhide(t, replies[i])
		left = slices.Insert(left, 0, replies[i].ID)
		shows("one is back")
	}
	add(3)
	shows("others are added")
	older, err := ids.Backdate(time.Date(2010, 1, 1, 0, 0, 0, 0, time.UTC), "imported")
	require.NoError(t, err)
	w.add(t, comment.Comment{Object: "bird", Root: root.ID, ID: older, User: "ann"})
	left = slices.Insert(left, 0, older)
	shows("an older one is added")
	w.requireFirst(t, "bird")

	// Most replies of a long thread come after the first ones are gone.
	root, replies, left = w.says(t, "ann", "bird"), nil, nil
	add(4)
	for i := range 3 {
		w.delete(t, replies[i])
	}
	left = left[3:]
	add(faults.Size(9, 6)) // more than a root names
	for _, reply := range replies[3:] {
		shows("the first is deleted")
		w.delete(t, reply)
		left = left[1:]
	}
}

// randomThread makes random changes to the replies of one thread.
type randomThread struct {
	world
	root    comment.Comment
	replies []comment.Comment
	pick    func(n int) int
}

func (q *randomThread) step(t *testing.T) {
	t.Helper()
	if len(q.replies) < 4 || q.pick(4) == 0 {
		reply := comment.Comment{Object: q.root.Object, Root: q.root.ID, User: "bob", Text: "hello"}
		var err error
		if reply.ID, err = q.gen.Next(t.Context()); q.pick(4) == 0 { // with an older id
			reply.ID, err = ids.Backdate(today.Add(-time.Duration(1+q.pick(20))*time.Hour), fmt.Sprint(reply.ID))
		}
		require.NoError(t, err)
		require.NoError(t, failed(settled(func() error { return failed(q.Add(t.Context(), reply)) })))
		q.replies = append(q.replies, reply)
		return
	}
	slices.SortFunc(q.replies, func(a, b comment.Comment) int { return int(int64(a.ID - b.ID)) })
	reply := q.replies[min(q.pick(len(q.replies)), q.pick(len(q.replies)))] // prefers the first ones
	_, err := settled(func() error {
		var err error
		switch q.pick(5) {
		case 0, 1:
			_, err = q.Hide(t.Context(), reply.Address())
		case 2:
			_, err = q.Unhide(t.Context(), reply.Address())
		case 3:
			_, err = q.Delete(t.Context(), comment.Action{Address: reply.Address(), User: "bob"})
		case 4: // a tombstone
			answer := comment.Comment{Object: q.root.Object, Root: q.root.ID, Parent: reply.ID, User: "ann", Text: "why?", Key: reply.ID.String()}
			if _, _, err = q.Add(t.Context(), answer); err == nil {
				_, err = q.Remove(t.Context(), reply.Address(), comment.Removal{By: "eve"})
			}
		}
		return err
	})
	for _, expected := range []error{plaza.ErrNotFound, plaza.ErrRemoved, plaza.ErrConflict} {
		if err != nil && errors.Is(err, expected) {
			err = nil
		}
	}
	require.NoError(t, err)
}

// TestConcurrentChangesLeaveTheRightFirstReplies makes several processes change
// one thread under faults. The table's stream reports what is left.
func TestConcurrentChangesLeaveTheRightFirstReplies(t *testing.T) {
	t.Parallel()
	for seed := range faults.Seeds(15) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			w, changes := newStreamed(t, nil)
			root := w.says(t, "ann", "bird")
			var replies []comment.Comment
			for range 1 + seed%5 {
				replies = append(replies, w.replies(t, "bob", root))
			}
			var group errgroup.Group
			for n := range uint64(faults.Size(4, 3)) {
				in := faults.New(t, seed*4+n, harshness[seed%3])
				random := rand.New(rand.NewPCG(seed, n))
				q := &randomThread{world: w.process(t, nil, in.Wrap), root: root, replies: slices.Clone(replies), pick: random.IntN}
				group.Go(func() error {
					for range faults.Size(20, 7) {
						q.step(t)
					}
					return nil
				})
			}
			require.NoError(t, group.Wait())
			w.requireFirst(t, "bird")
			shown := map[comment.Address]comment.Comment{}
			visible := 0
			for _, c := range pagetest.All(t, of(w.Replies, root.Address(), &comment.ListOptions{WithHidden: true}), 50) {
				if c.Removed == nil {
					shown[c.Address()] = c
				}
				if c.Removed == nil && !c.Hidden {
					visible++
				}
			}
			require.EqualValues(t, visible, w.get(t, root).Replies)
			reported := replay(t, changes.Next(t))
			delete(reported, root.Address())
			require.Len(t, reported, len(shown))
			for at, c := range shown {
				require.Equal(t, c.Text, reported[at].Text)
				require.Equal(t, c.Hidden, reported[at].Hidden)
			}
		})
	}
}

// replay returns the comments that the changes leave.
func replay(t *testing.T, changes []comment.Change) map[comment.Address]comment.Comment {
	t.Helper()
	left, met := map[comment.Address]comment.Comment{}, map[comment.Address]bool{}
	for _, c := range changes {
		if c.Comment.Removed != nil && c.Kind != comment.Removed {
			continue // of a tombstone
		}
		at := c.Comment.Address()
		_, there := left[at]
		require.Equal(t, c.Kind != comment.Added, there, "%+v", c)
		require.False(t, c.Kind == comment.Added && met[at], "%+v is added twice", c)
		met[at] = true
		if left[at] = c.Comment; c.Kind == comment.Removed {
			delete(left, at)
		}
	}
	return left
}

// TestThreadsSearchTheRestIfNextWasNotRefilled kills each process before it can
// refill Next.
func TestThreadsSearchTheRestIfNextWasNotRefilled(t *testing.T) {
	t.Parallel()
	meter := dynamotest.NewMeter()
	w := newWorld(t, nil, meter.Wrap)
	root := w.says(t, "ann", "bird")
	var replies []comment.Comment
	for range faults.Size(40, 22) {
		replies = append(replies, w.replies(t, "bob", root))
	}
	last := len(replies) - 4
	for _, reply := range replies[:last] {
		in := faults.New(t, 1, faults.Rates{})
		hasty := w.process(t, nil, in.Wrap)
		in.KillAt(1) // after the transaction
		_, err := hasty.Hide(t.Context(), reply.Address())
		require.ErrorIs(t, err, faults.ErrKilled)
	}
	meter.Take()
	threads := pagetest.All(t, of(w.Threads, "bird", nil), 5)
	require.Equal(t, idsOf(replies[last:last+3]), idsOf(threads[0].First))
	most := callstest.ReadCosts(t, "../..", "feed/comment").Of("Repository.Threads", "4 KB of roots and of replies",
		"where first replies of longer threads are gone more", "a thread that has just lost a first reply, and WithHidden each long one that ever did, more")
	require.LessOrEqual(t, meter.Take().Requests, most.Requests)

	w.hide(t, replies[last]) // which refills Next
	meter.Take()
	require.Equal(t, idsOf(replies[last+1:]), idsOf(pagetest.All(t, of(w.Threads, "bird", nil), 5)[0].First))
	require.LessOrEqual(t, meter.Take().Requests, 3)
}

// TestChangesDuringARefillAreNotLost makes another change between the reads of
// a write and that write.
func TestChangesDuringARefillAreNotLost(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	hide := func(w world, c comment.Comment) { w.hide(t, c) }
	unhide := func(w world, c comment.Comment) { w.unhide(t, c) }
	older := func(hours int) func(w world, c comment.Comment) {
		return func(w world, c comment.Comment) {
			id, err := ids.Backdate(today.Add(-time.Duration(hours)*time.Hour), c.Object)
			require.NoError(t, err)
			w.add(t, comment.Comment{Object: c.Object, Root: c.Root, ID: id, User: "eve"})
		}
	}
	for name, c := range faults.Sample(2, map[string]struct {
		replies      int
		hidden       []int
		call, other  func(w world, c comment.Comment)
		which, whose int    // indexes of replies
		op           string // the other change comes before this operation
	}{
		"one is unhidden while Next is refilled": {8, []int{3}, hide, unhide, 0, 3, "UpdateItem"},
		"Next is refilled while one is unhidden": {8, []int{3}, unhide, hide, 3, 0, "TransactWriteItems"},
		"two are unhidden at once":               {9, []int{0, 4, 5}, unhide, unhide, 5, 4, "TransactWriteItems"},
		"one is unhidden, one hidden":            {9, []int{0, 4}, unhide, hide, 4, 3, "TransactWriteItems"},
		"two older ones are added at once":       {5, nil, older(30), older(40), 0, 0, "TransactWriteItems"},
		"two fourth ones are added at once":      {3, nil, older(30), older(40), 0, 0, "TransactWriteItems"},
		"a fourth is added, a first deleted": {3, nil, older(30), func(w world, c comment.Comment) {
			w.delete(t, c)
			w.replies(t, "ann", comment.Comment{Object: c.Object, ID: c.Root})
		}, 0, 2, "TransactWriteItems"},
	}) {
		root := w.says(t, "ann", name)
		var replies []comment.Comment
		for range c.replies {
			replies = append(replies, w.replies(t, "bob", root))
		}
		for _, n := range c.hidden {
			w.hide(t, replies[n])
		}
		done := false
		in := faults.Before(t, c.op, func() {
			done = true
			c.other(w, replies[c.whose])
		})
		c.call(w.process(t, nil, in.Wrap), replies[c.which])
		require.True(t, done, name)
		w.requireFirst(t, name)
	}
}
