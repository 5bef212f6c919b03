// Package faults does to a DynamoDB client, between it and the engine, what
// networks and DynamoDB do to it and DynamoDB Local never does.
package faults

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// Kind is what happens to one request.
type Kind int

const (
	None         Kind = iota
	LostBefore        // never arrives; the connection is reset
	LostAfter         // applied, its answer lost; the connection is reset
	Twice             // sent and applied twice, the second answer is given
	Throttled         // refused; of a transaction, in part, by a ThrottlingError among its reasons
	Delayed           // by up to five milliseconds
	Conflict          // a single write or a transaction is refused: TransactionConflict
	Unprocessed       // part of a batch is not done
	Stale             // a read that is not consistent gets an earlier answer, or an empty one
	Hung              // applied, then silent until the caller's context ends; scripted only
	KilledBefore      // not applied, and no later request arrives; scripted only
	KilledAfter       // applied, its answer lost, and no later request arrives; scripted only
	kinds
)

func (k Kind) String() string {
	return [kinds]string{
		"none", "lost before", "lost after", "twice", "throttled", "delayed", "conflict",
		"unprocessed", "stale", "hung", "killed before", "killed after",
	}[k]
}

// Fault is one scripted fault.
type Fault struct {
	Kind Kind

	// Entries of a batch that are Unprocessed. Defaults to a random part.
	Entries int

	// Reasons of a transaction's Conflict, a code for each item. Defaults to
	// "TransactionConflict" for a random item and "None" for the others.
	Reasons []string
}

// Rates are the probabilities of faults for a request that they can happen to.
// A request has one fault at most.
type Rates struct {
	LostBefore, LostAfter, Twice, Throttled, Delayed, Conflict, Unprocessed, Stale float64
}

// Standard is what every write must survive.
var Standard = Rates{LostBefore: 0.05, LostAfter: 0.10, Throttled: 0.05, Twice: 0.05}

func (r Rates) of(k Kind) float64 {
	return [kinds]float64{
		LostBefore: r.LostBefore, LostAfter: r.LostAfter, Twice: r.Twice, Throttled: r.Throttled,
		Delayed: r.Delayed, Conflict: r.Conflict, Unprocessed: r.Unprocessed, Stale: r.Stale,
	}[k]
}

// Injector decides what happens to the requests of the clients it wraps. Only
// reads and writes of items have faults.
type Injector struct {
	t     testing.TB
	rates Rates

	mu       sync.Mutex
	random   *rand.Rand
	off      bool
	dead     bool
	killAt   int
	killKind Kind
	script   func(op string, body []byte, n int) Fault
	requests int
	writes   int
	counts   [kinds]int
	answers  answers
}

// New returns an injector that is on. The same seed and the same sequence of
// requests have the same faults. The seed is logged when the test fails.
func New(t testing.TB, seed uint64, rates Rates) *Injector {
	t.Helper()
	r := rates
	sum := r.LostBefore + r.LostAfter + r.Twice + r.Throttled + r.Delayed + max(r.Conflict, r.Unprocessed+r.Stale)
	if sum > 1+1e-9 {
		t.Fatalf("faults: the rates %+v add up to more than 1", rates)
	}
	in := &Injector{
		t:       t,
		rates:   rates,
		random:  rand.New(rand.NewPCG(seed, 0)),
		answers: make(answers),
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("faults: seed %d, injected: %v", seed, in)
		}
	})
	return in
}

// Wrap puts the injector before next. It may wrap several clients.
func (in *Injector) Wrap(next aws.HTTPClient) aws.HTTPClient {
	return client{in, next}
}

// Off lets everything pass, uncounted and also after a kill, until On.
func (in *Injector) Off() { in.set(true) }

// On undoes Off.
func (in *Injector) On() { in.set(false) }

func (in *Injector) set(off bool) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.off = off
}

// KillAt ends the client's process, as it were, at its k-th write, counted from
// 1: that one is applied and its answer lost, and no later request arrives. All
// of these fail with ErrKilled.
func (in *Injector) KillAt(k int) { in.kill(k, KilledAfter) }

// KillBefore is KillAt with the k-th write not applied.
func (in *Injector) KillBefore(k int) { in.kill(k, KilledBefore) }

func (in *Injector) kill(k int, kind Kind) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.killAt, in.killKind = k, kind
}

// Script asks f first what happens to the n-th request, counted from 1. Where
// it answers None the rates decide. f must not call the injector.
func (in *Injector) Script(f func(op string, body []byte, n int) Fault) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.script = f
}

// Requests is how many there were, repeats by the SDK included.
func (in *Injector) Requests() int {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.requests
}

// Writes is how many of the requests were writes: PutItem, UpdateItem,
// DeleteItem, BatchWriteItem and TransactWriteItems.
func (in *Injector) Writes() int {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.writes
}

// Count is how many faults of that kind there were.
func (in *Injector) Count(k Kind) int {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.counts[k]
}

// String lists what was injected.
func (in *Injector) String() string {
	in.mu.Lock()
	defer in.mu.Unlock()
	var parts []string
	for k := LostBefore; k < kinds; k++ {
		if n := in.counts[k]; n > 0 {
			parts = append(parts, fmt.Sprintf("%v %d", k, n))
		}
	}
	return fmt.Sprintf("%s; of %d requests", strings.Join(parts, ", "), in.requests)
}
