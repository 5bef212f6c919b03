package prefs_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/notify/prefs"
)

func TestDecidingSurvivesFaults(t *testing.T) {
	t.Parallel()
	comment, like := of("comment"), of("like")
	like.Activity.Actor.ID = "eve"
	for seed := range faults.Seeds(20) {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			in := faults.New(t, seed, faults.Rates{LostBefore: 0.1, LostAfter: 0.1, Throttled: 0.1, Unprocessed: 0.3})
			w := newWorld(t, nil)
			w.block(t, bob)
			w.set(t, about("like", prefs.InApp), false)
			for range 10 {
				process := w.process(t, nil, in.Wrap) // has nothing cached
				for _, n := range []notify.Notification{comment, like} {
					faults.Acknowledged(t, func() error {
						d, err := process.Decide(t.Context(), n)
						require.True(t, err != nil || d.Drop)
						return err
					})
				}
			}
		})
	}
}

// Every call about a hot user takes effect once, though some are refused at first.
func TestAHotUserChangesAndDecides(t *testing.T) {
	t.Parallel()
	hot := &faults.Buckets{PerSecond: 1000}
	w := newWorld(t, nil, hot.Wrap)
	does := func(want bool, call func() (bool, error)) {
		t.Helper()
		require.Equal(t, want, hot.Changes(t, call))
	}

	ctx := t.Context()
	for n := 0; hot.Throttled() < 50 || n%2 == 1; n++ {
		require.Less(t, n, 400)
		block, unmute := w.Block, w.Unmute
		on := n%2 == 0
		if !on {
			block, unmute = w.Unblock, w.Mute
		}
		does(true, func() (bool, error) { return w.Set(ctx, about("like", push), on) })
		does(true, func() (bool, error) { return block(ctx, bob) })
		does(n > 0, func() (bool, error) { return unmute(ctx, mute) })
		other := w.process(t, nil, hot.Wrap)
		does(true, func() (bool, error) { d, err := other.Decide(ctx, of("comment")); return d.Drop, err }) // blocked or muted
		does(on, func() (bool, error) { d, err := other.Decide(ctx, of("mention")); return d.Drop, err })   // which no mute drops
	}
	require.Positive(t, hot.Busy())
	w = w.process(t, nil)
	require.Equal(t, map[prefs.Subscription]bool{about("like", push): false}, w.own(t))
	require.Empty(t, all(t, w.Blocks))
	require.Len(t, all(t, w.Mutes), 1)
}
