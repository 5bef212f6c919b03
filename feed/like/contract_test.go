package like_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/faults"
)

// bothWays runs what both ways promise, and if CI is set both side by side.
func bothWays(t *testing.T, test func(t *testing.T, y way)) {
	t.Helper()
	for name, y := range faults.Sample(len(ways), ways, "inline") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, y)
		})
	}
}

// pasts are what was done before, and acknowledged: a letter is a like, or its taking back.
var pasts = []string{"", "l", "lu"}

// A process is killed at each of its requests, of liking, of taking back or of the delivery,
// or its caller gives up. Then another process repeats the call, or makes the other.
func TestAfterAKillAndARepeatAllAgree(t *testing.T) {
	t.Parallel()
	bothWays(t, func(t *testing.T, y way) {
		w, n, cut := newWorld(t), 0, 0
		for _, past := range pasts {
			for _, likes := range []bool{true, false} {
				for _, kind := range faults.Some(1, faults.KilledAfter, faults.KilledBefore, faults.Hung) {
					for k, over := 1, false; !over; k++ {
						for _, next := range []string{"l", "u"} {
							n++
							object, random := photo(n), rand.New(rand.NewPCG(uint64(n), 0))
							require.NoError(t, y.do(t.Context(), w.process, liked("bob", object), true))
							for _, c := range past {
								require.NoError(t, y.do(t.Context(), w.process, liked("ann", object), c == 'l'))
							}
							require.NoError(t, w.deliver(t, y, w.process))
							w.see(t, ownerOf(object))

							over = !w.cutAt(t, y, object, likes, kind, k)
							if !over {
								cut++
							}
							require.NoError(t, w.deliver(t, y, w.process))
							if !likes {
								require.Zero(t, w.unseen(t, ownerOf(object)), "taking back rings")
							}
							require.NoError(t, y.do(t.Context(), w.process, liked("ann", object), next == "l"))
							require.NoError(t, w.deliver(t, y, w.process))
							want := map[string][]string{"l": {"ann", "bob"}, "u": {"bob"}}[next]
							require.Equal(t, want, w.agree(t, object, "ann", "bob"), "past %q, likes %t, %v at %d", past, likes, kind, k)
							if next == "u" {
								require.Zero(t, w.unseen(t, ownerOf(object)), "bob's was seen")
							}
							w.again(t, random)
							require.Equal(t, want, w.agree(t, object, "ann", "bob"))
						}
					}
				}
			}
		}
		require.Greater(t, cut, 40)
	})
}

// cutAt runs a like, or its taking back, and the delivery in a process that is cut at its
// k-th request. It reports whether there was such a request.
func (w *world) cutAt(t *testing.T, y way, object string, likes bool, kind faults.Kind, k int) bool {
	t.Helper()
	in := faults.New(t, 1, faults.Rates{})
	ctx, giveUp := context.WithCancel(t.Context())
	defer giveUp()
	if kind == faults.Hung {
		in.HangAt(k, giveUp)
	} else {
		in.Script(func(_ string, _ []byte, n int) faults.Fault {
			if n == k {
				return faults.Fault{Kind: kind}
			}
			return faults.Fault{}
		})
	}
	p := w.open(t, in.Wrap)
	err := y.do(ctx, p, liked("ann", object), likes)
	if err == nil && kind != faults.Hung {
		err = w.deliver(t, y, p)
	}
	met := in.Requests() >= k
	if !met {
		require.NoError(t, err)
	}
	return met
}

// Two callers like or take back at once, in any order of their requests. One of them may be
// killed, and is repeated.
func TestInAnyInterleavingAllAgree(t *testing.T) {
	t.Parallel()
	bothWays(t, func(t *testing.T, y way) {
		w := newWorld(t)
		for seed := range uint64(faults.Size(200, 30)) {
			random := rand.New(rand.NewPCG(seed, 1))
			object := photo(int(seed))
			for _, c := range pasts[random.IntN(len(pasts))] {
				require.NoError(t, y.do(t.Context(), w.process, liked("ann", object), c == 'l'))
			}
			require.NoError(t, w.deliver(t, y, w.process))
			w.see(t, ownerOf(object))

			users := []string{"ann", []string{"ann", "bob"}[random.IntN(2)]}
			likes := []bool{random.IntN(2) == 0, random.IntN(2) == 0}
			killed := random.IntN(3) // 2: none of the two
			steps, failed := make([]*faults.Steps, 2), make([]error, 2)
			for i := range steps {
				in := faults.New(t, seed, faults.Rates{})
				if i == killed {
					in.KillAt(1 + random.IntN(4))
				}
				steps[i] = faults.NewSteps()
				p := w.open(t, in.Wrap, steps[i].Wrap)
				steps[i].Start(func() { failed[i] = y.do(t.Context(), p, liked(users[i], object), likes[i]) })
			}
			for steps[random.IntN(2)].Step() {
			}
			steps[0].Finish()
			steps[1].Finish()
			require.NoError(t, w.deliver(t, y, w.process))
			for i, err := range failed {
				if err != nil {
					require.ErrorIs(t, err, faults.ErrKilled)
					require.NoError(t, y.do(t.Context(), w.process, liked(users[i], object), likes[i]))
				}
			}
			require.NoError(t, w.deliver(t, y, w.process))
			w.agree(t, object, "ann", "bob")
			if !likes[0] && !likes[1] {
				require.Zero(t, w.unseen(t, ownerOf(object)), "taking back rings")
			}
			w.again(t, random)
			w.agree(t, object, "ann", "bob")
		}
	})
}

// Many callers like and take back at once, and the network loses, doubles and delays.
func TestUnderFaultsAllAgree(t *testing.T) {
	t.Parallel()
	bothWays(t, func(t *testing.T, y way) {
		for seed := range faults.Seeds(6) {
			w := newWorld(t)
			in := faults.New(t, seed, faults.Standard)
			processes := []process{w.open(t, in.Wrap), w.open(t, in.Wrap)}
			users, objects := []string{"ann", "bob", "cat"}, []string{photo(1), photo(2)}
			var group sync.WaitGroup
			for i := range 6 {
				random := rand.New(rand.NewPCG(seed, uint64(i)))
				group.Go(func() {
					for range faults.Size(12, 6) {
						a, likes := liked(users[i%3], objects[random.IntN(2)]), random.IntN(2) == 0
						p := processes[random.IntN(2)]
						faults.Acknowledged(t, func() error { return y.do(t.Context(), p, a, likes) })
					}
				})
			}
			group.Wait()
			faults.Acknowledged(t, func() error { return w.deliver(t, y, processes[0]) })
			require.NotZero(t, in.Count(faults.LostAfter)+in.Count(faults.Twice))
			for _, object := range objects {
				w.agree(t, object, users...)
			}
			w.again(t, rand.New(rand.NewPCG(seed, 99)))
			for _, object := range objects {
				w.agree(t, object, users...)
			}
		}
	})
}

// A like a day later is another group's event. The one before must not stay.
func TestALikeOfAnotherDayLeavesOneNotification(t *testing.T) {
	t.Parallel()
	bothWays(t, func(t *testing.T, y way) {
		w := newWorld(t)
		const day = 24 * 3600e9
		does := func(c rune) {
			t.Helper()
			require.NoError(t, y.do(t.Context(), w.process, liked("ann", photo(1)), c == 'l'), fmt.Sprint(c))
			require.NoError(t, w.deliver(t, y, w.process))
			w.agree(t, photo(1), "ann")
			w.pass(day)
		}
		for _, c := range "lul" {
			does(c)
		}
		require.Len(t, w.entries(t, ownerOf(photo(1))), 1)
		does('l')
		does('u')
		require.Empty(t, w.entries(t, ownerOf(photo(1))))
	})
}
