package stream

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/args"
)

// ProcessorOptions are the options of a Processor. The zero value works.
type ProcessorOptions struct {
	// Policy says how often a record is tried before it becomes a dead letter.
	Policy Policy

	// Limits bound a Lambda event.
	Limits Limits

	// Reason is the Reason of a dead letter whose record failed with this error.
	// It must hold no data of the item. Defaults to the error's class, without
	// its text.
	Reason func(error) string

	// Margin is how long before its deadline Processor.Lambda stops, so that its
	// answer arrives. Defaults to 500 ms.
	Margin time.Duration

	// OnDead is called with each dead letter that was stored and with its cause,
	// perhaps by several goroutines at once. Defaults to nothing.
	OnDead func(Dead, error)

	// OnStop is called with the error that stopped Processor.Lambda within an
	// event. The answer to Lambda can only name the record. Defaults to nothing.
	OnStop func(error)
}

// Processor hands records to a Batch, tries again what failed, and makes dead
// letters of what keeps failing. It is safe for concurrent use if the Batch is.
type Processor struct {
	batch Batch
	dead  DeadLetters
	opts  ProcessorOptions
}

// NewProcessor does no I/O.
func NewProcessor(b Batch, dead DeadLetters, opts *ProcessorOptions) (*Processor, error) {
	p := &Processor{batch: b, dead: dead, opts: args.Given(opts)}
	switch {
	case b == nil:
		return nil, &plaza.InvalidError{Field: "b", Reason: "is nil"}
	case dead == nil:
		return nil, &plaza.InvalidError{Field: "dead", Reason: "is nil"}
	}
	limits := p.opts.Limits
	err := cmp.Or(
		args.AtLeast("Limits", min(limits.Bytes, limits.Records, limits.Depth), 0),
		args.DefaultAtLeast("Margin", &p.opts.Margin, 500*time.Millisecond, 0),
		p.opts.Policy.check("Policy"),
	)
	if err != nil {
		return nil, err
	}
	if p.opts.Reason == nil {
		p.opts.Reason = reasonOf
	}
	if p.opts.OnDead == nil {
		p.opts.OnDead = func(Dead, error) {}
	}
	if p.opts.OnStop == nil {
		p.opts.OnStop = func(error) {}
	}
	return p, nil
}

// Process handles items of one shard, in their order. Each of items[:done] was
// handled or is a dead letter now. Later ones may have been handled too, and come
// again.
//
// Records that failed are tried again after a pause, until their attempts are
// used up or their error is Permanent; then they become dead letters. An item that
// cannot be read becomes one at once. Later records of the same item wait for an
// earlier one if the Batch reports them as ErrHeld, as Each does, and continue
// after it was handled or became a dead letter.
//
// Process stops with an error when ctx ends, when a dead letter cannot be stored, and with
// ErrView, since then the whole stream is unusable. The record at which it stops is no dead
// letter.
//
// Cost: as b, and as dead's Put for each dead letter.
func (p *Processor) Process(ctx context.Context, items []Item) (done int, err error) {
	run := &run{Processor: p, items: items, end: len(items), attempts: make([]int, len(items)), left: make([]bool, len(items))}
	run.buryUnread(ctx)
	run.handle(ctx)
	if run.end == len(items) {
		return run.end, nil
	}
	return run.end, fmt.Errorf("stream: at record %s of stream %s: %w", items[run.end].Seq, items[run.end].Record.Stream, run.err)
}

// run is one call of Process.
type run struct {
	*Processor
	items    []Item
	attempts []int
	left     []bool // neither handled nor dead
	end      int    // only items below it are worked on
	err      error  // the reason
}

// stop ends work at an item below the end.
func (r *run) stop(at int, err error) { r.end, r.err = at, err }

// buryUnread makes dead letters of the items that cannot be read.
func (r *run) buryUnread(ctx context.Context) {
	for i, item := range r.items {
		var err error
		switch {
		case item.Err == nil:
			r.left[i] = true
			continue
		case errors.Is(item.Err, ErrView):
			err = item.Err
		default:
			err = r.bury(ctx, i, item.Err.Error(), item.Err)
		}
		if err != nil {
			r.stop(i, err)
			return
		}
	}
}

// handle makes rounds of attempts until nothing is left below the end.
func (r *run) handle(ctx context.Context) {
	again := false
	for round := 0; ; round++ {
		var at []int
		var records []Record
		for i, left := range r.left[:r.end] {
			if left {
				at = append(at, i)
				records = append(records, r.items[i].Record)
			}
		}
		if len(at) == 0 {
			return
		}
		err := ctx.Err()
		if err == nil && again {
			err = r.opts.Policy.pause(ctx, round)
		}
		if err != nil {
			r.stop(at[0], err)
			return
		}
		again = r.judge(ctx, at, r.batch.answer(ctx, records))
	}
}

// judge settles each record by its error. It reports whether one is to be tried again.
func (r *run) judge(ctx context.Context, at []int, errs []error) (again bool) {
	// A Batch that holds everything back would never end.
	moved := false
	for _, err := range errs {
		moved = moved || !isHeld(err)
	}
	for n, i := range at {
		err := errs[n]
		switch {
		case err == nil:
			r.left[i] = false
			continue
		case i >= r.end:
			continue
		case moved && isHeld(err):
			continue
		}
		r.attempts[i]++
		if r.attempts[i] < r.opts.Policy.attempts() && !isPermanent(err) {
			again = true
			continue
		}
		if failed := r.bury(ctx, i, r.opts.Reason(err), err); failed != nil {
			r.stop(i, failed)
			continue
		}
		r.left[i] = false
	}
	return again
}

// bury stores the dead letter of an item.
func (r *run) bury(ctx context.Context, i int, reason string, cause error) error {
	if err := ctx.Err(); err != nil { // the record may have failed because of it
		return err
	}
	letter := r.items[i].Dead(reason, r.attempts[i])
	if err := putDead(ctx, r.dead, letter); err != nil {
		return err
	}
	r.opts.OnDead(letter, cause)
	return nil
}
