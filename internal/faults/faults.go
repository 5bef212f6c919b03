// Package faults injects faults between a DynamoDB client and the engine: those
// that networks and DynamoDB cause and DynamoDB Local never does.
package faults

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/plaza-sdk/plaza"
)

// Kind is what happens to one request.
type Kind int

const (
	None         Kind = iota
	LostBefore        // never arrives; the connection is reset
	LostAfter         // applied, its answer lost; the connection is reset
	Twice             // sent and applied twice; the second answer is returned
	Throttled         // refused; of a transaction, in part, by a ThrottlingError among its reasons
	Delayed           // by up to five milliseconds
	Conflict          // a single write or a transaction is refused: TransactionConflict
	Unprocessed       // part of a batch is not done
	Stale             // an eventually consistent read gets an earlier answer, or an empty one
	Hung              // applied, then silent until the caller's context ends; scripted only
	Refused           // never leaves; the connection is refused; scripted only
	InProgress        // a transaction is refused: an attempt with its token is under way; scripted only
	KilledBefore      // not applied, and no later request arrives; scripted only
	KilledAfter       // applied, its answer lost, and no later request arrives; scripted only
	kinds
)

func (k Kind) String() string {
	return [kinds]string{
		"none", "lost before", "lost after", "twice", "throttled", "delayed", "conflict",
		"unprocessed", "stale", "hung", "refused", "in progress", "killed before", "killed after",
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

// Rates are the probabilities of each fault for a request that can have it. A
// request has at most one fault.
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

// Injector decides which requests of the clients that it wraps have faults. Only
// reads and writes of items do.
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

// New returns an injector that is on. The same seed and sequence of requests have
// the same faults. The seed is logged if the test fails.
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

// Off lets every request pass uncounted, even after a kill, until On.
func (in *Injector) Off() { in.set(true) }

// On undoes Off.
func (in *Injector) On() { in.set(false) }

func (in *Injector) set(off bool) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.off = off
}

// KillAt simulates that the client's process is killed at its k-th write, counted
// from 1. That write is applied and its answer lost; no later request arrives. All
// of them fail with ErrKilled.
func (in *Injector) KillAt(k int) { in.kill(k, KilledAfter) }

// KillBefore is KillAt, but the k-th write is not applied.
func (in *Injector) KillBefore(k int) { in.kill(k, KilledBefore) }

// HangAt lets the caller give up at the k-th request, counted from 1, once that was applied.
func (in *Injector) HangAt(k int, giveUp func()) {
	in.Script(func(_ string, _ []byte, n int) Fault {
		if n != k {
			return Fault{}
		}
		giveUp()
		return Fault{Kind: Hung}
	})
}

func (in *Injector) kill(k int, kind Kind) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.killAt, in.killKind = k, kind
}

// Script lets f choose the fault of the n-th request, counted from 1. If f returns
// None the rates decide. f must not call the injector.
func (in *Injector) Script(f func(op string, body []byte, n int) Fault) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.script = f
}

// Before returns an injector without other faults that calls meanwhile, once, just before
// the first request of that operation. Meanwhile must use another client.
func Before(t testing.TB, op string, meanwhile func()) *Injector {
	t.Helper()
	in, done := New(t, 0, Rates{}), false
	in.Script(func(sent string, _ []byte, _ int) Fault {
		if sent == op && !done {
			done = true
			meanwhile()
		}
		return Fault{}
	})
	return in
}

// Requests counts the requests, including repeats by the SDK.
func (in *Injector) Requests() int {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.requests
}

// Writes counts the requests that were writes: PutItem, UpdateItem, DeleteItem,
// BatchWriteItem and TransactWriteItems.
func (in *Injector) Writes() int {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.writes
}

// Count counts the faults of that kind.
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

// Passing reports whether a call that failed with err may be repeated.
func Passing(err error) bool {
	for _, final := range []error{plaza.ErrInvalid, plaza.ErrNotFound, plaza.ErrForbidden, plaza.ErrConflict, plaza.ErrRemoved, plaza.ErrTable, plaza.ErrCorrupt} {
		if errors.Is(err, final) {
			return false
		}
	}
	return err != nil
}

// Acknowledged repeats a call until it succeeds, as a careful caller does, and
// returns the number of calls. A final error fails the test.
func Acknowledged(t testing.TB, call func() error) (calls int) {
	t.Helper()
	for calls = 1; ; calls++ {
		err := call()
		if err == nil {
			return calls
		}
		if !Passing(err) || calls == 200 {
			t.Fatalf("faults: after %d calls: %v", calls, err)
		}
	}
}
