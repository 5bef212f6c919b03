package poller_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/stream"
	"github.com/plaza-sdk/plaza/stream/poller"
)

const (
	leaseTime = 30 * time.Second
	renewTime = 10 * time.Second
)

// world is a stream, a table of leases, and what the workers of a group handled.
type world struct {
	*script
	t       *testing.T
	table   string // of leases
	db      *dynamo.DB
	meter   *dynamotest.Meter
	dial    func(wrap ...func(aws.HTTPClient) aws.HTTPClient) *dynamo.DB
	streams func() *dynamodbstreams.Client

	log     sync.Mutex
	handled map[string][]string // sequence numbers, by shard
	busy    map[string]string
	letters []string // sequence numbers of dead letters
	full    bool     // no dead letter can be stored
	tries   int      // of each record
	handle  func(ctx context.Context, worker string, r stream.Record) error
}

// inBubble runs f with a clock of its own, on a table of the real engine.
func inBubble(t *testing.T, f func(t *testing.T, w *world)) {
	t.Helper()
	t.Parallel()
	table := dynamotest.Table(t, poller.Table)
	meter := dynamotest.NewMeter()
	send := dynamotest.Outside(t, meter.Wrap)
	synctest.Test(t, func(t *testing.T) {
		w := &world{
			script: newScript(), t: t, table: table, meter: meter,
			handled: map[string][]string{}, busy: map[string]string{}, tries: 1000000,
			handle: func(context.Context, string, stream.Record) error { return nil },
		}
		w.dial = func(wrap ...func(aws.HTTPClient) aws.HTTPClient) *dynamo.DB {
			return dynamotest.DB(t, slices.Concat([]func(aws.HTTPClient) aws.HTTPClient{send}, wrap)...)
		}
		w.streams = func() *dynamodbstreams.Client { return w.client(meter.Wrap) }
		w.db = w.dial()
		f(t, w)
	})
}

// dead keeps the dead letters of a world.
type dead struct{ *world }

func (d dead) Put(_ context.Context, letter stream.Dead) error {
	d.log.Lock()
	defer d.log.Unlock()
	if d.full {
		return errRefused
	}
	d.letters = append(d.letters, letter.Seq)
	return nil
}

// process is a process with one worker.
type process struct {
	*world
	name   string
	in     *faults.Injector
	cancel context.CancelFunc
	ended  chan struct{}
	asked  bool    // how Run ended
	err    error   // of Run
	errs   []error // of OnError
}

// poller makes the poller of a process that has faults.
func (w *world) poller(name string, in *faults.Injector, change ...func(*poller.Options)) (*poller.Poller, *process) {
	w.t.Helper()
	p := &process{world: w, name: name, in: in, ended: make(chan struct{})}
	if in == nil {
		p.in = faults.New(w.t, 1, faults.Rates{})
	}
	processor, err := stream.NewProcessor(stream.Each(p.record, 1), dead{w}, &stream.ProcessorOptions{Policy: stream.Policy{Attempts: w.tries}})
	require.NoError(w.t, err)
	opts := &poller.Options{Lease: leaseTime, Renew: renewTime, OnError: p.failed}
	for _, f := range change {
		f(opts)
	}
	poller, err := poller.New(w.dial(p.in.Wrap), w.streams(), poller.Group{Table: w.table, Stream: w.arn, Name: "group"}, processor, opts)
	require.NoError(w.t, err)
	return poller, p
}

// start runs a worker until it is stopped, at the latest by the end of the test.
func (w *world) start(name string, in *faults.Injector, change ...func(*poller.Options)) *process {
	w.t.Helper()
	poller, p := w.poller(name, in, change...)
	ctx, cancel := context.WithCancel(w.t.Context())
	p.cancel = cancel
	go func() { p.err = poller.Run(ctx); close(p.ended) }()
	w.t.Cleanup(func() {
		asked := p.asked
		if err := p.stop(); !asked {
			assert.ErrorIs(w.t, err, context.Canceled)
		}
		if w.t.Failed() {
			w.t.Log(p.name, p.err, p.errs)
		}
	})
	return p
}

// wait returns what Run does.
func (p *process) wait() error {
	p.asked = true
	select {
	case <-p.ended:
		return p.err
	case <-time.After(10 * time.Minute):
		return errors.New("it does not end")
	}
}

// stop ends the worker and returns what Run does.
func (p *process) stop() error {
	p.cancel()
	return p.wait()
}

// kill ends the worker as a process ends that is killed: no request of it arrives
// any more.
func (p *process) kill() {
	p.in.Script(func(string, []byte, int) faults.Fault { return faults.Fault{Kind: faults.KilledBefore} })
	_ = p.stop()
}

func (p *process) failed(err error) {
	p.log.Lock()
	defer p.log.Unlock()
	p.errs = append(p.errs, err)
}

func (p *process) reported() []error {
	p.log.Lock()
	defer p.log.Unlock()
	return slices.Clone(p.errs)
}

func (p *process) record(ctx context.Context, r stream.Record) error {
	p.log.Lock()
	if other, there := p.busy[r.Shard]; there {
		assert.Fail(p.t, "two workers handle a shard", "%s and %s, %s", p.name, other, r.Shard)
	}
	p.busy[r.Shard] = p.name
	p.log.Unlock()
	defer func() {
		p.log.Lock()
		defer p.log.Unlock()
		delete(p.busy, r.Shard)
	}()
	if err := p.handle(ctx, p.name, r); err != nil {
		return err
	}
	p.log.Lock()
	defer p.log.Unlock()
	p.handled[r.Shard] = append(p.handled[r.Shard], r.Seq)
	return nil
}

// seqs are the sequence numbers that a shard has.
func (w *world) seqs(shard string) (seqs []string) {
	w.change(func() {
		for _, seq := range w.shard(shard).seqs {
			seqs = append(seqs, fmt.Sprint(seq))
		}
	})
	return seqs
}

func (w *world) done(shard string) []string {
	w.log.Lock()
	defer w.log.Unlock()
	return slices.Clone(w.handled[shard])
}

// until waits until something holds, up to an hour of the bubble.
func (w *world) until(what string, holds func() bool) {
	w.t.Helper()
	w.within(time.Hour, what, holds)
}

// within waits until something holds, and returns how long it took.
func (w *world) within(limit time.Duration, what string, holds func() bool) time.Duration {
	w.t.Helper()
	begun := time.Now()
	for !holds() {
		if time.Since(begun) > limit {
			require.Fail(w.t, "it never held", what)
		}
		time.Sleep(500 * time.Millisecond)
	}
	return time.Since(begun)
}

// handles waits until every record of these shards was handled.
func (w *world) handles(shards ...string) {
	w.t.Helper()
	for _, shard := range shards {
		w.until("everything in "+shard+" is handled", func() bool {
			return len(missing(w.seqs(shard), w.done(shard))) == 0
		})
	}
}

func missing(want, have []string) (missing []string) {
	for _, seq := range want {
		if !slices.Contains(have, seq) {
			missing = append(missing, seq)
		}
	}
	return missing
}

// stored is an item of the table of leases.
type stored struct {
	PK     string `dynamo:"pk"`
	SK     string `dynamo:"sk"`
	Owner  string `dynamo:"owner"`
	Gen    int64  `dynamo:"gen"`
	Seq    string `dynamo:"seq"`
	Parent string `dynamo:"parent"`
	Ended  bool   `dynamo:"ended"`
	Beat   int64  `dynamo:"beat"`
}

// stored reads the leases by shard, and how many workers there are.
func (w *world) stored() (shards map[string]stored, workers int) {
	w.t.Helper()
	var items []stored
	pk := keys.Join("L", "group", w.arn)
	require.NoError(w.t, w.db.Table(w.table).Get("pk", pk).Consistent(true).All(w.t.Context(), &items))
	shards = map[string]stored{}
	for _, item := range items {
		if shard, ok := strings.CutPrefix(item.SK, "S#"); ok {
			shards[shard] = item
		} else {
			workers++
		}
	}
	return shards, workers
}

// beat is that of the one worker.
func (w *world) beat() (beat int64) {
	w.t.Helper()
	var items []stored
	require.NoError(w.t, w.db.Table(w.table).Scan().Consistent(true).All(w.t.Context(), &items))
	for _, item := range items {
		beat += item.Beat
	}
	return beat
}

// owned counts the leases of each worker.
func (w *world) owned() map[string]int {
	shards, _ := w.stored()
	n := map[string]int{}
	for _, s := range shards {
		if s.Owner != "" {
			n[s.Owner]++
		}
	}
	return n
}

var errRefused = errors.New("refused by the test")
