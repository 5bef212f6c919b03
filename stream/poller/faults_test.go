package poller_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/stream"
)

// Workers come, die and stop while shards split and every kind of request fails.
func TestUnderFaultsEveryRecordIsHandledInOrder(t *testing.T) {
	for seed := range faults.Seeds(20) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			inBubble(t, func(_ *testing.T, w *world) { w.storm(seed, func() bool { return true }) })
		})
	}
}

// The group's leases are one partition, which is refused, and the stream delivers late and
// twice.
func TestAHotGroupHandlesAStreamThatRepeats(t *testing.T) {
	for seed := range faults.Seeds(6) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			inBubble(t, func(t *testing.T, w *world) {
				records, hot := faults.NewRecords(seed), &faults.Buckets{PerSecond: 600}
				w.streams = func() *dynamodbstreams.Client { return w.client(records.Wrap, w.meter.Wrap) }
				dial := w.dial
				w.dial = func(wrap ...func(aws.HTTPClient) aws.HTTPClient) *dynamo.DB { return dial(append(wrap, hot.Wrap)...) }
				w.late = true
				w.storm(seed, func() bool { return hot.Throttled() >= 50 && records.Twice() >= 20 })
			})
		})
	}
}

// storm goes on until enough has happened.
func (w *world) storm(seed uint64, enough func() bool) {
	random := newRandom(seed, 1)
	w.fail = randomFailures(seed)
	handlerFails := newRandom(seed, 3)
	w.handle = func(ctx context.Context, _ string, r stream.Record) error {
		w.log.Lock()
		fail, took := handlerFails.IntN(20) == 0, time.Duration(handlerFails.IntN(50))*time.Millisecond
		w.log.Unlock()
		time.Sleep(took)
		if parent := w.parent(r.Shard); parent != "" {
			assert.Empty(w.t, missing(w.seqs(parent), w.done(parent)), "%s comes before the end of %s", r.Shard, parent)
		}
		if fail {
			return errRefused
		}
		return ctx.Err()
	}
	open := []string{"shard-0", "shard-1"}
	w.add(open[0], "", 20)
	w.add(open[1], "", 20)
	all := slices.Clone(open)
	started := 0
	var running []*process
	start := func() {
		started++
		running = append(running, w.start(fmt.Sprint("worker-", started), faults.New(w.t, seed*100+uint64(started), faults.Standard)))
	}
	start()
	for step := 0; step < 25 || !enough(); step++ {
		require.Less(w.t, step, 1000)
		time.Sleep(time.Duration(random.IntN(5000)) * time.Millisecond)
		i := random.IntN(len(open))
		switch random.IntN(6) {
		case 0: // a split; the leases of many shards would starve one another on a hot key
			if len(all) < 16 {
				open = w.split(open, i, len(all), random.IntN(2) == 0)
				all = append(all, open[len(open)-2:]...)
			}
		case 1:
			if len(running) < 3 {
				start()
			}
		case 2, 3:
			p := running[0]
			running = running[1:]
			if random.IntN(2) == 0 {
				p.kill()
			} else {
				require.ErrorIs(w.t, p.stop(), context.Canceled)
			}
			if len(running) == 0 {
				start()
			}
		default:
			w.write(open[i], random.IntN(30))
		}
		if step%5 == 0 {
			w.checkpointed(open)
		}
	}
	w.handles(all...)
	for _, p := range running {
		require.ErrorIs(w.t, p.stop(), context.Canceled)
	}
	for _, shard := range all {
		w.inOrder(shard)
	}
	leases, _ := w.stored()
	for _, shard := range all {
		if seqs := w.seqs(shard); len(seqs) > 0 && leases[shard].Seq != "" {
			require.Contains(w.t, w.done(shard), leases[shard].Seq, "a checkpoint of what was not handled")
		}
	}
}

func newRandom(seed, n uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, n)) }

// randomFailures fail one request of ten, for reasons that pass.
func randomFailures(seed uint64) func(op, shard string) string {
	random := newRandom(seed, 2)
	codes := []string{"InternalServerError", "ProvisionedThroughputExceededException", "ExpiredIteratorException", "reset", "empty"}
	return func(string, string) string { // under the script's lock
		if random.IntN(10) == 0 {
			return codes[random.IntN(len(codes))]
		}
		return ""
	}
}

func (w *world) parent(shard string) (parent string) {
	w.change(func() { parent = w.shard(shard).parent })
	return parent
}

// checkpointed waits until the leases say that everything in these shards was handled: a
// checkpoint that was refused is stored later.
func (w *world) checkpointed(shards []string) {
	w.t.Helper()
	w.handles(shards...)
	for _, shard := range shards {
		if seqs := w.seqs(shard); len(seqs) > 0 {
			w.until("the checkpoint of "+shard+" is stored", func() bool {
				leases, _ := w.stored()
				return leases[shard].Seq == seqs[len(seqs)-1]
			})
		}
	}
}

// inOrder fails if a record was skipped before it was handled. Some come again.
func (w *world) inOrder(shard string) {
	w.t.Helper()
	seqs := w.seqs(shard)
	reached := -1
	for _, seq := range w.done(shard) {
		at := slices.Index(seqs, seq)
		require.LessOrEqual(w.t, at, reached+1, "%s: record %s came too early", shard, seq)
		reached = max(reached, at)
	}
}
