package leaderboard_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
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
				_, err := call(t.Context(), in("b"), "cat")
				require.ErrorIs(t, err, plaza.ErrNotFound)
				_, err = call(t.Context(), in("b"), "nobody")
				require.ErrorIs(t, err, plaza.ErrNotFound)
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
			drift, err := w.Check(t.Context(), in("b"))
			require.NoError(t, err)
			require.Zero(t, drift)
		})
	}
}

// The answer to a Remove is lost. Before the SDK repeats the request, a submission brings
// the player back.
func TestARepeatedRemoveDoesNotUndoASubmission(t *testing.T) {
	t.Parallel()
	sent := faults.New(t, 1, faults.Rates{})
	w := newWorld(t, nil)
	w.define(t, leaderboard.Board{Name: "b"})
	w.play(t, "b", "ann 50")
	updates := 0
	sent.Script(func(op string, _ []byte, _ int) faults.Fault {
		if op == "UpdateItem" {
			switch updates++; updates {
			case 1:
				return faults.Fault{Kind: faults.LostAfter}
			case 2:
				w.play(t, "b", "ann 7")
			}
		}
		return faults.Fault{}
	})
	changes(t, w.process(t, nil, sent.Wrap).Remove, "ann", true)
	require.Equal(t, 2, updates)
	require.Equal(t, []string{"ann 7"}, w.standings(t, "b", forever, 1))
}

// One process submits with a clock that is ahead of the other's.
func TestARemovalIsLaterThanSubmissionsByAClockAhead(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.define(t, leaderboard.Board{Name: "b"})
	ahead := w
	ahead.clock = &clock{now: noon.Add(9 * time.Second)}
	ahead = ahead.process(t, nil)
	s := score("b", "ann", 50, 0)
	s.Op = ahead.id()
	ahead.submit(t, s)
	ahead.set(ahead.Now().Add(time.Millisecond))
	better := score("b", "ann", 60, 0)
	better.Op = ahead.id()
	ahead.submit(t, better)
	changes(t, w.Remove, "ann", true)
	for _, late := range []leaderboard.Submission{s, better} {
		_, _, err := w.Submit(t.Context(), late)
		require.ErrorIs(t, err, plaza.ErrRemoved)
	}
	require.Empty(t, w.standings(t, "b", forever, 1))
}

// The player is removed between the read and the write of an increment.
func TestAnIncrementDuringARemovalComesAfterIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.define(t, leaderboard.Board{Name: "b", Operator: leaderboard.Increment})
	w.play(t, "b", "ann 50")
	sent := faults.New(t, 1, faults.Rates{})
	player := w.process(t, nil, sent.Wrap)
	removed := false
	sent.Script(func(op string, _ []byte, _ int) faults.Fault {
		if op == "UpdateItem" && !removed {
			removed = true
			changes(t, w.Remove, "ann", true)
		}
		return faults.Fault{}
	})
	got := player.submit(t, score("b", "ann", 1, 1))
	require.Equal(t, leaderboard.Int(1), got.New)
	require.False(t, got.Existed)
}

func TestManagingUnderFaults(t *testing.T) {
	t.Parallel()
	for seed := range faults.Seeds(9) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			sent := faults.New(t, seed, faultMixes[seed%3])
			w := newWorld(t, nil, sent.Wrap)
			random := rand.New(rand.NewPCG(seed, 1))
			faults.Acknowledged(t, func() error {
				return errorOf(w.Define(t.Context(), leaderboard.Board{Name: "b", Operator: leaderboard.Set, Shards: 2}))
			})
			players := []string{"ann", "bob", "cat", "dan"}
			scores, hidden := map[string]int64{}, map[string]bool{}
			for i := range faults.Size(40, 10) {
				player := players[random.IntN(len(players))]
				_, stands := scores[player]
				var call change
				var changes bool
				switch random.IntN(5) {
				case 0:
					call, changes = w.Remove, stands
					delete(scores, player)
					delete(hidden, player)
				case 1:
					call, changes = w.Hide, stands && !hidden[player]
					hidden[player] = stands
				case 2:
					call, changes = w.Unhide, stands && hidden[player]
					hidden[player] = false
				default:
					s := score("b", player, int64(i), i)
					s.Op = w.id()
					w.submitUntilDone(t, s)
					scores[player] = int64(i)
					continue
				}
				var changed bool
				var err error
				calls := faults.Acknowledged(t, func() error {
					if changed, err = call(t.Context(), in("b"), player); errors.Is(err, plaza.ErrNotFound) {
						return nil
					}
					return err
				})
				if err != nil {
					require.False(t, stands)
				}
				if changed || calls == 1 {
					require.Equal(t, changes, changed)
				}
			}

			sent.Off()
			var shown, unseen []string
			for i := int64(39); i >= 0; i-- {
				for player, v := range scores {
					if v != i {
						continue
					}
					if hidden[player] {
						unseen = append(unseen, fmt.Sprint("0/0 ", player, " ", v))
					} else {
						shown = append(shown, fmt.Sprintf("%[1]d/%[1]d %s %d", len(shown)+1, player, v))
					}
				}
			}
			require.Equal(t, shown, append([]string(nil), texts(all(t, 0, w.top(in("b"))))...))
			require.Equal(t, unseen, append([]string(nil), texts(all(t, 0, w.hiddenOf(in("b"))))...))
			drift, err := w.Check(t.Context(), in("b"))
			require.NoError(t, err)
			require.Zero(t, drift)
			eraseAll(t, w, sent, players)
		})
	}
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

// eraseAll erases each player under faults, and requires that nothing is left.
func eraseAll(t *testing.T, w world, sent *faults.Injector, players []string) {
	t.Helper()
	boards := faults.Size(30, 3)
	for i := range boards {
		w.define(t, leaderboard.Board{Name: fmt.Sprint("board ", i)})
		w.submit(t, score(fmt.Sprint("board ", i), players[0], 1, 0))
	}
	w.submit(t, score("board 0", "stays", 1, 0))
	sent.On()
	for _, player := range players {
		faults.Acknowledged(t, func() error { return w.Erase(t.Context(), player) })
	}
	sent.Off()
	require.Equal(t, 2*(1+boards)+1, w.items(t)-w.leftovers(t), "boards, periods and who stays")
	require.Equal(t, []string{"1/1 stays 1"}, texts(all(t, 0, w.top(in("board 0")))))
	require.Empty(t, all(t, 0, w.boardsOf(players[0])))
}

func TestAnErasedPlayerStartsAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.define(t, leaderboard.Board{Name: "b", Operator: leaderboard.Increment})
	w.play(t, "b", "ann 50", "bob 40")
	for range 2 {
		require.NoError(t, w.Erase(t.Context(), "ann"))
		require.Equal(t, []string{"1/1 bob 40"}, texts(all(t, 0, w.top(in("b")))))
	}
	w.play(t, "b", "ann 1")
	require.Equal(t, []string{"1/1 bob 40", "2/2 ann 1"}, texts(all(t, 0, w.top(in("b")))))
}

// The player was erased by a clock ahead of ours, and came back with a still later
// operation.
func TestHideWorksAfterAnEraseByAClockAhead(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.define(t, leaderboard.Board{Name: "b"})
	w.play(t, "b", "ann 50")
	ahead := w
	ahead.clock = &clock{now: noon.Add(9 * time.Second)}
	ahead = ahead.process(t, nil)
	require.NoError(t, ahead.Erase(t.Context(), "ann"))
	ahead.set(ahead.Now().Add(time.Millisecond))
	ahead.submit(t, score("b", "ann", 50, 0))
	changes(t, w.Hide, "ann", true)
	changes(t, w.Unhide, "ann", true)
}

// An increment finds no entry. Before its write, another submission creates the entry
// and Erase deletes it.
func TestAnIncrementDuringAnEraseIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.define(t, leaderboard.Board{Name: "b", Operator: leaderboard.Increment})
	w.play(t, "b", "zoe 1")
	sent := faults.New(t, 1, faults.Rates{})
	slow := w.process(t, nil, sent.Wrap)
	met := false
	sent.Script(func(op string, _ []byte, _ int) faults.Fault {
		if op == "UpdateItem" && !met {
			met = true
			w.play(t, "b", "ann 5")
			require.NoError(t, w.Erase(t.Context(), "ann"))
		}
		return faults.Fault{}
	})
	_, _, err := slow.Submit(t.Context(), score("b", "ann", 1, 1))
	require.ErrorIs(t, err, plaza.ErrRemoved)
	require.True(t, met)
	require.Equal(t, []string{"zoe 1"}, w.standings(t, "b", forever, 1))
}
