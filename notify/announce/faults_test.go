package announce_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/notify"
)

// TestUnderFaultsEachAnnouncementStandsOnce repeats calls until they are acknowledged, with
// the ID that stands beside the error, while time passes. Some are withdrawn.
func TestUnderFaultsEachAnnouncementStandsOnce(t *testing.T) {
	t.Parallel()
	for seed := range faults.Seeds(20) {
		random := rand.New(rand.NewPCG(seed, 1))
		rates := faults.Standard
		rates.Conflict = 0.1
		in := faults.New(t, seed, rates)
		w := newWorld(t, in.Wrap)
		var want []string
		for n := range 40 {
			a, firstID := w.message(fmt.Sprint(n)), true
			created := 0
			faults.Acknowledged(t, func() error {
				answer, isNew, err := w.Announce(t.Context(), a)
				if firstID { // a caller may also keep the first ID
					a.ID, firstID = answer.ID, n%3 == 0
				}
				if isNew {
					created++
				}
				if random.IntN(3) == 0 {
					w.forward(time.Duration(random.Int64N(int64(2 * lead))))
				}
				return err
			})
			require.LessOrEqual(t, created, 1)
			again, isNew, err := a, true, error(nil)
			faults.Acknowledged(t, func() error { again, isNew, err = w.Announce(t.Context(), a); return err })
			require.False(t, isNew)
			if n%4 == 0 {
				changed := 0
				faults.Acknowledged(t, func() error {
					isChanged, err := w.Withdraw(t.Context(), a.Audience, a.ID)
					if isChanged {
						changed++
					}
					return err
				})
				require.LessOrEqual(t, changed, 1)
				var final error
				faults.Acknowledged(t, func() error {
					if _, _, final = w.Announce(t.Context(), a); errors.Is(final, plaza.ErrRemoved) {
						return nil
					}
					return final
				})
				require.ErrorIs(t, final, plaza.ErrRemoved)
				continue
			}
			want = append(want, again.Title)
		}
		in.Off()
		var standing []string
		for _, a := range w.listed(t) {
			if a.Withdrawn.IsZero() {
				standing = append(standing, a.Title)
			}
		}
		slices.Sort(want)
		slices.Sort(standing)
		require.Equal(t, want, standing)
		w.forward(2 * lead)
		require.ElementsMatch(t, want, w.live(t, "everyone"))
	}
}

// TestAnInterruptedCallLeavesWhatARepeatCompletes interrupts a call at each of its writes, which
// take too long, so that there are many.
func TestAnInterruptedCallLeavesWhatARepeatCompletes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		interrupt func(in *faults.Injector, k int, giveUp func())
		want      error
	}{
		"killed before": {func(in *faults.Injector, k int, _ func()) { in.KillBefore(k) }, faults.ErrKilled},
		"killed after":  {func(in *faults.Injector, k int, _ func()) { in.KillAt(k) }, faults.ErrKilled},
		"given up":      {(*faults.Injector).HangAt, plaza.ErrUnknownOutcome},
	} {
		for k := 1; k <= 4; k++ {
			in := faults.New(t, 1, faults.Rates{})
			slow := &during{}
			w := newWorld(t, in.Wrap, slow.wrap)
			slow.f = func() {
				if in.Writes() < 4 {
					w.forward(notify.Window)
				}
			}
			ctx, giveUp := context.WithCancel(t.Context())
			c.interrupt(in, k, giveUp)
			a, created, err := w.Announce(ctx, w.message("Hello"))
			giveUp()
			require.ErrorIs(t, err, c.want, "%s %d", name, k)
			require.False(t, created)
			require.Equal(t, k, in.Requests(), "none after it")
			other := w.process(t, nil)
			again, _, err := other.Announce(t.Context(), a)
			require.NoError(t, err, "%s %d", name, k)
			require.Equal(t, []notify.Announcement{again}, other.listed(t), "%s %d", name, k)
		}
	}
}
