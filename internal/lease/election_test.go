package lease_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/lease"
	"github.com/plaza-sdk/plaza/internal/parallel"
)

func TestOneOfManyLeadsAndTheNextFollowsWhenItStops(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		processes := map[string]*process{}
		for n := range 5 {
			name := fmt.Sprint("process-", n)
			processes[name] = w.start(name)
		}
		for led := uint64(1); len(processes) > 0; led++ {
			name := w.within(tick) // nobody waits for a lease that was given back
			time.Sleep(5 * leaseTime)
			require.Equal(t, name, w.leader())
			require.Equal(t, led, w.lastGen())
			require.ElementsMatch(t, []string{"pk", "sk", "owner", "gen", "beat"}, slices.Collect(maps.Keys(w.stored())), "no times")
			require.ErrorIs(t, processes[name].stop(), context.Canceled)
			require.Empty(t, processes[name].reported())
			delete(processes, name)
		}
		require.NotContains(t, w.stored(), "owner")
	})
}

func TestAWaitingProcessOnlyReads(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.start("ann")
		w.within(tick)
		time.Sleep(tick / 2)
		w.meter.Take()
		time.Sleep(10 * leaseTime)
		cost := w.meter.Take()
		require.Equal(t, 30, cost.Requests, "a beat each third of a lease")
		require.EqualValues(t, 30, cost.Write)
		w.start("bob")
		time.Sleep(tick / 2)
		w.meter.Take()
		time.Sleep(10 * leaseTime)
		cost = w.meter.Take()
		require.Equal(t, 60, cost.Requests)
		require.EqualValues(t, 30, cost.Write)
		require.EqualValues(t, 30, cost.Read)
	})
}

func TestALeaderThatWasKilledIsTakenOver(t *testing.T) {
	for k := 1; k <= 4; k++ { // the take, two beats, and what gives the lease back
		for _, after := range []bool{false, true} {
			t.Run(fmt.Sprint(k, after), func(t *testing.T) {
				inBubble(t, func(t *testing.T, w *world) {
					in := faults.New(t, 1, faults.Rates{})
					if in.KillBefore(k); after {
						in.KillAt(k)
					}
					ann := w.start("ann", in.Wrap)
					if k > 1 {
						require.Equal(t, "ann", w.within(tick))
					}
					time.Sleep(2*tick + tick/2)
					if k == 4 {
						_ = ann.stop()
					}
					ann.bury()
					w.start("bob")
					require.Equal(t, "bob", w.within(leaseTime+tick))
					time.Sleep(3 * leaseTime)
					require.Equal(t, "bob", w.leader())
				})
			})
		}
	}
}

func TestALeaderWhoseBeatsFailStopsBeforeAnotherLeads(t *testing.T) {
	for _, kind := range []faults.Kind{faults.Throttled, faults.LostBefore, faults.Hung} {
		t.Run(kind.String(), func(t *testing.T) {
			inBubble(t, func(t *testing.T, w *world) {
				in := faults.New(t, 1, faults.Rates{})
				ann := w.start("ann", in.Wrap)
				w.within(tick)
				w.start("bob")
				time.Sleep(leaseTime)
				in.Script(func(string, []byte, int) faults.Fault { return faults.Fault{Kind: kind} })
				for w.leader() == "ann" {
					time.Sleep(10 * time.Millisecond)
				}
				stopped := time.Now()
				require.Equal(t, "bob", w.within(leaseTime))
				if kind != faults.Hung { // else what gives the lease back arrives
					require.GreaterOrEqual(t, time.Since(stopped), tick/2, "ann has time to end")
				}
				time.Sleep(tick)
				require.NotEmpty(t, ann.reported())
			})
		})
	}
}

func TestABeatThatFailsOnceChangesNothing(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		in := faults.New(t, 1, faults.Rates{})
		ann := w.start("ann", in.Wrap)
		w.within(tick)
		w.start("bob")
		for range 10 {
			lost := in.Requests() + 3 // the SDK tries three times
			in.Script(func(_ string, _ []byte, n int) faults.Fault {
				if n <= lost {
					return faults.Fault{Kind: faults.LostBefore}
				}
				return faults.Fault{}
			})
			time.Sleep(leaseTime)
			require.Equal(t, "ann", w.leader())
		}
		require.Len(t, ann.reported(), 10)
		require.EqualValues(t, 1, w.lastGen())
	})
}

// What a leader sent before it was frozen arrives when another leads.
func TestALateBeatOfAnOldLeaderIsRefused(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		var frozen atomic.Bool
		late := &faults.Late{Holds: func(op string, _ []byte) bool { return frozen.Load() && op == "UpdateItem" }}
		ann := w.start("ann", late.Wrap)
		w.within(tick)
		w.start("bob")
		time.Sleep(tick / 2)
		frozen.Store(true)
		time.Sleep(2 * leaseTime)
		require.Equal(t, "bob", w.leader())
		_ = ann.stop()
		before := w.stored()
		require.Zero(t, late.Arrive(t))
		require.Equal(t, before, w.stored())
		time.Sleep(2 * leaseTime)
		require.Equal(t, "bob", w.leader())
	})
}

func TestALeaderWhoseLeaseIsAnothersStops(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		ann := w.start("ann")
		w.within(tick)
		w.damage(map[string]types.AttributeValue{"owner": text("somebody"), "gen": number(7)})
		time.Sleep(tick + time.Second)
		require.True(t, ann.saw(lease.ErrLost))
		require.Empty(t, w.leader())
		require.Equal(t, "ann", w.within(leaseTime+tick), "somebody is dead")
		require.EqualValues(t, 8, w.lastGen())
	})
}

func TestATakeWhoseAnswersAreLostHolds(t *testing.T) {
	for _, lost := range []int{1, 3} { // the SDK tries three times
		t.Run(fmt.Sprint(lost), func(t *testing.T) {
			inBubble(t, func(t *testing.T, w *world) {
				in := faults.New(t, 1, faults.Rates{})
				in.Script(func(op string, _ []byte, n int) faults.Fault {
					if op == "UpdateItem" && n <= 1+lost {
						return faults.Fault{Kind: faults.LostAfter}
					}
					return faults.Fault{}
				})
				ann := w.start("ann", in.Wrap)
				require.Equal(t, "ann", w.within(tick+time.Second), "it does not wait for itself")
				require.Equal(t, lost == 3, ann.saw(plaza.ErrUnknownOutcome))
				require.EqualValues(t, 1+lost/3, w.lastGen())
				time.Sleep(2 * leaseTime)
				require.Equal(t, "ann", w.leader())
			})
		})
	}
}

func TestADamagedItemIsReportedAndRepaired(t *testing.T) {
	for name, c := range map[string]struct {
		damage map[string]types.AttributeValue
		gen    uint64 // of the next leader
	}{
		"no gen":              {map[string]types.AttributeValue{"gen": nil}, 1},
		"a gen that is text":  {map[string]types.AttributeValue{"gen": text("5")}, 1},
		"a gen that is null":  {map[string]types.AttributeValue{"gen": &types.AttributeValueMemberNULL{Value: true}}, 1},
		"a gen below zero":    {map[string]types.AttributeValue{"gen": number(-5)}, 1},
		"an owner of numbers": {map[string]types.AttributeValue{"owner": number(5)}, 2},
		"no beat":             {map[string]types.AttributeValue{"beat": nil}, 2},
		"a beat that is text": {map[string]types.AttributeValue{"beat": text("5")}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, w *world) {
				ann := w.start("ann")
				w.within(tick)
				require.ErrorIs(t, ann.stop(), context.Canceled)
				w.gens = nil
				w.damage(map[string]types.AttributeValue{"owner": text("somebody")})
				w.damage(c.damage)
				bob := w.start("bob")
				require.Equal(t, "bob", w.within(leaseTime+tick))
				require.True(t, bob.saw(plaza.ErrCorrupt))
				require.Equal(t, c.gen, w.lastGen())
				bob.mu.Lock()
				bob.errs = nil
				bob.mu.Unlock()
				time.Sleep(5 * leaseTime)
				require.Equal(t, "bob", w.leader())
				require.Empty(t, bob.reported())
			})
		})
	}
}

func text(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

func number(n int) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.Itoa(n)}
}

func TestDamageUnderALeaderEndsItsReignAndIsRepaired(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		ann := w.start("ann")
		w.within(tick)
		w.start("bob")
		time.Sleep(tick / 2)
		w.damage(map[string]types.AttributeValue{"owner": number(5)})
		time.Sleep(tick + time.Second)
		require.Empty(t, w.leader())
		require.True(t, ann.saw(plaza.ErrCorrupt))
		w.within(2 * leaseTime)
		require.EqualValues(t, 2, w.lastGen())
	})
}

func TestALeaderWhoseItemIsGoneStopsAndNoGenLeadsTwice(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		ann := w.start("ann")
		w.within(tick)
		require.NoError(t, w.raw.Delete("pk", key.PK).Range("sk", key.SK).Run(t.Context()))
		time.Sleep(tick + time.Second)
		require.True(t, ann.saw(lease.ErrLost))
		require.Equal(t, "ann", w.within(tick))
		require.EqualValues(t, 2, w.lastGen())
	})
}

func TestTheNextGenIsAboveOneThatLedBefore(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		ann := w.startWith("ann", func(gen uint64) error {
			if gen <= 1000 {
				return fmt.Errorf("publishing: %w", &lease.StaleError{Gen: 1000})
			}
			return nil
		})
		time.Sleep(2*tick + tick/2)
		synctest.Wait()
		require.Equal(t, "ann", w.leader())
		require.Equal(t, []uint64{1, 1001}, w.gens)
		var stale *lease.StaleError
		require.ErrorAs(t, ann.reported()[0], &stale)
	})
}

func TestALeaderThatEndsIsFollowedByAnother(t *testing.T) {
	for name, lead := range map[string]func(uint64) error{
		"without an error": func(uint64) error { return errEnds },
		"by a panic":       func(uint64) error { panic("ann cannot") },
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, w *world) {
				ann := w.startWith("ann", lead)
				time.Sleep(tick / 2)
				w.start("bob")
				require.Equal(t, "bob", w.within(tick))
				time.Sleep(2 * leaseTime)
				require.Equal(t, "bob", w.leader())
				require.Equal(t, name == "by a panic", errors.As(ann.reported()[0], new(*parallel.PanicError)))
			})
		})
	}
}

func TestAWrongTableEndsAnElection(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		ann := w.startWith("ann", func(uint64) error { return fmt.Errorf("leading: %w", plaza.ErrTable) })
		<-ann.ended
		require.ErrorIs(t, ann.err, plaza.ErrTable)
		require.NotContains(t, w.stored(), "owner")
		w.table += "-missing"
		bob := w.start("bob")
		<-bob.ended
		require.ErrorIs(t, bob.err, plaza.ErrTable)
	})
}

// Processes come, die, hang and stop while requests fail.
func TestUnderFaultsOneLeadsAtATime(t *testing.T) {
	for seed := range faults.Seeds(50) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			inBubble(t, func(_ *testing.T, w *world) { w.storm(seed) })
		})
	}
}

func (w *world) storm(seed uint64) {
	random := rand.New(rand.NewPCG(seed, 1))
	type running struct {
		*process
		in *faults.Injector
	}
	var all []running
	for n := range faults.Size(60, 30) {
		for len(all) < 3 {
			in := faults.New(w.t, seed*1000+uint64(n*10+len(all)), faults.Standard)
			all = append(all, running{w.start(fmt.Sprint("process-", n, "-", len(all)), in.Wrap), in})
		}
		time.Sleep(time.Duration(random.Int64N(int64(leaseTime))))
		i := random.IntN(len(all))
		switch p := all[i]; random.IntN(4) {
		case 0:
			p.in.KillAt(p.in.Writes() + 1)
			p.cancel()
			p.bury()
			all = slices.Delete(all, i, i+1)
		case 1:
			require.ErrorIs(w.t, p.stop(), context.Canceled)
			all = slices.Delete(all, i, i+1)
		case 2:
			until := time.Now().Add(time.Duration(random.Int64N(int64(2 * leaseTime))))
			p.in.Script(func(string, []byte, int) faults.Fault {
				if time.Now().Before(until) {
					return faults.Fault{Kind: faults.LostAfter}
				}
				return faults.Fault{}
			})
		}
	}
	w.within(4 * leaseTime)
}

func TestAProcessWithAWrongClockDoesNotLead(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		dates := &faults.Dates{}
		ann := w.start("ann", dates.Wrap)
		require.Equal(t, "ann", w.within(tick))
		dates.Shift(time.Hour)
		time.Sleep(2 * tick)
		require.Empty(t, w.leader())
		require.True(t, ann.saw(plaza.ErrUnavailable))
		w.meter.Take()
		time.Sleep(10 * leaseTime)
		cost := w.meter.Take()
		require.Zero(t, cost.Write)
		require.Equal(t, 30, cost.Requests)
		dates.Shift(0)
		require.Equal(t, "ann", w.within(2*tick))
	})
}
