package poller_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/stream"
	"github.com/plaza-sdk/plaza/stream/poller"
)

func TestAChildStartsAfterItsParentsEndIsCheckpointed(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		parent := w.add("shard-1", "", 100)
		w.add("shard-2", "shard-1", 10)
		w.add("shard-3", "shard-1", 10)
		w.handle = func(_ context.Context, _ string, r stream.Record) error {
			if r.Shard != "shard-1" {
				leases, _ := w.stored()
				require.True(t, leases["shard-1"].Ended, "%s of %s", r.Seq, r.Shard)
			}
			return nil
		}
		w.change(func() { parent.closed = true })
		p := w.start("ann", nil)
		w.handles("shard-1", "shard-2", "shard-3")
		require.ErrorIs(t, p.stop(), context.Canceled)
		for _, shard := range []string{"shard-1", "shard-2", "shard-3"} {
			require.Equal(t, w.seqs(shard), w.done(shard), "each once, in order")
		}
	})
}

func TestAChildOfATrimmedOrOpenParentStarts(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.add("shard-2", "trimmed", 10)
		w.add("shard-3", "", 10) // it stays open
		w.add("shard-4", "shard-3", 10)
		p := w.start("ann", nil)
		w.handles("shard-2", "shard-3", "shard-4")
		require.ErrorIs(t, p.stop(), context.Canceled)
		leases, _ := w.stored()
		require.True(t, leases["shard-3"].Ended)
		require.False(t, leases["shard-4"].Ended)
	})
}

// DynamoDB may answer without records before the records of a shard.
func TestAClosedParentIsReadToItsEnd(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.add("shard-1", "", 10).closed = true
		w.add("shard-2", "shard-1", 10)
		w.empty = 20
		w.start("ann", nil)
		w.handles("shard-1", "shard-2")
	})
}

func TestAnOpenShardWithoutChildrenGoesOn(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.add("shard-1", "", 3)
		w.start("ann", nil)
		w.handles("shard-1")
		time.Sleep(5 * time.Minute) // many answers without records
		w.write("shard-1", 3)
		w.handles("shard-1")
		require.Equal(t, w.seqs("shard-1"), w.done("shard-1"))

		w.change(func() { w.fail = refusing("GetRecords", "InternalServerError") }) // a failure is not such an answer
		w.write("shard-1", 10)
		w.add("shard-2", "shard-1", 10)
		time.Sleep(time.Minute)
		w.change(func() { w.fail = refusing("", "") })
		w.handles("shard-1", "shard-2")
	})
}

func TestShardsOfManyPagesAreAllLeased(t *testing.T) {
	const n = 120
	for _, page := range faults.Some(1, 10, 100) {
		t.Run(fmt.Sprint(page), func(t *testing.T) {
			inBubble(t, func(t *testing.T, w *world) {
				w.page = page
				for i := range n {
					w.add(fmt.Sprintf("shard-%03d", i), "", 0)
				}
				p := w.start("ann", nil, func(o *poller.Options) { o.Idle = time.Minute })
				w.until("all are leased", func() bool { return len(w.owned()) == 1 && sum(w.owned()) == n })
				time.Sleep(5 * renewTime)
				require.ErrorIs(t, p.stop(), context.Canceled)
				times := w.count("DescribeStream")
				require.Greater(t, len(times), 4*n/page)
				for i := range times[10:] {
					require.GreaterOrEqual(t, times[i+10].Sub(times[i]), time.Second, "DescribeStream %d to %d", i, i+10)
				}
			})
		})
	}
}

func sum(counts map[string]int) (n int) {
	for _, c := range counts {
		n += c
	}
	return n
}

func TestAnExpiredIteratorResumesAfterTheCheckpoint(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.add("shard-1", "", 10)
		p := w.start("ann", nil)
		w.handles("shard-1")
		w.change(func() { w.epoch++ })
		w.write("shard-1", 10)
		w.handles("shard-1")
		require.ErrorIs(t, p.stop(), context.Canceled)
		require.Equal(t, w.seqs("shard-1"), w.done("shard-1"), "none is lost or comes again")
		require.Empty(t, p.errs)
	})
}

func TestATrimmedCheckpointIsAGap(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		sh := w.add("shard-1", "", 10)
		p := w.start("ann", nil)
		w.handles("shard-1")
		require.ErrorIs(t, p.stop(), context.Canceled)
		w.write("shard-1", 10)
		w.change(func() { sh.trimmed = 15 })
		p = w.start("bob", nil)
		require.ErrorIs(t, p.wait(), stream.ErrGap)
		require.Len(t, w.done("shard-1"), 10, "nothing behind the gap is handled")
		require.Empty(t, w.owned())
	})
}

func TestAShardThatVanishesUnfinishedIsAGap(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		sh := w.add("shard-1", "", 10)
		p := w.start("ann", nil)
		w.handles("shard-1")
		w.change(func() { sh.gone = true })
		w.add("shard-2", "shard-1", 10)
		require.ErrorIs(t, p.wait(), stream.ErrGap)
		require.Empty(t, w.done("shard-2"))
	})
}

func TestTrimmedBeforeAnyCheckpointBeginsWithTheOldestRecord(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		sh := w.add("shard-1", "", 0)
		p := w.start("ann", nil)
		w.until("it is read", func() bool { return len(w.count("GetRecords")) > 0 })
		w.write("shard-1", 10)
		w.change(func() { sh.trimmed = 4 })
		w.until("the others are handled", func() bool { return len(w.done("shard-1")) == 6 })
		require.ErrorIs(t, p.stop(), context.Canceled)
		require.Equal(t, w.seqs("shard-1")[4:], w.done("shard-1"))
	})
}

func TestFailedReadsDoNotEndAShard(t *testing.T) {
	for _, code := range []string{"InternalServerError", "ProvisionedThroughputExceededException", "LimitExceededException", "reset", "empty"} {
		t.Run(code, func(t *testing.T) {
			inBubble(t, func(t *testing.T, w *world) {
				w.add("shard-1", "", 5)
				failed := map[string]int{}
				w.fail = func(op, _ string) string {
					if failed[op]++; failed[op] > 10 {
						return ""
					}
					if op == "DescribeStream" {
						failed[op] = 11
					}
					return code
				}
				p := w.start("ann", nil)
				w.handles("shard-1")
				w.write("shard-1", 5)
				w.handles("shard-1")
				require.ErrorIs(t, p.stop(), context.Canceled)
				require.Equal(t, w.seqs("shard-1"), w.done("shard-1"))
				leases, _ := w.stored()
				require.False(t, leases["shard-1"].Ended)
				require.NotEmpty(t, p.errs)
			})
		})
	}
}

func TestWorkersShareShardsEvenlyAndTakeOverFromTheDead(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		for i := range 10 {
			w.add(fmt.Sprintf("shard-%d", i), "", 1)
		}
		ann := w.start("ann", nil)
		w.until("the first has all", func() bool { return len(w.owned()) == 1 && sum(w.owned()) == 10 })
		bob := w.start("bob", nil)
		w.within(2*renewTime, "each has five", func() bool {
			owned := w.owned()
			return len(owned) == 2 && sum(owned) == 10 && equal(owned, 5)
		})
		time.Sleep(time.Duration(faults.Size(5, 1)) * time.Minute)
		require.True(t, equal(w.owned(), 5))

		renewed := ann.in.Writes()
		w.until("the first renews", func() bool { return ann.in.Writes() > renewed })
		writing, stop := context.WithCancel(t.Context())
		var writer sync.WaitGroup
		writer.Go(func() { // records come all the time: record says if two workers handle a shard
			for i := 0; writing.Err() == nil; i++ {
				w.write(fmt.Sprintf("shard-%d", i%10), 1)
				time.Sleep(time.Duration(faults.Size(50, 250)) * time.Millisecond)
			}
		})
		ann.kill() // right after it renewed
		took := w.within(leaseTime+renewTime, "the other has ten", func() bool {
			owned := w.owned()
			return len(owned) == 1 && sum(owned) == 10
		})
		require.GreaterOrEqual(t, took, leaseTime-time.Second, "not while it may live")
		stop()
		writer.Wait()
		for i := range 10 {
			w.handles(fmt.Sprintf("shard-%d", i))
		}
		_, workers := w.stored()
		require.Equal(t, 1, workers, "the dead one's item is gone")
		require.ErrorIs(t, bob.stop(), context.Canceled)
		_, workers = w.stored()
		require.Zero(t, workers)
	})
}

func TestAnExtraShardIsGivenBack(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.add("shard-1", "", 1)
		w.add("shard-2", "", 1)
		w.start("ann", nil)
		w.handles("shard-1", "shard-2")
		w.start("bob", nil)
		w.within(2*renewTime, "each has one", func() bool { return len(w.owned()) == 2 })
	})
}

func equal(owned map[string]int, each int) bool {
	for _, n := range owned {
		if n != each {
			return false
		}
	}
	return true
}

func TestAStoppedWorkerStoresItsCheckpointAndReleasesItsLeases(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.add("shard-1", "", 100)
		forty := w.seqs("shard-1")[39]
		var ann *process
		w.handle = func(_ context.Context, _ string, r stream.Record) error {
			if r.Seq == forty {
				ann.cancel()
			}
			return nil
		}
		poller, p := w.poller("ann", nil)
		ctx, cancel := context.WithCancel(t.Context())
		p.cancel = cancel
		ann = p
		require.ErrorIs(t, poller.Run(ctx), context.Canceled)
		leases, workers := w.stored()
		require.Equal(t, forty, leases["shard-1"].Seq)
		require.Empty(t, leases["shard-1"].Owner)
		require.Zero(t, workers)

		begun := time.Now()
		bob := w.start("bob", nil)
		w.handles("shard-1")
		require.Less(t, time.Since(begun), renewTime, "nobody waits for a lease that was released")
		require.ErrorIs(t, bob.stop(), context.Canceled)
		require.Equal(t, w.seqs("shard-1"), w.done("shard-1"), "41 to 100 follow")
	})
}
