package lease_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/lease"
	"github.com/plaza-sdk/plaza/internal/store"
)

const (
	leaseTime = 30 * time.Second
	tick      = leaseTime / 3
)

var key = store.Key{PK: "election", SK: "leader"}

var errEnds = errors.New("it ends")

type wrapper = func(aws.HTTPClient) aws.HTTPClient

// world is an election, and who leads.
type world struct {
	t     *testing.T
	table string
	meter *dynamotest.Meter
	send  wrapper
	raw   dynamo.Table

	mu      sync.Mutex
	leading []string // processes that are alive; more than one is a failure
	gens    []uint64 // all that led
}

// inBubble runs f with a clock of its own, on a table of the real engine.
func inBubble(t *testing.T, f func(t *testing.T, w *world)) {
	t.Helper()
	t.Parallel()
	w := &world{table: dynamotest.Table(t, store.Schema), meter: dynamotest.NewMeter().Price()}
	w.send = dynamotest.Outside(t, w.meter.Wrap)
	synctest.Test(t, func(t *testing.T) {
		w.t = t
		w.raw = dynamotest.DB(t, w.send).Table(w.table)
		f(t, w)
	})
}

// process is a process that stands for election.
type process struct {
	*world
	name   string
	cancel context.CancelFunc
	ended  chan struct{}
	err    error // of Run

	fails func(gen uint64) error // what Lead returns at once, unless nil; errEnds stands for nil
	dead  bool                   // it leads no more, whatever it believes
	errs  []error
}

// start runs a process whose requests come through wrap.
func (w *world) start(name string, wrap ...wrapper) *process {
	return w.startWith(name, func(uint64) error { return nil }, wrap...)
}

func (w *world) startWith(name string, fails func(gen uint64) error, wrap ...wrapper) *process {
	w.t.Helper()
	table, err := store.Open(dynamotest.DB(w.t, append([]wrapper{w.send}, wrap...)...), w.table, nil, false)
	require.NoError(w.t, err)
	owner, err := lease.NewOwner(rand.Reader)
	require.NoError(w.t, err)
	ctx, cancel := context.WithCancel(w.t.Context())
	p := &process{world: w, name: name, cancel: cancel, ended: make(chan struct{}), fails: fails}
	e := &lease.Election{Table: table, Key: key, Owner: owner, Lease: leaseTime, Lead: p.lead, OnError: p.failed}
	go func() { p.err = e.Run(ctx); close(p.ended) }()
	w.t.Cleanup(func() { _ = p.stop() })
	return p
}

func (p *process) lead(ctx context.Context, gen uint64) error {
	p.mu.Lock()
	if len(p.gens) > 0 {
		assert.Greater(p.t, gen, p.gens[len(p.gens)-1])
	}
	p.gens = append(p.gens, gen)
	if !p.dead {
		p.leading = append(p.leading, p.name)
	}
	assert.LessOrEqual(p.t, len(p.leading), 1, "%v lead", p.leading)
	p.mu.Unlock()
	defer p.resign()
	switch err := p.fails(gen); err {
	case nil:
	case errEnds:
		return nil
	default:
		return err
	}
	<-ctx.Done()
	return ctx.Err()
}

func (p *process) resign() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if i := slices.Index(p.leading, p.name); i >= 0 {
		p.leading = slices.Delete(p.leading, i, i+1)
	}
}

func (p *process) failed(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.errs = append(p.errs, err)
}

// reported returns what OnError was called with.
func (p *process) reported() []error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.errs)
}

// saw reports whether OnError was called with such an error.
func (p *process) saw(err error) bool {
	return slices.ContainsFunc(p.reported(), func(e error) bool { return errors.Is(e, err) })
}

// stop ends Run, and returns its error.
func (p *process) stop() error {
	p.cancel()
	<-p.ended
	return p.err
}

// bury says that the process is dead, though its goroutines are not.
func (p *process) bury() {
	p.resign()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dead = true
}

// leader is who leads, "" for nobody.
func (w *world) leader() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.leading) == 0 {
		return ""
	}
	return w.leading[0]
}

// within returns who leads, and waits for a leader up to d.
func (w *world) within(d time.Duration) string {
	w.t.Helper()
	for end := time.Now().Add(d); ; time.Sleep(10 * time.Millisecond) {
		if name := w.leader(); name != "" {
			return name
		}
		if time.Now().After(end) {
			require.Fail(w.t, fmt.Sprintf("nobody leads after %v", d))
		}
	}
}

func (w *world) lastGen() uint64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.gens[len(w.gens)-1]
}

// stored is the item.
func (w *world) stored() dynamo.Item {
	w.t.Helper()
	var item dynamo.Item
	require.NoError(w.t, w.raw.Get("pk", key.PK).Range("sk", dynamo.Equal, key.SK).Consistent(true).One(w.t.Context(), &item))
	return item
}

// damage changes the item; a nil value removes the attribute.
func (w *world) damage(change map[string]types.AttributeValue) {
	w.t.Helper()
	item := w.stored()
	for name, value := range change {
		if item[name] = value; value == nil {
			delete(item, name)
		}
	}
	require.NoError(w.t, w.raw.Put(item).Run(w.t.Context()))
}
