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

// The SDK sends a request again that was already applied.
func TestARequestSentTwiceReportsOneChange(t *testing.T) {
	t.Parallel()
	for _, kind := range []faults.Kind{faults.Twice, faults.LostAfter} {
		sent := faults.New(t, 1, faults.Rates{})
		w := newWorld(t, nil, sent.Wrap)
		w.define(t, leaderboard.Board{Name: "b"})
		w.play(t, "b", "ann 50")
		once := false
		sent.Script(func(op string, _ []byte, _ int) faults.Fault {
			if once = !once && op == "UpdateItem"; once {
				return faults.Fault{Kind: kind}
			}
			return faults.Fault{}
		})
		for _, call := range []change{w.Hide, w.Unhide, w.Remove} {
			once = false
			changes(t, call, "ann", true)
			require.True(t, once || kind == faults.LostAfter)
		}
		require.Equal(t, 3, sent.Count(kind))
	}
}

func (w world) hide() change   { return w.Hide }
func (w world) unhide() change { return w.Unhide }

func removing(w world) change { return w.Remove }

// back is a submission, which brings back a player who was removed.
func (w world) back() change {
	return func(ctx context.Context, _ leaderboard.In, player string) (bool, error) {
		_, _, err := w.Submit(ctx, leaderboard.Submission{Board: "b", Player: player, Score: leaderboard.Int(7)})
		return true, err
	}
}

// The answer to a change is lost. Before the SDK repeats the request, others undo the
// change, or they also make it and undo it again, so often that the entry has forgotten
// the first call.
func TestARepeatedRequestDoesNotUndoLaterChanges(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		before, call, undo func(world) change
		want               []string
		again              int
	}{
		"remove":       {nil, removing, world.back, []string{"ann 7"}, 0},
		"hide":         {nil, world.hide, world.unhide, []string{"ann 50"}, 0},
		"unhide":       {world.hide, world.unhide, world.hide, []string{}, 0},
		"remove again": {nil, removing, world.back, []string{"ann 7"}, 2}, // the entry does not remember submissions
		"hide again":   {nil, world.hide, world.unhide, []string{"ann 50"}, 1},
		"unhide again": {world.hide, world.unhide, world.hide, []string{}, 1},
	} {
		sent := faults.New(t, 1, faults.Rates{})
		w := newWorld(t, nil)
		caller := w.process(t, nil, sent.Wrap)
		w.define(t, leaderboard.Board{Name: "b"})
		w.play(t, "b", "ann 50")
		if c.before != nil {
			changes(t, c.before(w), "ann", true)
		}
		updates := 0
		sent.Script(func(op string, _ []byte, _ int) faults.Fault {
			if op == "UpdateItem" {
				switch updates++; updates {
				case 1:
					return faults.Fault{Kind: faults.LostAfter}
				case 2:
					changes(t, c.undo(w), "ann", true)
					for range c.again {
						changes(t, c.call(w), "ann", true)
						changes(t, c.undo(w), "ann", true)
					}
				}
			}
			return faults.Fault{}
		})
		if c.again > 0 {
			_, err := c.call(caller)(t.Context(), in("b"), "ann")
			require.ErrorIs(t, err, plaza.ErrUnknownOutcome, name)
		} else {
			changes(t, c.call(caller), "ann", true)
		}
		require.Equal(t, 2, updates, name)
		require.Equal(t, c.want, w.standings(t, "b", forever, 1), name)
	}
}

// One process submits and moderates with a clock that is ahead of the other's.
func TestChangesApplyAfterAClockThatIsAhead(t *testing.T) {
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

	ahead.set(ahead.Now().Add(time.Millisecond))
	ahead.submit(t, score("b", "ann", 50, 0))
	changes(t, ahead.Hide, "ann", true)
	changes(t, w.Unhide, "ann", true)
	changes(t, w.Hide, "ann", true)
	changes(t, ahead.Remove, "ann", true)
	ahead.set(ahead.Now().Add(time.Millisecond))
	ahead.submit(t, score("b", "ann", 40, 0))
	changes(t, w.Remove, "ann", true)
	changes(t, w.Remove, "ann", false)
	require.Empty(t, w.standings(t, "b", forever, 1))
}

// Two calls find the same operation by a clock that is ahead. One of them changes
// something.
func TestOnlyOneOfTwoCallsChangesAfterAClockAhead(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.define(t, leaderboard.Board{Name: "b"})
	w.play(t, "b", "ann 50")
	ahead := w
	ahead.clock = &clock{now: noon.Add(9 * time.Second)}
	ahead = ahead.process(t, nil)
	changes(t, ahead.Hide, "ann", true)
	sent := faults.New(t, 1, faults.Rates{})
	slow := w.process(t, nil, sent.Wrap)
	updates := 0
	sent.Script(func(op string, _ []byte, _ int) faults.Fault {
		if op == "UpdateItem" {
			if updates++; updates == 2 { // the one with a later operation
				changes(t, w.Unhide, "ann", true)
			}
		}
		return faults.Fault{}
	})
	changes(t, slow.Unhide, "ann", false)
	require.Equal(t, 2, updates)
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

// The player was removed by a clock ahead of ours, and came back with a still later
// operation.
func TestHideWorksAfterARemovalByAClockAhead(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.define(t, leaderboard.Board{Name: "b"})
	w.play(t, "b", "ann 50")
	ahead := w
	ahead.clock = &clock{now: noon.Add(9 * time.Second)}
	ahead = ahead.process(t, nil)
	changes(t, ahead.Remove, "ann", true)
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
