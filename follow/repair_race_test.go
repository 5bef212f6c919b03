package follow_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// watched is a process that calls before with each request it is about to
// send; before must use another process.
func (w world) watched(t testing.TB, opts *follow.Options, before func(op string, body []byte)) world {
	in := faults.New(t, 0, faults.Rates{})
	in.Script(func(op string, body []byte, _ int) faults.Fault {
		before(op, body)
		return faults.Fault{}
	})
	return w.process(t, opts, in.Wrap)
}

// toggle ends the edge if it stands, else begins it.
func (w world) toggle(t testing.TB, e follow.Edge) {
	t.Helper()
	removed, err := w.Unfollow(t.Context(), follow.Edge{Follower: e.Follower, Followee: e.Followee})
	require.NoError(t, err)
	if !removed {
		w.follow(t, e.Follower, e.Followee)
	}
}

// TestRepairGuardsOnTheVersion ends an edge while its list is read, and begins
// it again before the count is set: the count is what it was, and right.
func TestRepairGuardsOnTheVersion(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	edges := w.fans(t, "bob", 3)
	counters, step := 0, 0
	repairing := w.watched(t, nil, func(op string, body []byte) {
		switch {
		case op == "Query" && bytes.Contains(body, []byte(`"C#bob"`)):
			counters++
		case op == "Query" && bytes.Contains(body, []byte(`"R#bob#0"`)) && counters == 2 && step == 0,
			op == "TransactWriteItems" && step == 1:
			step++
			w.toggle(t, edges[0])
		}
	})
	drift, err := repairing.Repair(t.Context(), "bob")
	require.NoError(t, err)
	require.Equal(t, 2, step)
	require.Zero(t, drift)
	requireStored(t, w, edges)
}

// TestRepairRaisesTheVersion tears an edge before it is counted, and lets
// another Repair restore it before the count is set.
func TestRepairRaisesTheVersion(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	edge := w.follow(t, "ann", "bob")
	h := hand{t: t, table: dynamotest.DB(t).Table(w.table)}
	counters, mended := 0, false
	repairing := w.watched(t, nil, func(op string, body []byte) {
		switch {
		case op == "Query" && bytes.Contains(body, []byte(`"C#ann"`)):
			if counters++; counters == 2 {
				h.remove([2]string{"F#ann", edge.ID.String()})
			}
		case op == "TransactWriteItems" && !mended:
			mended = true
			drift, err := w.Repair(t.Context(), "ann")
			require.NoError(t, err)
			require.Equal(t, follow.Drift{Torn: 1}, drift)
		}
	})
	drift, err := repairing.Repair(t.Context(), "ann")
	require.NoError(t, err)
	require.True(t, mended)
	require.Zero(t, drift)
	requireStored(t, w, []follow.Edge{edge})
}

// TestRepairRestoresNothingThatEndsMeanwhile ends the torn edge just before
// Repair would write.
func TestRepairRestoresNothingThatEndsMeanwhile(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"following gone", "follower gone", "guard of another shard"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, others := damaged(t, 1, damages[name].do)
			ended := false
			repairing := w.watched(t, nil, func(op string, _ []byte) {
				if op == "TransactWriteItems" && !ended {
					ended = true
					removed, err := w.Unfollow(t.Context(), follow.Edge{Follower: "ann", Followee: "bob"})
					require.NoError(t, err)
					require.True(t, removed)
				}
			})
			drift, err := repairing.Repair(t.Context(), "ann")
			require.NoError(t, err)
			require.True(t, ended)
			require.Zero(t, drift.Torn)
			for _, user := range []string{"ann", "bob"} {
				_, err := w.Repair(t.Context(), user)
				require.NoError(t, err)
			}
			requireStored(t, w, others)
		})
	}
}

var checks = map[string]func(world, context.Context, string) (follow.Drift, error){
	"Check":  func(w world, ctx context.Context, user string) (follow.Drift, error) { return w.Check(ctx, user) },
	"Repair": func(w world, ctx context.Context, user string) (follow.Drift, error) { return w.Repair(ctx, user) },
}

func TestCheckAndRepairAreBusyWhileEdgesKeepChanging(t *testing.T) {
	t.Parallel()
	for name, call := range checks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			edges := w.fans(t, "bob", 3)
			toggles, until := 0, 100
			watched := w.watched(t, nil, func(op string, body []byte) {
				if op == "Query" && bytes.Contains(body, []byte(`"R#bob#0"`)) && toggles < until {
					toggles++
					w.toggle(t, edges[0])
				}
			})
			drift, err := call(watched, t.Context(), "bob")
			require.ErrorIs(t, err, plaza.ErrBusy)
			require.Zero(t, drift)
			if toggles%2 == 1 {
				w.toggle(t, edges[0])
			}
			requireStored(t, w, edges)

			toggles, until = 0, 4
			drift, err = call(watched, t.Context(), "bob")
			require.NoError(t, err)
			require.Zero(t, drift)
			requireStored(t, w, edges)
		})
	}
}

// TestRepairAmongFollowsAndUnfollows repairs everybody over and over, from two
// processes, while edges come and go; some of the others are torn.
func TestRepairAmongFollowsAndUnfollows(t *testing.T) {
	t.Parallel()
	const users = 6
	w := newWorld(t, sharded(2))
	var stand []follow.Edge
	for i := range users {
		stand = append(stand, w.follow(t, fmt.Sprint("u", i), fmt.Sprint("u", (i+1)%users)))
	}
	h := hand{t: t, table: dynamotest.DB(t).Table(w.table)}
	h.remove([2]string{"E#u0", "u1"}, [2]string{"F#u1", stand[1].ID.String()})
	h.set([2]string{"C#u3", "0"}, "following", 9)

	ctx, done := context.WithCancel(t.Context())
	var repairs errgroup.Group
	for range 2 {
		process := w.process(t, sharded(2))
		repairs.Go(func() error {
			for i := 0; ctx.Err() == nil; i++ {
				if _, err := process.Repair(ctx, fmt.Sprint("u", i%users)); err != nil && !errors.Is(err, plaza.ErrBusy) && ctx.Err() == nil {
					return err
				}
			}
			return nil
		})
	}
	var toggles errgroup.Group
	ends := make([][]follow.Edge, users)
	for i := range users {
		toggles.Go(func() error {
			random := rand.New(rand.NewPCG(uint64(i), 0))
			standing := map[follow.Edge]bool{}
			for range 40 {
				e := follow.Edge{Follower: fmt.Sprint("u", i), Followee: fmt.Sprint("u", (i+2+random.IntN(users-2))%users)}
				var err error
				if standing[e] {
					_, err = w.Unfollow(t.Context(), e)
				} else {
					_, _, err = w.Follow(t.Context(), e)
				}
				if err != nil {
					return err
				}
				standing[e] = !standing[e]
			}
			for e, stands := range standing {
				if stands {
					ends[i] = append(ends[i], e)
				}
			}
			return nil
		})
	}
	require.NoError(t, toggles.Wait())
	done()
	require.NoError(t, repairs.Wait())
	for _, edges := range ends {
		stand = append(stand, edges...)
	}
	for i := range users {
		_, err := w.Repair(t.Context(), fmt.Sprint("u", i))
		require.NoError(t, err)
	}
	requireStored(t, w, stand)
}

// TestRepairNeverDamagesWhatIsWhole is the same without damage and without a
// Repair in the end.
func TestRepairNeverDamagesWhatIsWhole(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	stand := w.fans(t, "bob", 5)
	ctx, done := context.WithCancel(t.Context())
	process := w.process(t, nil)
	var repairs errgroup.Group
	repairs.Go(func() error {
		for ctx.Err() == nil {
			drift, err := process.Repair(ctx, "bob")
			if drift != (follow.Drift{}) {
				return fmt.Errorf("mended %+v of nothing", drift)
			}
			if err != nil && !errors.Is(err, plaza.ErrBusy) && ctx.Err() == nil {
				return err
			}
		}
		return nil
	})
	var toggles errgroup.Group
	for i := range 4 {
		toggles.Go(func() error {
			e := follow.Edge{Follower: fmt.Sprint("u", i), Followee: "bob"}
			for range 50 {
				if _, _, err := w.Follow(t.Context(), e); err != nil {
					return err
				}
				if _, err := w.Unfollow(t.Context(), e); err != nil {
					return err
				}
			}
			return nil
		})
	}
	require.NoError(t, toggles.Wait())
	done()
	require.NoError(t, repairs.Wait())
	requireStored(t, w, stand)
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
			w, left := damaged(t, 5, damage.do)
			if !damage.ends {
				left = append(left, follow.Edge{Follower: "ann", Followee: "bob"})
			}
			random := rand.New(rand.NewPCG(seed, 3))
			for _, user := range []string{"bob", "ann"} {
				w.persist(t, random, func(process world) error {
					_, err := process.Repair(t.Context(), user)
					return err
				})
			}
			requireStored(t, w, left)
			requireSound(t, w, "ann", "bob", "cat")
		})
	}
}

// TestCheckAndRepairReportAFailedRead fails each request in turn.
func TestCheckAndRepairReportAFailedRead(t *testing.T) {
	t.Parallel()
	for user, damage := range map[string]string{"ann": "following gone", "bob": "guard gone"} {
		w, _ := damaged(t, 5, damages[damage].do)
		for name, call := range checks {
			for n := 1; ; n++ {
				in := faults.New(t, 0, faults.Rates{})
				in.Script(func(_ string, _ []byte, k int) faults.Fault {
					if k == n {
						return faults.Fault{Kind: faults.KilledBefore}
					}
					return faults.Fault{}
				})
				_, err := call(w.process(t, sharded(5), in.Wrap), t.Context(), user)
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

// TestCheckOfManyEdges is of lists longer than one page.
func TestCheckOfManyEdges(t *testing.T) {
	t.Parallel()
	m := dynamotest.NewMeter()
	w := newWorld(t, nil, m.Wrap)
	var edges []follow.Edge
	for i := range 2_100 {
		edges = append(edges, follow.Edge{Follower: fmt.Sprintf("fan%05d", i), Followee: "star"})
	}
	for i := range 1_050 {
		edges = append(edges, follow.Edge{Follower: "star", Followee: fmt.Sprintf("idol%05d", i)})
	}
	_, err := w.Import(t.Context(), "star", sequence(edges), nil)
	require.NoError(t, err)

	const n = 3_150
	check := dynamotest.Cost{Requests: n/100 + 40, Read: n * 1.07}
	m.AtMost(t, "Check", check, func() { requireSound(t, w, "star") })
	m.AtMost(t, "Repair of what is whole", check, func() {
		drift, err := w.Repair(t.Context(), "star")
		require.NoError(t, err)
		require.Zero(t, drift)
	})

	h := hand{t: t, table: dynamotest.DB(t).Table(w.table)}
	for _, followee := range []string{"idol00007", "idol01033"} {
		e, err := w.Get(t.Context(), follow.Edge{Follower: "star", Followee: followee})
		require.NoError(t, err)
		h.remove([2]string{"F#star", e.ID.String()})
	}
	h.remove([2]string{"E#fan00010", "star"}, [2]string{"E#fan02050", "star"})
	m.AtMost(t, "Repair of four edges", dynamotest.Cost{
		Requests: check.Requests + 2*1_050/100 + 4*4,
		Read:     check.Read + 2*1_050 + 4*2*66,
		Write:    4 * 10,
	}, func() {
		drift, err := w.Repair(t.Context(), "star")
		require.NoError(t, err)
		require.Equal(t, follow.Drift{Torn: 4}, drift)
	})
	requireStored(t, w, edges)
}
