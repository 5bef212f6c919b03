package leaderboard_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/leaderboard"
)

type change = func(context.Context, leaderboard.In, string) (bool, error)

// changes calls change and fails unless it reports want.
func changes(t testing.TB, call change, player string, want bool) {
	t.Helper()
	changed, err := call(t.Context(), in("b"), player)
	require.NoError(t, err)
	require.Equal(t, want, changed)
}

func TestRemovedAndHiddenPlayersAreNotListed(t *testing.T) {
	t.Parallel()
	for _, shards := range faults.Some(1, 1, 4) {
		bothRankings(t, func(t *testing.T, w world) {
			w.define(t, leaderboard.Board{Name: "b", Shards: shards})
			changes(t, w.Remove, "cat", false)
			w.play(t, "b", "ann 50", "bob 40", "cat 30", "dan 20", "eve 10")
			whole := []string{"1/1 ann 50", "2/2 bob 40", "3/3 cat 30", "4/4 dan 20", "5/5 eve 10"}
			without := []string{"1/1 ann 50", "2/2 bob 40", "3/3 dan 20", "4/4 eve 10"}
			absent := func() {
				t.Helper()
				w.publish(t)
				require.EqualValues(t, 3, w.rank(t, in("b"), "dan").Ordinal)
				require.Equal(t, without, texts(all(t, 2, w.top(in("b")))))
				_, err := w.Rank(t.Context(), in("b"), "cat")
				require.ErrorIs(t, err, plaza.ErrNotFound)
				_, err = w.Percentile(t.Context(), in("b"), "cat")
				require.ErrorIs(t, err, plaza.ErrNotFound)
				_, err = w.Around(t.Context(), in("b"), "cat", 3)
				require.ErrorIs(t, err, plaza.ErrNotFound)
				players, err := w.Players(t.Context(), in("b"), []string{"cat", "dan"})
				require.NoError(t, err)
				require.Equal(t, []string{"1/1 dan 20"}, texts(players))
				n, err := w.Count(t.Context(), in("b"))
				require.NoError(t, err)
				require.Equal(t, int64(4), n)
			}

			changes(t, w.Hide, "cat", true)
			absent()
			changes(t, w.Hide, "cat", false)
			w.play(t, "b", "cat 45")
			absent()
			require.Equal(t, []string{"0/0 cat 45"}, texts(all(t, 0, w.hiddenOf(in("b")))))
			changes(t, w.Unhide, "cat", true)
			changes(t, w.Unhide, "cat", false)
			require.Equal(t, []string{"1/1 ann 50", "2/2 cat 45", "3/3 bob 40", "4/4 dan 20", "5/5 eve 10"}, texts(all(t, 2, w.top(in("b")))))
			require.Empty(t, all(t, 0, w.hiddenOf(in("b"))))

			changes(t, w.Remove, "cat", true)
			absent()
			changes(t, w.Remove, "cat", false)
			for _, call := range []change{w.Hide, w.Unhide} {
				require.ErrorIs(t, errorOf(call(t.Context(), in("b"), "cat")), plaza.ErrNotFound)
				require.ErrorIs(t, errorOf(call(t.Context(), in("b"), "nobody")), plaza.ErrNotFound)
			}
			items := 2 + 5
			if w.folds != nil {
				items++
			}
			require.Equal(t, items, w.items(t), "board, period, entries and what is published")
			w.play(t, "b", "cat 30")
			require.Equal(t, whole, texts(all(t, 2, w.top(in("b")))))

			changes(t, w.Hide, "cat", true)
			changes(t, w.Remove, "cat", true)
			absent()
			require.Empty(t, all(t, 0, w.hiddenOf(in("b"))))
			w.play(t, "b", "cat 30")
			require.Equal(t, whole, texts(all(t, 2, w.top(in("b")))), "visible")
			w.publish(t)
			w.isWhole(t, in("b"))
		})
	}
}

// One process submits with a clock that is ahead of the other's.
func TestARemovalIsLaterThanSubmissionsByAClockAhead(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.define(t, leaderboard.Board{Name: "b"})
	ahead := w.ahead(t)
	s := score("b", "ann", 50, 0)
	s.Op = ahead.id()
	ahead.submit(t, s)
	ahead.set(ahead.Now().Add(time.Millisecond))
	better := score("b", "ann", 60, 0)
	better.Op = ahead.id()
	ahead.submit(t, better)
	changes(t, w.Remove, "ann", true)
	for _, late := range []leaderboard.Submission{s, better} {
		w.refuses(t, late, plaza.ErrRemoved)
	}
	require.Empty(t, w.standings(t, "b", forever, 1))
}

// The player is removed between the read and the write of an increment.
func TestAnIncrementDuringARemovalComesAfterIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.define(t, leaderboard.Board{Name: "b", Operator: leaderboard.Increment})
	w.play(t, "b", "ann 50")
	player := w.process(t, nil, before("UpdateItem", func() { changes(t, w.Remove, "ann", true) }))
	got := player.submit(t, score("b", "ann", 1, 1))
	require.Equal(t, leaderboard.Int(1), got.New)
	require.False(t, got.Existed)
}

// leftovers counts the marks of erased entries, and fails if there is anything else.
func (w world) leftovers(t testing.TB) (n int) {
	t.Helper()
	var items []dynamo.Item
	require.NoError(t, w.raw(t).Scan().Filter("begins_with(pk, ?) AND attribute_not_exists(rev)", "P#").Consistent(true).All(t.Context(), &items))
	for _, item := range items {
		require.Len(t, item, 4+min(1, len(item)-4), "%v", item)
		var left struct {
			Removed ids.ID `dynamo:"removed"`
			TTL     int64  `dynamo:"ttl"`
		}
		require.NoError(t, dynamo.UnmarshalItem(item, &left))
		require.NotZero(t, left.Removed)
		require.WithinDuration(t, w.Now().Add(30*24*time.Hour), time.Unix(left.TTL, 0), time.Minute)
		if len(item) > 4 {
			require.Contains(t, item, "version")
		}
	}
	return len(items)
}

func TestEraseUnderFaults(t *testing.T) {
	t.Parallel()
	for seed := range faults.Seeds(9) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			sent := faults.New(t, seed, faultMixes[seed%3])
			w := newWorld(t, nil)
			boards := faults.Size(30, 3)
			for i := range boards {
				board := fmt.Sprint("board ", i)
				w.define(t, leaderboard.Board{Name: board})
				w.play(t, board, "ann 1", "bob 1")
			}
			w.play(t, "board 0", "stays 1")
			eraser := w.process(t, nil, sent.Wrap)
			for _, player := range []string{"ann", "bob"} {
				faults.Acknowledged(t, func() error { return eraser.Erase(t.Context(), player) })
			}
			require.Equal(t, 2*boards+1, w.items(t)-w.leftovers(t), "boards, periods and who stays")
			require.Equal(t, []string{"1/1 stays 1"}, texts(all(t, 0, w.top(in("board 0")))))
			require.Empty(t, all(t, 0, w.boardsOf("ann")))
		})
	}
}

// An increment finds no entry. Before its write, another submission creates the entry
// and Erase deletes it.
func TestAnIncrementDuringAnEraseIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.define(t, leaderboard.Board{Name: "b", Operator: leaderboard.Increment})
	w.play(t, "b", "zoe 1")
	slow := w.process(t, nil, before("UpdateItem", func() {
		w.play(t, "b", "ann 5")
		require.NoError(t, w.Erase(t.Context(), "ann"))
	}))
	slow.refuses(t, score("b", "ann", 1, 1), plaza.ErrRemoved)
	require.Equal(t, []string{"zoe 1"}, w.standings(t, "b", forever, 1))
}

// The clock of the process that submits is ahead. A Hide is late, and the player came back.
func TestAHideReachesOnlyTheEntryThatItMet(t *testing.T) {
	t.Parallel()
	for end, ends := range ends {
		w := newWorld(t, nil)
		w.define(t, leaderboard.Board{Name: "b"})
		w.play(t, "b", "ann 40")
		ahead := w.ahead(t)
		ahead.submit(t, score("b", "ann", 50, 0))
		late := &faults.Late{Holds: func(op string, _ []byte) bool { return op == "UpdateItem" }}
		hides := w
		hides.clock = &clock{now: noon.Add(time.Second)}
		_, err := hides.process(t, nil, late.Wrap).Hide(t.Context(), in("b"), "ann")
		require.ErrorIs(t, err, plaza.ErrUnknownOutcome, end)
		ends(t, w, "ann")
		ahead.set(ahead.Now().Add(time.Millisecond))
		ahead.submit(t, score("b", "ann", 50, 0))
		require.Zero(t, late.Arrive(t), end)
		changes(t, w.Hide, "ann", true)
		changes(t, w.Unhide, "ann", true)
	}
}
