package reaction_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/feed/reaction"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// watched is a process that asks before each request what happens to it;
// before must use another process.
func (w world) watched(t testing.TB, seed uint64, before func(op string, body []byte) faults.Fault) world {
	in := faults.New(t, seed, faults.Rates{})
	in.Script(func(op string, body []byte, _ int) faults.Fault { return before(op, body) })
	return w.process(t, options(1), in.Wrap)
}

// toggle ends the reaction if it stands, else begins it with another id.
func (w world) toggle(t testing.TB, a *reaction.Reaction) {
	t.Helper()
	removed, err := w.Unreact(t.Context(), reaction.Reaction{User: a.User, Object: a.Object, Kind: a.Kind})
	require.NoError(t, err)
	if !removed {
		*a = w.react(t, a.User, a.Object, a.Kind)
	}
}

// TestRepairGuardsOnTheVersion ends a reaction while its list is read, and
// begins it again before the count is set: the count is what it was, and right.
func TestRepairGuardsOnTheVersion(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options(1))
	all := w.crowd(t, "photo", 3, "like")
	counters, step := 0, 0
	repairing := w.watched(t, 0, func(op string, body []byte) faults.Fault {
		switch {
		case op == "BatchGetItem" && bytes.Contains(body, []byte(`"C#photo#63"`)):
			counters++
		case op == "Query" && bytes.Contains(body, []byte(`"L#photo#like#0"`)) && counters == 2 && step == 0,
			op == "TransactWriteItems" && step == 1:
			step++
			w.toggle(t, &all[0])
		}
		return faults.Fault{}
	})
	drift, err := repairing.Repair(t.Context(), "photo")
	require.NoError(t, err)
	require.Equal(t, 2, step)
	require.Zero(t, drift)
	requireStored(t, w, standing(all...))
}

// TestRepairLooksAgainWhereACountMoved adds a reaction before its list is read:
// the wrong count that was read is then what the list holds.
func TestRepairLooksAgainWhereACountMoved(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options(1))
	all := w.crowd(t, "photo", 3, "like")
	h := hand{t: t, table: dynamotest.DB(t).Table(w.table)}
	h.set([2]string{"C#photo#0", "C"}, "count#like", 4)
	counters := 0
	repairing := w.watched(t, 0, func(op string, body []byte) faults.Fault {
		switch {
		case op == "BatchGetItem" && bytes.Contains(body, []byte(`"C#photo#63"`)):
			counters++
		case op == "Query" && bytes.Contains(body, []byte(`"L#photo#like#0"`)) && counters == 2 && len(all) == 3:
			all = append(all, w.react(t, "late", "photo", "like"))
		}
		return faults.Fault{}
	})
	drift, err := repairing.Repair(t.Context(), "photo")
	require.NoError(t, err)
	require.Equal(t, off("like", 1), drift)
	requireStored(t, w, standing(all...))
}

// TestRepairRestoresNothingThatEndsMeanwhile ends the torn reaction just before
// RepairUser would write.
func TestRepairRestoresNothingThatEndsMeanwhile(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"the user's gone", "the object's gone", "guard of another shard"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, like, others := damaged(t, 1, damages[name].do)
			ended := false
			repairing := w.watched(t, 0, func(op string, _ []byte) faults.Fault {
				if op == "TransactWriteItems" && !ended {
					ended = true
					removed, err := w.Unreact(t.Context(), reaction.Reaction{User: like.User, Object: like.Object, Kind: like.Kind})
					require.NoError(t, err)
					require.True(t, removed)
				}
				return faults.Fault{}
			})
			drift, err := repairing.RepairUser(t.Context(), "ann")
			require.NoError(t, err)
			require.True(t, ended)
			require.Zero(t, drift.Torn)
			for _, s := range []side{w.ann(), w.photo()} {
				_, err := s.repair(t.Context(), s.name)
				require.NoError(t, err)
			}
			requireStored(t, w, standing(others...))
		})
	}
}

func TestCheckAndRepairAreBusyWhileReactionsKeepChanging(t *testing.T) {
	t.Parallel()
	for name, call := range map[string]func(world) (reaction.Drift, error){
		"Check":  func(w world) (reaction.Drift, error) { return w.Check(t.Context(), "photo") },
		"Repair": func(w world) (reaction.Drift, error) { return w.Repair(t.Context(), "photo") },
	} {
		w := newWorld(t, options(1))
		all := w.crowd(t, "photo", 3, "like")
		toggles, until := 0, 100
		watched := w.watched(t, 0, func(op string, body []byte) faults.Fault {
			if op == "Query" && bytes.Contains(body, []byte(`"L#photo#like#0"`)) && toggles < until {
				toggles++
				w.toggle(t, &all[0])
			}
			return faults.Fault{}
		})
		drift, err := call(watched)
		require.ErrorIs(t, err, plaza.ErrBusy, name)
		require.Zero(t, drift, name)
		if toggles%2 == 1 {
			w.toggle(t, &all[0])
		}
		toggles, until = 0, 4
		drift, err = call(watched)
		require.NoError(t, err, name)
		require.Zero(t, drift, name)
		requireStored(t, w, standing(all...))
	}
}

// TestCheckUserIsNotFooledByAHalfReadReaction begins and ends a reaction around
// the first half of what reads its parts.
func TestCheckUserIsNotFooledByAHalfReadReaction(t *testing.T) {
	t.Parallel()
	for seed := range faults.Seeds(8) {
		w := newWorld(t, options(1))
		like := w.react(t, "ann", "photo", "like")
		half, halves := false, 0
		const most = 2
		watched := w.watched(t, seed, func(op string, body []byte) faults.Fault {
			parts := bytes.Contains(body, []byte(`"L#photo#like#`))
			switch {
			case op != "BatchGetItem" || !parts || halves == most:
				return faults.Fault{}
			case halves == 0: // the guards are read; it looks for the list items
				w.toggle(t, &like)
			case half:
				w.toggle(t, &like)
				half = false
				halves++
				return faults.Fault{}
			default:
				w.toggle(t, &like)
				half = true
				return faults.Fault{Kind: faults.Unprocessed, Entries: 33}
			}
			halves++
			return faults.Fault{}
		})
		drift, err := watched.CheckUser(t.Context(), "ann")
		require.NoError(t, err)
		require.Zero(t, drift, "seed %d", seed)
		require.Equal(t, most, halves)
	}
}

// TestRepairAmongReactions repairs everybody and everything over and over,
// while reactions come and go; some of the others are torn.
func TestRepairAmongReactions(t *testing.T) {
	t.Parallel()
	const users = 4
	w := newWorld(t, options(2))
	var stand []reaction.Reaction
	for i := range users {
		stand = append(stand, w.react(t, fmt.Sprint("u", i), fmt.Sprint("o", i%2), "pin"))
	}
	h := hand{t: t, table: dynamotest.DB(t).Table(w.table)}
	h.unset([2]string{"U#u0", "o0"}, "id#pin")
	h.remove([2]string{"M#u1#pin", stand[1].ID.String()})
	h.set([2]string{"C#o0#0", "C"}, "count#pin", 9)

	ctx, done := context.WithCancel(t.Context())
	process := w.process(t, options(2))
	var repairs errgroup.Group
	repairs.Go(func() error {
		for i := 0; ctx.Err() == nil; i++ {
			_, err := process.RepairUser(ctx, fmt.Sprint("u", i%users))
			if err == nil {
				_, err = process.Repair(ctx, fmt.Sprint("o", i%2))
			}
			if err != nil && !errors.Is(err, plaza.ErrBusy) && ctx.Err() == nil {
				return err
			}
		}
		return nil
	})
	var toggles errgroup.Group
	ends := make([]reactions, users)
	for i := range users {
		toggles.Go(func() error {
			random := rand.New(rand.NewPCG(uint64(i), 0))
			ends[i] = reactions{}
			for range 30 {
				a := reaction.Reaction{User: fmt.Sprint("u", i), Object: fmt.Sprint("o", random.IntN(2)), Kind: kinds[random.IntN(3)]}
				if _, stands := ends[i][placeOf(a)]; stands {
					if _, err := w.Unreact(t.Context(), a); err != nil {
						return err
					}
					delete(ends[i], placeOf(a))
					continue
				}
				a, _, err := w.React(t.Context(), a)
				if err != nil {
					return err
				}
				for _, kind := range kinds[:3] {
					delete(ends[i], place{a.User, a.Object, kind})
				}
				ends[i][placeOf(a)] = a.ID
			}
			return nil
		})
	}
	require.NoError(t, toggles.Wait())
	done()
	require.NoError(t, repairs.Wait())
	want := standing(stand...)
	for i := range users {
		maps.Copy(want, ends[i])
		_, err := w.RepairUser(t.Context(), fmt.Sprint("u", i))
		require.NoError(t, err)
		_, err = w.Repair(t.Context(), fmt.Sprint("o", i%2))
		require.NoError(t, err)
	}
	requireStored(t, w, want)
}

func TestRepairUnderFaultsAndKills(t *testing.T) {
	t.Parallel()
	seed := uint64(0)
	for name, damage := range damages {
		if damage.shards == 1 {
			continue
		}
		seed++
		t.Run(fmt.Sprint(name, " ", seed), func(t *testing.T) {
			t.Parallel()
			w, like, left := damaged(t, 5, damage.do)
			if !damage.ends {
				left = append(left, like)
			}
			random := rand.New(rand.NewPCG(seed, 3))
			w.persist(t, random, func(process world) error {
				_, err := process.Repair(t.Context(), "photo")
				return err
			})
			w.persist(t, random, func(process world) error {
				_, err := process.RepairUser(t.Context(), "ann")
				return err
			})
			requireStored(t, w, standing(left...))
			requireSound(t, w.ann(), w.photo())
		})
	}
}

// TestCheckAndRepairReportAFailedRead fails each request in turn.
func TestCheckAndRepairReportAFailedRead(t *testing.T) {
	t.Parallel()
	for user, damage := range map[bool]string{true: "the user's gone", false: "guard gone"} {
		for name, repair := range map[string]bool{"check": false, "repair": true} {
			for n := 1; ; n++ {
				w, _, _ := damaged(t, 1, damages[damage].do)
				in := faults.New(t, 0, faults.Rates{})
				in.Script(func(_ string, _ []byte, k int) faults.Fault {
					if k == n {
						return faults.Fault{Kind: faults.KilledBefore}
					}
					return faults.Fault{}
				})
				process := w.process(t, options(1), in.Wrap)
				s := process.photo()
				if user {
					s = process.ann()
				}
				call := s.check
				if repair {
					call = s.repair
				}
				_, err := call(t.Context(), s.name)
				if in.Requests() < n {
					require.NoError(t, err)
					require.Greater(t, n, 5)
					break
				}
				require.ErrorIs(t, err, faults.ErrKilled, "%s, request %d", name, n)
			}
		}
	}
}

func TestARepairThatIsKilledLeavesNoCounterUnnamed(t *testing.T) {
	t.Parallel()
	w, _, _ := damaged(t, 5, func(h hand) { h.remove(h.first(), h.counter()) })
	in := faults.New(t, 0, faults.Rates{})
	in.KillAt(1)
	_, err := w.process(t, options(5), in.Wrap).Repair(t.Context(), "photo")
	require.Error(t, err)
	five := w.process(t, options(5))
	var unseen []string
	for i := range 40 {
		a := five.react(t, fmt.Sprint("late ", i), "photo", "like")
		seen := false
		for _, b := range read(t, w.ByObject, "photo", "like", 100) {
			seen = seen || a.ID == b.ID
		}
		if !seen {
			unseen = append(unseen, a.User)
		}
	}
	require.Empty(t, unseen)
}

func TestRepairLeavesAReactionThatMovesBetweenShards(t *testing.T) {
	t.Parallel()
	for seed := range faults.Seeds(10) {
		w := newWorld(t, options(1))
		two := w.process(t, options(2))
		in1 := true
		begin := func(to world) {
			like := reaction.Reaction{User: "ann", Object: "photo", Kind: "like", ID: w.idIn(t, 2, false)}
			_, ok, err := to.React(t.Context(), like)
			require.NoError(t, err)
			require.True(t, ok)
		}
		begin(two)
		move := func() {
			removed, err := w.Unreact(t.Context(), reaction.Reaction{User: "ann", Object: "photo", Kind: "like"})
			require.NoError(t, err)
			require.True(t, removed)
			if in1 {
				begin(w)
			} else {
				begin(two)
			}
			in1 = !in1
		}
		phase := 0
		watched := w.watched(t, seed, func(op string, body []byte) faults.Fault {
			if op != "BatchGetItem" || bytes.Contains(body, []byte(`"C#photo`)) {
				return faults.Fault{}
			}
			parts := bytes.Contains(body, []byte(`"L#photo#like#`))
			switch {
			case phase == 0 && !parts: // row of shard 1 was read; now its guard
				phase = 1
				move()
			case phase == 1 && parts:
				phase = 2
				return faults.Fault{Kind: faults.Unprocessed, Entries: 33}
			case phase == 2:
				phase = 3
				move()
			}
			return faults.Fault{}
		})
		d, err := watched.Repair(t.Context(), "photo")
		require.NoError(t, err, "seed %d", seed)
		require.Equal(t, 3, phase)
		du, err := w.CheckUser(t.Context(), "ann")
		require.NoError(t, err)
		require.Zero(t, du, "seed %d, repair mended %+v", seed, d)
	}
}
