package stream

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"github.com/plaza-sdk/plaza/internal/parallel"
)

// Deliver sends events to sink, as many in a request as its Limit allows, and sends again what
// failed, up to policy's attempts. It returns one error for each event, nil if the event was
// delivered or is a dead letter. An event over the sink's limit is a dead letter without a request,
// and so is one that the sink says cannot succeed.
//
// Events of one Group are sent one after another: a request has at most one of
// them, and while that waits for another attempt, the later ones wait too.
//
// Without dead, an event that cannot be delivered has its error, as Permanent.
// When ctx ends, the remaining events have the context's error.
//
// Cost: as sink's Put for each request, and as dead's Put for each dead letter.
func Deliver(ctx context.Context, sink Sink, events []Event, policy Policy, dead DeadLetters) []error {
	return deliver(ctx, sink, events, policy, func(ctx context.Context, i, attempts int, cause error) error {
		if dead == nil {
			return Permanent(cause)
		}
		e := events[i]
		return putDead(ctx, dead, Dead{Seq: e.ID, Reason: reasonOf(cause), Attempts: attempts, At: e.At, Record: e.Data})
	})
}

// To makes a Batch that sends an event for each record, as Deliver does. The
// function makes the event of a record, or reports false if it has none. ID and At
// default to the record's. Without dead, the Processor makes the dead letters of
// what cannot be delivered.
func To(sink Sink, event func(Record) (Event, bool, error), policy Policy, dead DeadLetters) Batch {
	return func(ctx context.Context, records []Record) []error {
		errs := make([]error, len(records))
		var events []Event
		var from []int // the record of each event
		failed := map[string]bool{}
		for i, r := range records {
			if len(failed) > 0 && failed[itemKey(r)] {
				errs[i] = ErrHeld
				continue
			}
			var e Event
			var ok bool
			errs[i] = parallel.Catch(func() (err error) {
				e, ok, err = event(r)
				return err
			})
			switch {
			case errs[i] != nil:
				failed[itemKey(r)] = true
			case ok:
				e.ID = cmp.Or(e.ID, r.ID)
				if e.At.IsZero() {
					e.At = r.At
				}
				events = append(events, e)
				from = append(from, i)
			}
		}
		sent := deliver(ctx, sink, events, policy, func(ctx context.Context, n, attempts int, cause error) error {
			if dead == nil {
				return Permanent(cause)
			}
			r := records[from[n]]
			return putDead(ctx, dead, Item{Seq: r.Seq, Record: r}.Dead(reasonOf(cause), attempts))
		})
		for n, err := range sent {
			errs[from[n]] = err
		}
		return errs
	}
}

// delivery is one call of Deliver.
type delivery struct {
	sink     Sink
	limit    Limit
	policy   Policy
	bury     func(ctx context.Context, event, attempts int, cause error) error
	events   []Event
	sizes    []int
	attempts []int
	errs     []error
	stuck    map[string]bool // groups with an event that waits for its next attempt
	lost     map[string]bool // groups with an event that was neither delivered nor buried
}

func deliver(ctx context.Context, sink Sink, events []Event, policy Policy, bury func(context.Context, int, int, error) error) []error {
	d := &delivery{
		sink: sink, policy: policy, bury: bury, events: events,
		sizes: make([]int, len(events)), attempts: make([]int, len(events)), errs: make([]error, len(events)),
		lost: map[string]bool{},
	}
	if err := parallel.Catch(func() error { d.measure(); return nil }); err != nil {
		for i := range events {
			d.errs[i] = err
		}
		return d.errs
	}
	todo := d.fitting(ctx)
	for round := 1; len(todo) > 0; round++ {
		todo = d.round(ctx, todo)
		err := ctx.Err()
		if err == nil && len(todo) > 0 {
			err = policy.pause(ctx, round)
		}
		if err != nil {
			for _, i := range todo {
				d.errs[i] = err
			}
			break
		}
	}
	return d.errs
}

// measure reads the sink's limit. A bound of 0 is none.
func (d *delivery) measure() {
	d.limit = d.sink.Limit()
	d.limit.Events = max(d.limit.Events, 1)
	if d.limit.Bytes <= 0 {
		d.limit.Bytes = math.MaxInt
	}
	if d.limit.Event <= 0 {
		d.limit.Event = math.MaxInt
	}
	for i, e := range d.events {
		if d.limit.Size != nil {
			d.sizes[i] = d.limit.Size(e)
		} else {
			d.sizes[i] = len(e.Data)
		}
	}
}

// fitting buries the events that no request can carry and returns the others.
func (d *delivery) fitting(ctx context.Context) []int {
	most := min(d.limit.Event, d.limit.Bytes)
	var todo []int
	for i, size := range d.sizes {
		if size <= most {
			todo = append(todo, i)
			continue
		}
		d.fail(ctx, i, fmt.Errorf("%w: the event has %d bytes, at most %d are allowed", ErrTooLarge, size, most))
	}
	return todo
}

// fail buries an event, unless the context has ended.
func (d *delivery) fail(ctx context.Context, i int, cause error) {
	err := ctx.Err()
	if err == nil { // otherwise the event itself did not fail
		err = d.bury(ctx, i, d.attempts[i], cause)
	}
	if d.errs[i] = err; err != nil {
		d.lost[d.events[i].Group] = d.events[i].Group != ""
	}
}

// round sends each event of todo once, in as few requests as its order allows,
// and returns those that are to be sent again.
func (d *delivery) round(ctx context.Context, todo []int) (again []int) {
	d.stuck = map[string]bool{}
	for len(todo) > 0 && ctx.Err() == nil {
		pack, rest, held := d.pack(todo)
		again = append(again, held...)
		if todo = rest; len(pack) > 0 {
			again = append(again, d.send(ctx, pack)...)
		}
	}
	return append(again, todo...)
}

// pack chooses the events of a request, at most one of each group: if one of two
// failed, the other would have passed it.
func (d *delivery) pack(todo []int) (pack, rest, held []int) {
	groups := map[string]bool{}
	bytes := 0
	for n, i := range todo {
		group := d.events[i].Group
		switch {
		case group != "" && d.lost[group]:
			d.errs[i] = ErrHeld
		case group != "" && d.stuck[group]:
			held = append(held, i)
		case group != "" && groups[group]:
			rest = append(rest, i)
		case len(pack) == d.limit.Events || bytes > d.limit.Bytes-d.sizes[i]:
			return pack, append(rest, todo[n:]...), held
		default:
			pack = append(pack, i)
			bytes += d.sizes[i]
			if group != "" {
				groups[group] = true
			}
		}
	}
	return pack, rest, held
}

// send makes one request and returns what is to be sent again.
func (d *delivery) send(ctx context.Context, pack []int) (again []int) {
	events := make([]Event, len(pack))
	for n, i := range pack {
		events[n] = d.events[i]
	}
	var outcomes []Outcome
	err := parallel.Catch(func() (err error) {
		outcomes, err = d.sink.Put(ctx, events)
		return err
	})
	if err == nil && len(outcomes) != len(pack) {
		err = ErrOutcomes
	}
	for n, i := range pack {
		outcome := Outcome{Err: err, Retry: !isPermanent(err)}
		if err == nil {
			outcome = outcomes[n]
		}
		if outcome.Err == nil {
			continue
		}
		d.attempts[i]++
		if !outcome.Retry || d.attempts[i] >= d.policy.attempts() {
			d.fail(ctx, i, outcome.Err)
			continue
		}
		again = append(again, i)
		if group := d.events[i].Group; group != "" {
			d.stuck[group] = true
		}
	}
	return again
}
