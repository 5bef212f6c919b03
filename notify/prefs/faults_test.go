package prefs_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/notify/prefs"
)

// conflicting is faults.Standard and what transactions meet.
var conflicting = faults.Rates{LostBefore: 0.05, LostAfter: 0.15, Throttled: 0.03, Twice: 0.05, Conflict: 0.05}

// toggle is something that two calls begin and end.
type toggle struct {
	begin, end func(world, context.Context) (bool, error)
	stands     func(world, *testing.T) bool
}

var toggles = map[string]toggle{
	"block": {
		func(w world, ctx ctx) (bool, error) { return w.Block(ctx, bob) },
		func(w world, ctx ctx) (bool, error) { return w.Unblock(ctx, bob) },
		func(w world, t *testing.T) bool { return len(all(t, w.Blocks)) == 1 },
	},
	"mute": {
		func(w world, ctx ctx) (bool, error) { return w.Mute(ctx, mute) },
		func(w world, ctx ctx) (bool, error) { return w.Unmute(ctx, mute) },
		func(w world, t *testing.T) bool { return len(all(t, w.Mutes)) == 1 },
	},
	"setting": {
		func(w world, ctx ctx) (bool, error) { return w.Set(ctx, about("like", email), true) },
		func(w world, ctx ctx) (bool, error) { return w.Unset(ctx, about("like", email)) },
		func(w world, t *testing.T) bool { return len(w.own(t)) == 1 },
	},
}

func TestDecidingSurvivesFaults(t *testing.T) {
	t.Parallel()
	for seed := range faults.Seeds(20) {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			in := faults.New(t, seed, faults.Rates{LostBefore: 0.1, LostAfter: 0.1, Throttled: 0.1, Unprocessed: 0.3})
			w := newWorld(t, nil)
			w.block(t, bob)
			w.set(t, about("like", prefs.InApp), false)
			for range 10 {
				process := w.process(t, nil, in.Wrap) // has nothing cached
				faults.Acknowledged(t, func() error {
					d, err := process.Decide(t.Context(), of("comment"))
					require.True(t, err != nil || d.Drop)
					return err
				})
				faults.Acknowledged(t, func() error {
					n := of("like")
					n.Activity.Actor.ID = "eve"
					d, err := process.Decide(t.Context(), n)
					require.True(t, err != nil || d.Drop)
					return err
				})
			}
		})
	}
}
