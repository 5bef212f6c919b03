package prefs_test

import (
	"context"
	"math/rand/v2"
	"sync"
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

// Each change that is reported is one: of two processes that begin and end the same
// thing, the reports add up to what stands. A call without an answer may have changed
// it.
func TestReportedChangesAddUpUnderFaults(t *testing.T) {
	t.Parallel()
	for name, thing := range toggles {
		for seed := range faults.Seeds(20) {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				in := faults.New(t, seed, conflicting)
				w := newWorld(t, nil)
				var mu sync.Mutex
				balance, unknown, changes := 0, 0, 0
				var done sync.WaitGroup
				for n := range 2 {
					process := w.process(t, nil, in.Wrap)
					random := rand.New(rand.NewPCG(seed, uint64(n)))
					done.Go(func() {
						for range faults.Size(15, 8) {
							call, by := thing.begin, 1
							if random.IntN(2) == 0 {
								call, by = thing.end, -1
							}
							changed, err := call(process, t.Context())
							mu.Lock()
							switch {
							case err != nil && !faults.Passing(err):
								t.Error(err)
							case err != nil:
								unknown++
							case changed:
								balance += by
								changes++
							}
							mu.Unlock()
						}
					})
				}
				done.Wait()
				in.Off()
				want := 0
				if thing.stands(w, t) {
					want = 1
				}
				require.InDelta(t, want, balance, float64(unknown))
				require.Greater(t, changes, faults.Size(3, 0))
			})
		}
	}
}

// One caller repeats each call until it has an answer.
func TestAcknowledgedWritesStandUnderFaults(t *testing.T) {
	t.Parallel()
	for seed := range faults.Seeds(20) {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			in := faults.New(t, seed, conflicting)
			w := newWorld(t, nil, in.Wrap)
			random := rand.New(rand.NewPCG(seed, 7))
			want := map[prefs.Subscription]bool{}
			for range 40 {
				s := about([]string{prefs.AnyVerb, "like", "comment"}[random.IntN(3)], []string{prefs.InApp, email}[random.IntN(2)])
				on := random.IntN(2) == 0
				before, was := want[s]
				var changes bool
				var call func() (bool, error)
				switch random.IntN(3) {
				case 0:
					delete(want, s)
					changes = was
					call = func() (bool, error) { return w.Unset(t.Context(), s) }
				default:
					want[s] = on
					changes = !was || before != on
					call = func() (bool, error) { return w.Set(t.Context(), s, on) }
				}
				var changed bool
				calls := faults.Acknowledged(t, func() (err error) { changed, err = call(); return err })
				if changed || calls == 1 {
					require.Equal(t, changes, changed)
				}
			}
			in.Off()
			require.Equal(t, want, w.own(t))
			cached, fresh := w.decide(t, of("comment")), w.process(t, nil).decide(t, of("comment"))
			require.Equal(t, fresh, cached)
		})
	}
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
