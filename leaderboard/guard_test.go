package leaderboard_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/leaderboard"
)

// like is a guarded increment of an object, by an Op of its own.
func (w world) like(board, object string) leaderboard.Submission {
	return leaderboard.Submission{
		Board: board, Player: object, Score: leaderboard.Int(1),
		Operator: leaderboard.Increment, Guard: true, Op: w.id(),
	}
}

func (w world) undo(t tester, s leaderboard.Submission) (changed bool) {
	t.Helper()
	changed, err := w.Undo(t.Context(), s)
	require.NoError(t, err)
	return changed
}

var likes = leaderboard.Board{Name: "likes", Operator: leaderboard.Increment}

func TestAGuardedOperationCountsOnceAndIsUndoneOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.define(t, likes)
	first, second := w.like("likes", "song"), w.like("likes", "song")
	require.Equal(t, leaderboard.Result{Op: first.Op, Period: forever, New: leaderboard.Int(1), Improved: true}, w.submit(t, first))
	want := leaderboard.Result{Op: second.Op, Period: forever, Old: leaderboard.Int(1), New: leaderboard.Int(2), Existed: true, Improved: true}
	require.Equal(t, want, w.submit(t, second))
	for range 20 { // more than an entry remembers
		w.submit(t, w.like("likes", "song"))
	}
	require.Equal(t, want, w.repeat(t, second))
	require.Equal(t, []string{"song 22"}, w.standings(t, "likes", forever, 1))

	require.True(t, w.undo(t, second))
	require.False(t, w.undo(t, second))
	_, _, err := w.Submit(t.Context(), second)
	require.ErrorIs(t, err, plaza.ErrRemoved)
	require.Equal(t, []string{"song 21"}, w.standings(t, "likes", forever, 1))

	late := w.like("likes", "song")
	require.False(t, w.undo(t, late), "before it came")
	require.False(t, w.undo(t, late))
	_, _, err = w.Submit(t.Context(), late)
	require.ErrorIs(t, err, plaza.ErrRemoved)
	require.Equal(t, []string{"song 21"}, w.standings(t, "likes", forever, 1))
}

func TestManyWritersOfOneEntryShareTransactions(t *testing.T) {
	t.Parallel()
	meter := dynamotest.NewMeter()
	w := newWorld(t, nil, meter.Wrap)
	w.define(t, likes)
	w.submit(t, w.like("likes", "song"))
	const writers, each = 64, 16
	cost := meter.AtMost(t, "all", dynamotest.Cost{Requests: writers * each, Read: writers * each, Write: 3 * writers * each}, func() {
		var group sync.WaitGroup
		for range writers {
			group.Go(func() {
				for range each {
					w.submit(t, w.like("likes", "song"))
				}
			})
		}
		group.Wait()
	})
	t.Logf("%v", cost)
	require.Equal(t, []string{fmt.Sprint("song ", writers*each+1)}, w.standings(t, "likes", forever, 1))
}
