package reaction_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/feed/reaction"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// harshness is what each write must survive, by turns.
var harshness = []faults.Rates{
	faults.Standard,
	{LostBefore: 0.05, LostAfter: 0.10, Throttled: 0.05, Twice: 0.05, Conflict: 0.15, Stale: 0.30},
	{LostBefore: 0.10, LostAfter: 0.30, Throttled: 0.20, Twice: 0.10, Delayed: 0.05, Stale: 0.25},
}

func TestCountsEqualListsUnderFaults(t *testing.T) {
	t.Parallel()
	for seed := range faults.Seeds(20) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			in := faults.New(t, seed, harshness[seed%3])
			m := &crowd{
				world:  newWorld(t, options(1+3*int(seed%2)), in.Wrap),
				random: rand.New(rand.NewPCG(seed, 1)),
				stands: reactions{}, gone: reactions{},
			}
			for range 60 {
				m.step(t)
			}
			require.NotZero(t, in.Count(faults.LostAfter)+in.Count(faults.Twice))
			requireStored(t, m.world, m.stands)
			lagging := faults.New(t, seed, faults.Rates{Stale: 1})
			m.process(t, options(1), lagging.Wrap).holds(t, m.stands, crowdUsers, crowdObjects)
		})
	}
}

var (
	crowdUsers   = []string{"anna", "chris", "jack"}
	crowdObjects = []string{"photo", "film"}
)

// crowd is users who react at random, and what should stand.
type crowd struct {
	world
	random *rand.Rand
	stands reactions
	gone   reactions // the greatest id of each place that has ended
}

func (m *crowd) step(t *testing.T) {
	t.Helper()
	plain := reaction.Reaction{
		User:   crowdUsers[m.random.IntN(len(crowdUsers))],
		Object: crowdObjects[m.random.IntN(len(crowdObjects))],
		Kind:   kinds[m.random.IntN(len(kinds))],
	}
	fresh, late, standing := plain, plain, plain
	fresh.ID, late.ID, standing.ID = m.id(t), m.gone[placeOf(plain)], m.stands[placeOf(plain)]
	switch m.random.IntN(7) {
	case 0, 1:
		if m.random.IntN(4) == 0 {
			m.keepUnreacting(t, fresh) // before it could begin
		}
		m.keepReacting(t, fresh)
	case 2:
		m.keepReacting(t, late)
	case 3:
		m.keepReacting(t, plain)
	case 4:
		m.keepUnreacting(t, standing)
	case 5:
		m.keepUnreacting(t, late)
	case 6:
		m.keepUnreacting(t, plain)
	}
}

func (m *crowd) keepReacting(t *testing.T, a reaction.Reaction) {
	t.Helper()
	p := placeOf(a)
	var got reaction.Reaction
	var changed bool
	before, stood := m.stands[p]
	removed := !stood && a.ID != 0 && a.ID <= m.gone[p]
	calls := faults.Acknowledged(t, func() (err error) {
		got, changed, err = m.React(t.Context(), a)
		if removed && errors.Is(err, plaza.ErrRemoved) {
			return nil
		}
		return err
	})
	switch {
	case removed:
		require.False(t, changed)
		return
	case stood:
		require.Equal(t, before, got.ID)
		require.Equal(t, before == a.ID, changed)
	case a.ID != 0:
		require.Equal(t, a.ID, got.ID)
		require.True(t, changed, "a repeat gives the first answer")
	case calls == 1:
		require.True(t, changed)
	}
	require.NotZero(t, got.ID)
	if p.kind != "pin" {
		for _, other := range kinds[:3] {
			m.end(place{p.user, p.object, other})
		}
	}
	m.stands[p] = got.ID
}

func (m *crowd) end(p place) {
	if id, stood := m.stands[p]; stood {
		m.gone[p] = id
		delete(m.stands, p)
	}
}

func (m *crowd) keepUnreacting(t *testing.T, a reaction.Reaction) {
	t.Helper()
	var removed bool
	calls := faults.Acknowledged(t, func() (err error) {
		removed, err = m.Unreact(t.Context(), a)
		return err
	})
	before, stood := m.stands[placeOf(a)]
	meant := stood && (a.ID == 0 || a.ID == before)
	if removed || calls == 1 {
		require.Equal(t, meant, removed)
	}
	if meant {
		m.end(placeOf(a))
	}
	if !stood {
		m.gone[placeOf(a)] = max(m.gone[placeOf(a)], a.ID) // remembered
	}
}

// persist repeats call, each time in a new process that meets faults and is
// killed at one of its first writes, until it succeeds.
func (w world) persist(t testing.TB, random *rand.Rand, call func(world) error) {
	t.Helper()
	rates := faults.Standard
	rates.Conflict, rates.Unprocessed, rates.Stale = 0.05, 0.05, 0.30
	for range 100 {
		in := faults.New(t, random.Uint64(), rates)
		in.KillAt(1 + random.IntN(50))
		if call(w.process(t, options(1+random.IntN(3)), in.Wrap)) == nil {
			return
		}
	}
	t.Fatal("no run of a hundred came through")
}
