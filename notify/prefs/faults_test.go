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
