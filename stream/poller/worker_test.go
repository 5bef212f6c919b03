package poller_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/calls/callstest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/stream"
	"github.com/plaza-sdk/plaza/stream/poller"
)

func TestAWorkerThatCannotRenewStopsBeforeOthersTakeOver(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.add("shard-1", "", 0)
		w.handle = func(ctx context.Context, _ string, _ stream.Record) error { // record says if two handle it
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(5 * time.Second):
				return nil
			}
		}
		ann := w.start("ann", nil)
		w.until("the first has it", func() bool { return sum(w.owned()) == 1 })
		w.start("bob", nil)
		time.Sleep(5 * renewTime)
		w.write("shard-1", 30)
		w.until("the first began", func() bool { return len(w.done("shard-1")) > 0 })
		cut := time.Now()
		ann.in.Script(func(string, []byte, int) faults.Fault { return faults.Fault{Kind: faults.LostBefore} })
		w.within(leaseTime+renewTime, "the other has it", func() bool { leases, _ := w.stored(); return leases["shard-1"].Gen == 2 })
		require.GreaterOrEqual(t, time.Since(cut), leaseTime-renewTime)
		w.handles("shard-1")
		w.inOrder("shard-1")
		ann.in.Script(nil)
	})
}

func TestAListingThatFailsCostsNoLease(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.add("shard-1", "", 0)
		ann := w.start("ann", nil)
		w.until("the first has it", func() bool { return sum(w.owned()) == 1 })
		w.start("bob", nil)
		w.change(func() { w.fail = refusing("DescribeStream", "LimitExceededException") })
		time.Sleep(time.Duration(faults.Size(5, 2)) * time.Minute)
		w.write("shard-1", 10)
		w.handles("shard-1")
		leases, _ := w.stored()
		require.EqualValues(t, 1, leases["shard-1"].Gen)
		require.NotEmpty(t, ann.reported())
	})
}

// Its lease is kept for two listings: a shard without one is read from its beginning.
func TestAnEndedShardThatIsListedAgainIsNotReadAgain(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		parent := w.add("shard-1", "", 10)
		w.change(func() { parent.closed = true })
		w.add("shard-2", "shard-1", 10)
		p := w.start("ann", nil)
		w.handles("shard-1", "shard-2")
		w.until("its end is stored", func() bool { leases, _ := w.stored(); return leases["shard-1"].Ended })
		listings := len(w.count("DescribeStream"))
		w.change(func() { parent.unlisted = true })
		w.until("it was missing twice", func() bool { return len(w.count("DescribeStream")) == listings+2 })
		w.change(func() { parent.unlisted = false })
		time.Sleep(renewTime)
		require.ErrorIs(t, p.stop(), context.Canceled)
		p = w.start("bob", nil) // ann reads no more than her share
		time.Sleep(5 * renewTime)
		require.ErrorIs(t, p.stop(), context.Canceled)
		require.Equal(t, w.seqs("shard-1"), w.done("shard-1"))
	})
}

// A worker that stops before the end of a shard is stored leaves the shard to others at
// once.
func TestWhatAStoppedWorkerDrainedIsFree(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		parent := w.add("shard-1", "", 10)
		p := w.start("ann", nil)
		w.handles("shard-1")
		w.change(func() {
			w.fail = refusing("DescribeStream", "LimitExceededException") // so that the end is not stored
			parent.closed = true
		})
		w.add("shard-2", "shard-1", 10)
		time.Sleep(renewTime)
		require.ErrorIs(t, p.stop(), context.Canceled)
		leases, workers := w.stored()
		require.False(t, leases["shard-1"].Ended)
		require.Zero(t, workers)
		w.change(func() { w.fail = refusing("", "") })
		w.start("bob", nil)
		w.within(renewTime+5*time.Second, "the next one goes on", func() bool { return len(w.done("shard-2")) == 10 })
	})
}

func TestTheLeaseOfAnEndedShardThatIsGoneIsForgotten(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		parent := w.add("shard-1", "", 10)
		w.change(func() { parent.closed = true })
		w.add("shard-2", "shard-1", 10)
		p := w.start("ann", nil)
		w.handles("shard-1", "shard-2")
		w.change(func() { parent.gone = true })
		w.until("it is forgotten", func() bool { leases, _ := w.stored(); return len(leases) == 1 })
		w.write("shard-2", 10)
		w.handles("shard-2")
		require.ErrorIs(t, p.stop(), context.Canceled)
		require.Empty(t, p.errs)
	})
}

func TestAShardThatVanishesBeforeItsFirstReadHasEnded(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		old := w.add("shard-1", "", 10)
		w.add("shard-2", "shard-1", 10)
		w.fail = func(op, shard string) string {
			if op == "GetShardIterator" {
				old.gone = true // since it was listed
			}
			return ""
		}
		p := w.start("ann", nil)
		w.handles("shard-2")
		require.ErrorIs(t, p.stop(), context.Canceled)
		require.Empty(t, w.done("shard-1"))
	})
}

func TestAChildThatVanishesBeforeItsFirstReadIsAGap(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		parent := w.add("shard-1", "", 10)
		w.change(func() { parent.closed = true })
		child := w.add("shard-2", "shard-1", 10)
		w.fail = func(op, shard string) string {
			if op == "GetShardIterator" && shard == "shard-2" {
				child.gone = true
			}
			return ""
		}
		p := w.start("ann", nil)
		require.ErrorIs(t, p.wait(), stream.ErrGap)
		require.Equal(t, w.seqs("shard-1"), w.done("shard-1"))
	})
}

func TestARecordThatCannotBeReadIsADeadLetter(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.change(func() { w.odd = 1005 })
		w.add("shard-1", "", 10)
		p := w.start("ann", nil)
		w.until("the others are handled", func() bool { return len(w.done("shard-1")) == 9 })
		require.ErrorIs(t, p.stop(), context.Canceled)
		require.Equal(t, []string{"1005"}, w.letters)
		leases, _ := w.stored()
		require.Equal(t, "1010", leases["shard-1"].Seq)
	})
}

func TestARecordThatIsNeitherHandledNorDeadHoldsItsShardAlone(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.add("shard-1", "", 10)
		w.add("shard-2", "", 10)
		w.tries, w.full = 1, true
		w.handle = func(_ context.Context, _ string, r stream.Record) error {
			if r.Seq == "1005" {
				return errRefused
			}
			return nil
		}
		p := w.start("ann", nil)
		w.handles("shard-2")
		time.Sleep(5 * time.Minute)
		require.Equal(t, w.seqs("shard-1")[:4], w.done("shard-1"))
		leases, _ := w.stored()
		require.Equal(t, "1004", leases["shard-1"].Seq)
		require.Less(t, len(w.count("GetShardIterator")), 5*60, "it is tried again after a pause")
		require.ErrorIs(t, p.reported()[0], errRefused)

		w.log.Lock()
		w.full = false
		w.log.Unlock()
		w.until("the others are handled", func() bool { return len(w.done("shard-1")) == 9 })
		require.ErrorIs(t, p.stop(), context.Canceled)
		require.Equal(t, []string{"1005"}, w.letters)
	})
}

func TestADamagedLeaseKeepsItsShardFromBeingRead(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.add("shard-1", "", 10)
		w.add("shard-2", "shard-1", 10)
		w.add("shard-3", "", 10)
		p := w.start("ann", nil)
		w.handles("shard-3")
		require.ErrorIs(t, p.stop(), context.Canceled)
		shards, _ := w.stored()
		handled := len(w.done("shard-1")) + len(w.done("shard-2"))
		for _, damage := range []types.AttributeValue{&types.AttributeValueMemberS{Value: "many"}, &types.AttributeValueMemberNULL{Value: true}} {
			_, err := w.db.Client().PutItem(t.Context(), &dynamodb.PutItemInput{TableName: &w.table, Item: map[string]types.AttributeValue{
				"pk": &types.AttributeValueMemberS{Value: shards["shard-1"].PK}, "sk": &types.AttributeValueMemberS{Value: shards["shard-1"].SK},
				"gen": damage, "seq": &types.AttributeValueMemberS{Value: "not a number"},
			}})
			require.NoError(t, err)
			var damaged []*plaza.CorruptError
			p = w.start("bob", nil, func(o *poller.Options) {
				o.OnCorrupt = func(err *plaza.CorruptError) { damaged = append(damaged, err) }
			})
			w.write("shard-3", 10)
			w.handles("shard-3")
			require.ErrorIs(t, p.stop(), context.Canceled)
			require.NotEmpty(t, damaged)
			require.Equal(t, shards["shard-1"].SK, damaged[0].SK)
			require.Equal(t, handled, len(w.done("shard-1"))+len(w.done("shard-2")), "nor are its children")
		}
	})
}

func TestAWrongDeploymentEndsRun(t *testing.T) {
	for name, tc := range map[string]struct {
		wrong func(*world)
		want  error
	}{
		"no table":      {func(w *world) { w.table = "nowhere" }, plaza.ErrTable},
		"no stream":     {func(w *world) { w.fail = refusing("DescribeStream", "ResourceNotFoundException") }, plaza.ErrTable},
		"no permission": {func(w *world) { w.fail = refusing("GetRecords", "AccessDeniedException") }, plaza.ErrTable},
		"not its arn":   {func(w *world) { w.fail = refusing("DescribeStream", "ValidationException") }, plaza.ErrTable},
		"one image":     {func(w *world) { w.view = "NEW_IMAGE" }, stream.ErrView},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, w *world) {
				w.add("shard-1", "", 1)
				tc.wrong(w)
				require.ErrorIs(t, w.start("ann", nil).wait(), tc.want)
				require.Empty(t, w.done("shard-1"))
			})
		})
	}
}

func refusing(op, code string) func(string, string) string {
	return func(asked, _ string) string {
		if asked == op {
			return code
		}
		return ""
	}
}

func TestAStreamThatIsGoneIsAGapOrDrained(t *testing.T) {
	for _, drained := range []bool{false, true} {
		t.Run(fmt.Sprint(drained), func(t *testing.T) {
			inBubble(t, func(t *testing.T, w *world) {
				sh := w.add("shard-1", "", 10)
				w.change(func() { sh.closed = drained })
				p := w.start("ann", nil)
				w.until("it is stored", func() bool {
					leases, _ := w.stored()
					return leases["shard-1"].Ended == drained && leases["shard-1"].Seq != ""
				})
				w.change(func() { w.fail = refusing("DescribeStream", "ResourceNotFoundException") })
				if drained {
					require.NoError(t, p.wait())
				} else {
					require.ErrorIs(t, p.wait(), stream.ErrGap)
				}
			})
		})
	}
}

func TestThePollerCostsWhatItSays(t *testing.T) {
	stated := callstest.ReadCosts(t, "../..", "stream/poller")
	inBubble(t, func(t *testing.T, w *world) {
		for i := range 120 {
			w.add(fmt.Sprintf("shard-%03d", i), "", 0)
		}
		w.start("ann", nil)
		w.until("all are leased", func() bool { return sum(w.owned()) == 120 })
		beat := w.beat()
		w.until("a tick is over", func() bool { return w.beat() != beat })
		time.Sleep(renewTime / 2)
		reads, lists := len(w.count("GetRecords")), len(w.count("DescribeStream"))
		w.meter.Price().Take()
		ticks := float64(faults.Size(5, 1))
		time.Sleep(time.Duration(ticks) * renewTime)
		cost := w.meter.Take()
		reads, lists = len(w.count("GetRecords"))-reads, len(w.count("DescribeStream"))-lists // which the meter leaves out
		idle := stated.Times(ticks*10*120, "Poller.Run", "an idle shard, every Options.Idle")
		require.InDelta(t, idle.Requests, reads, 2*120)
		listings := stated.Times(2*ticks, "Poller.Run", "every Options.Renew, each 100 shards, more")
		require.Equal(t, listings.Requests, lists)
		tick := stated.Times(ticks, "Poller.Run", "every Options.Renew")
		require.Equal(t, tick.Requests, cost.Requests, "a beat and the leases")
		require.InDelta(t, tick.Write, cost.Write, 0)
		more := stated.Times(ticks*120*300/4096, "Poller.Run", "every Options.Renew, each further 4 KB of leases, more")
		require.LessOrEqual(t, cost.Read, tick.Read+more.Read)

		w.write("shard-000", 900)
		w.handles("shard-000")
		time.Sleep(time.Second)
		require.InDelta(t, stated.Times(1, "Poller.Run", "a read that had records, more").Write, w.meter.Take().Write, 0)
	})
}

func TestAFewRecordsASecondCostFewReadsAndABacklogNoPause(t *testing.T) {
	stated := callstest.ReadCosts(t, "../..", "stream/poller")
	inBubble(t, func(t *testing.T, w *world) {
		w.change(func() { w.most = 10 })
		w.add("shard-1", "", 1000)
		time.Sleep(time.Minute)
		begun := time.Now()
		p := w.start("ann", nil)
		w.handles("shard-1")
		require.Less(t, time.Since(begun), 5*time.Second)
		before := len(w.count("GetRecords"))
		seconds := faults.Size(60, 10)
		for range seconds * 20 {
			w.write("shard-1", 1)
			time.Sleep(50 * time.Millisecond)
		}
		busy := stated.Times(float64(seconds), "Poller.Run", "a busy shard, each second")
		require.LessOrEqual(t, len(w.count("GetRecords"))-before, busy.Requests+10)
		w.handles("shard-1")
		require.ErrorIs(t, p.stop(), context.Canceled)
		require.Equal(t, w.seqs("shard-1"), w.done("shard-1"))
	})
}
