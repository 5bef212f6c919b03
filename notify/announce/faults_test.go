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
	"github.com/plaza-sdk/plaza/notify/announce"
)

// TestUnderFaultsEachAnnouncementIsStoredOnce repeats calls until they are acknowledged, with
// the ID that came with the error, while time passes. Some are withdrawn.
func TestUnderFaultsEachAnnouncementIsStoredOnce(t *testing.T) {
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
			created, changed := 0, 0
			announce := func() error {
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
			}
			faults.Acknowledged(t, announce)
			require.LessOrEqual(t, created, 1)
			created = 0
			faults.Acknowledged(t, announce)
			require.Zero(t, created)
			if n%4 > 0 {
				want = append(want, a.Title)
				continue
			}
			faults.Acknowledged(t, func() error {
				isChanged, err := w.Withdraw(t.Context(), a.Audience, a.ID)
				if isChanged {
					changed++
				}
				return err
			})
			require.LessOrEqual(t, changed, 1)
			faults.Acknowledged(t, func() error {
				err := announce()
				if errors.Is(err, plaza.ErrRemoved) {
					return nil
				}
				require.Error(t, err)
				return err
			})
		}
		in.Off()
		var stored []string
		for _, a := range w.listed(t) {
			if a.Withdrawn.IsZero() {
				stored = append(stored, a.Title)
			}
		}
		slices.Sort(want)
		slices.Sort(stored)
		require.Equal(t, want, stored)
		w.forward(2 * lead)
		require.ElementsMatch(t, want, w.live(t, "everyone"))
	}
}

// An audience is one partition key.
func TestAHotAudienceHasEachAnnouncementOnce(t *testing.T) {
	t.Parallel()
	hot := &faults.Buckets{PerSecond: 1000}
	w := newWorld(t, hot.Wrap)
	ctx := t.Context()
	does := func(want bool, call func() (bool, error)) {
		t.Helper()
		require.Equal(t, want, hot.Changes(t, call))
	}

	var want []string // those that show, newest first
	for n := 0; hot.Throttled() < 50; n++ {
		require.Less(t, n, announce.MaxLive)
		a := w.message(fmt.Sprint(n))
		store := func() (created bool, err error) {
			a, created, err = w.Announce(ctx, a)
			return created, err
		}
		does(true, store)
		does(false, store)
		if want = append([]string{a.Title}, want...); n%2 > 0 {
			does(true, func() (bool, error) { return w.Withdraw(ctx, a.Audience, a.ID) })
			want = want[1:]
		}
		w.forward(lead)
		does(false, func() (bool, error) {
			live, err := w.process(t, nil, hot.Wrap).Live(ctx, notify.Reader{User: "ann", Audiences: []string{"everyone"}})
			if err == nil {
				require.Equal(t, want, titles(live))
			}
			return false, err
		})
	}
	require.Positive(t, hot.Busy())
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
