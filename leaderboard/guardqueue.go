package leaderboard

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/internal/store"
)

// maxGuards is how many guards one transaction writes beside their entry: a
// transaction has at most 100 writes.
const maxGuards = 99

// guardQueues has a queue for each entry on which guarded operations of this process
// wait, so that they share transactions and do not contend with each other. The zero
// value works.
type guardQueues struct {
	mu      sync.Mutex
	waiting map[store.Key][]*operation // an entry that has operations under way has a key
}

// guardBatch is operations that are under way together.
type guardBatch struct {
	operations []*operation
	callers    int // who have not given up; guarded by guardQueues.mu
	cancel     context.CancelFunc
}

// commitTimeout is how long a batch may take.
const commitTimeout = 30 * time.Second

var errBatchEnded = fmt.Errorf("leaderboard: the write ended its goroutine: %w", plaza.ErrUnknownOutcome)

// do waits for the answer to an attempt. If the caller gives up, an operation that is
// under way goes on for the others of its batch.
func (q *guardQueues) do(ctx context.Context, r *Repository, a attempt) (answer, error) {
	if err := ctx.Err(); err != nil {
		return answer{}, err
	}
	o := &operation{attempt: a, done: make(chan struct{}), err: errBatchEnded}
	q.add(ctx, r, o)
	select {
	case <-o.done:
		return o.got, o.err
	case <-ctx.Done():
	}
	if q.leave(o) {
		return answer{}, ctx.Err()
	}
	select {
	case <-o.done: // meanwhile
		return o.got, o.err
	default:
		return answer{}, fmt.Errorf("%w: %w", plaza.ErrUnknownOutcome, ctx.Err())
	}
}

func (q *guardQueues) add(ctx context.Context, r *Repository, o *operation) {
	q.mu.Lock()
	defer q.mu.Unlock()
	entry := o.entry()
	_, served := q.waiting[entry]
	if q.waiting == nil {
		q.waiting = map[store.Key][]*operation{}
	}
	q.waiting[entry] = append(q.waiting[entry], o)
	if !served {
		go q.serve(context.WithoutCancel(ctx), r, entry)
	}
}

// leave reports whether the operation was still waiting: then it is never begun. A
// batch that nobody waits for is cancelled.
func (q *guardQueues) leave(o *operation) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if o.under == nil {
		entry := o.entry()
		q.waiting[entry] = slices.DeleteFunc(q.waiting[entry], func(other *operation) bool { return other == o })
		return true
	}
	if o.under.callers--; o.under.callers == 0 {
		o.under.cancel()
	}
	return false
}

// serve works until no operation on the entry waits. Its context has the values of
// the first caller's.
func (q *guardQueues) serve(ctx context.Context, r *Repository, entry store.Key) {
	ended := false
	defer func() {
		if !ended { // a hook of the application ended the goroutine
			go q.serve(ctx, r, entry)
		}
	}()
	for {
		ctx, cancel := context.WithTimeout(ctx, commitTimeout)
		batch := q.take(entry, cancel)
		if batch == nil {
			cancel()
			ended = true
			return
		}
		batch.run(ctx, r)
	}
}

// take begins the operations that waited longest, one of each guard.
func (q *guardQueues) take(entry store.Key, cancel context.CancelFunc) *guardBatch {
	q.mu.Lock()
	defer q.mu.Unlock()
	batch := &guardBatch{cancel: cancel}
	taken := map[ids.ID]bool{} // the guards of one entry differ by Op
	var rest []*operation
	for i, o := range q.waiting[entry] {
		if len(taken) == maxGuards {
			rest = append(rest, q.waiting[entry][i:]...)
			break
		}
		if taken[o.Op] {
			rest = append(rest, o)
			continue
		}
		taken[o.Op] = true
		o.under = batch
		batch.operations = append(batch.operations, o)
	}
	if batch.callers = len(batch.operations); batch.callers == 0 {
		delete(q.waiting, entry)
		return nil
	}
	q.waiting[entry] = rest
	return batch
}

// run answers all operations of the batch, whatever happens.
func (b *guardBatch) run(ctx context.Context, r *Repository) {
	defer b.cancel()
	defer func() {
		for _, o := range b.operations {
			close(o.done)
		}
	}()
	err := parallel.Catch(func() error { return r.commit(ctx, b.operations) })
	if err != nil && !errors.Is(err, plaza.ErrUnknownOutcome) && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = fmt.Errorf("no answer within %v: %w: %v", commitTimeout, plaza.ErrBusy, err) //nolint:errorlint // callers' own contexts have not ended
	}
	for _, o := range b.operations {
		if !o.answered {
			o.err = err
		}
	}
}

// guarded applies or undoes a guarded submission. An attempt with a refusal writes
// nothing, and may only get its first answer.
func (r *Repository) guarded(ctx context.Context, a attempt, refusal error) (answer, error) {
	if a.forgotten() {
		return answer{}, ErrOpTooOld
	}
	a.print = a.guardedPrint()
	if refusal != nil {
		return r.answered(ctx, a, refusal)
	}
	return r.guards.do(ctx, r, a)
}
