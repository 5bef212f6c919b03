package edgetest

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/edge"
	"github.com/plaza-sdk/plaza/internal/faults"
)

func repairUnderFaults[E any](t *testing.T, f Feature[E]) {
	all := damages(f)
	for seed, name := range slices.Sorted(maps.Keys(all)) {
		damage := all[name]
		if damage.shards == 1 || !faults.Full() && seed%5 > 0 || !f.tries(seed/5) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := damagedScene(t, f, 5, damage.do)
			random := rand.New(rand.NewPCG(uint64(seed), 3))
			ends := []edge.Ends{{Head: "bob"}, {Tail: "ann"}}
			if name == "shard closed" { // it may be killed between opening the shard and counting there
				ends = append(ends, ends[0])
			}
			for _, of := range ends {
				s.persist(t, random, func(process world[E]) error {
					_, err := process.Repair(t.Context(), of)
					return err
				})
			}
			s.requireStored(t, damage.left(s)...)
			s.requireSound(t, s.edge)
		})
	}
}

// failedReads fails each request in turn, or each fifth unless Full.
func failedReads[E any](t *testing.T, f Feature[E]) {
	for of, damage := range map[edge.Ends]string{{Tail: "ann"}: "the tail's row gone", {Head: "bob"}: "guard gone"} {
		for _, name := range faults.Some(1, "Repair", "Check") {
			s := damagedScene(t, f, 5, damages(f)[damage].do)
			before := Scan(t, s.world.table)
			for n := 1; ; n += faults.Size(1, 5) {
				in := faults.New(t, 0, faults.Rates{})
				in.Script(func(_ string, _ []byte, k int) faults.Fault {
					if k == n {
						return faults.Fault{Kind: faults.KilledBefore}
					}
					return faults.Fault{}
				})
				_, err := s.process(t, spread(5), in.Wrap).checkers()[name](t.Context(), of)
				if in.Requests() < n {
					require.NoError(t, err)
					require.Greater(t, n, 5)
					break
				}
				require.ErrorIs(t, err, faults.ErrKilled, "%s, request %d", name, n)
				if !reflect.DeepEqual(before, Scan(t, s.world.table)) { // it was repaired first
					s = damagedScene(t, f, 5, damages(f)[damage].do)
					before = Scan(t, s.world.table)
				}
			}
		}
	}
}

func killedRepair[E any](t *testing.T, f Feature[E]) {
	s := damagedScene(t, f, 5, damages(f)["every counter gone"].do)
	in := faults.New(t, 0, faults.Rates{})
	in.KillAt(1)
	_, err := s.process(t, spread(5), in.Wrap).Repair(t.Context(), edge.Ends{Head: "bob"})
	require.Error(t, err)
	five := s.process(t, spread(5))
	var begun []Edge
	for i := range faults.Size(20, 10) { // into each shard
		begun = append(begun, five.begin(t, fmt.Sprint("late ", i), "bob", f.first()))
	}
	require.Subset(t, s.read(t, s.ByHead, "bob", f.first(), 100), begun)
}
