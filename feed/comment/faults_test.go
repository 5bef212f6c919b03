package comment_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/feed/comment"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// harshness is what each write must survive, by turns.
var harshness = []faults.Rates{
	faults.Standard,
	{LostBefore: 0.05, LostAfter: 0.10, Throttled: 0.05, Twice: 0.05, Conflict: 0.15, Stale: 0.30, Unprocessed: 0.10},
	{LostBefore: 0.10, LostAfter: 0.30, Throttled: 0.10, Twice: 0.10, Delayed: 0.05, Stale: 0.25},
}

func TestNothingIsLostOrDoubledUnderFaults(t *testing.T) {
	t.Parallel()
	for seed := range faults.Seeds(20) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			in := faults.New(t, seed, harshness[seed%3])
			random := rand.New(rand.NewPCG(seed, 1))
			opts := &comment.Options{ExcerptRunes: 5} // where it rests on a read, that is consistent
			talk := &talk{world: newWorld(t, opts, in.Wrap), model: newModel(0), t: t, pick: random.IntN}
			talk.call = func(call func() error) (calls int) {
				for calls = 1; faults.Passing(call()) && calls < 200; calls++ {
				}
				return calls
			}
			for range 60 {
				talk.step()
			}
			require.NotZero(t, in.Count(faults.LostAfter)+in.Count(faults.Twice))
			in.Off()
			lagging := faults.New(t, seed, faults.Rates{Stale: 1})
			talk.process(t, &comment.Options{Consistent: true, ExcerptRunes: 5}, lagging.Wrap).holds(t, talk.model)
		})
	}
}
