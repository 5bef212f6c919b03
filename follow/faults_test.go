package follow_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/follow"
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
		for _, shards := range []int{1, 4} {
			t.Run(fmt.Sprintf("seed %d, %d shards", seed, shards), func(t *testing.T) {
				t.Parallel()
				in := faults.New(t, seed, harshness[seed%3])
				m := &crowd{
					world:  newWorld(t, sharded(shards), in.Wrap),
					random: rand.New(rand.NewPCG(seed, 1)),
					users:  []string{"anna", "chris", "jack", "zoe"},
					stands: graph{}, gone: graph{},
				}
				for range 40 {
					m.step(t)
				}
				require.NotZero(t, in.Count(faults.LostAfter)+in.Count(faults.Twice))

				edges := []follow.Edge{}
				for p, id := range m.stands {
					edges = append(edges, follow.Edge{Follower: p.follower, Followee: p.followee, ID: id})
				}
				requireStored(t, m.world, edges)
				lagging := faults.New(t, seed, faults.Rates{Stale: 1})
				m.process(t, nil, lagging.Wrap).holds(t, m.stands, m.users...)
			})
		}
	}
}

// crowd is users who follow and unfollow at random, and what should stand.
type crowd struct {
	world
	random *rand.Rand
	users  []string
	stands graph
	gone   graph // the greatest id of each pair that has ended
}

func (m *crowd) step(t *testing.T) {
	t.Helper()
	i := m.random.IntN(len(m.users))
	j := (i + 1 + m.random.IntN(len(m.users)-1)) % len(m.users)
	p := pair{m.users[i], m.users[j]}
	plain := follow.Edge{Follower: p.follower, Followee: p.followee}
	fresh, late, standing := plain, plain, plain
	fresh.ID, late.ID, standing.ID = m.id(t), m.gone[p], m.stands[p]
	switch m.random.IntN(7) {
	case 0, 1:
		if m.random.IntN(4) == 0 {
			m.keepUnfollowing(t, fresh) // before it could begin
		}
		m.keepFollowing(t, fresh)
	case 2:
		m.keepFollowing(t, late)
	case 3:
		m.keepFollowing(t, plain)
	case 4:
		m.keepUnfollowing(t, standing)
	case 5:
		m.keepUnfollowing(t, late)
	case 6:
		m.keepUnfollowing(t, plain)
	}
}

func (m *crowd) keepFollowing(t *testing.T, e follow.Edge) {
	t.Helper()
	p := pair{e.Follower, e.Followee}
	var got follow.Edge
	var created bool
	before, stood := m.stands[p]
	removed := !stood && e.ID != 0 && e.ID <= m.gone[p]
	calls := faults.Acknowledged(t, func() (err error) {
		got, created, err = m.Follow(t.Context(), e)
		if removed && errors.Is(err, plaza.ErrRemoved) {
			return nil
		}
		return err
	})
	switch {
	case removed:
		require.False(t, created)
		return
	case stood:
		require.Equal(t, before, got.ID)
		require.Equal(t, before == e.ID, created)
	case e.ID != 0:
		require.Equal(t, e.ID, got.ID)
		require.True(t, created, "a repeat gives the first answer")
	case calls == 1:
		require.True(t, created)
	}
	require.NotZero(t, got.ID)
	m.stands[p] = got.ID
}

func (m *crowd) keepUnfollowing(t *testing.T, e follow.Edge) {
	t.Helper()
	p := pair{e.Follower, e.Followee}
	var removed bool
	calls := faults.Acknowledged(t, func() (err error) {
		removed, err = m.Unfollow(t.Context(), e)
		return err
	})
	before, stood := m.stands[p]
	meant := stood && (e.ID == 0 || e.ID == before)
	if removed || calls == 1 {
		require.Equal(t, meant, removed)
	}
	if meant {
		m.gone[p] = before
		delete(m.stands, p)
	}
	if !stood {
		m.gone[p] = max(m.gone[p], e.ID) // remembered
	}
}
