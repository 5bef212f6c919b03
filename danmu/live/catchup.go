package live

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/live"
)

const (
	// settled is how long after Sent it is certain that a comment was stored or
	// that its Send failed. Clocks may differ by as much.
	settled = 2 * time.Minute

	// maxReadings bounds the readings that a viewer remembers.
	maxReadings = 16
)

// Viewer is a place in a room. It is for one goroutine, except for Close.
type Viewer struct {
	hub      *Hub
	place    *live.Viewer[Event]
	room     string
	readings []*reading
	again    *Batch // its rest could not be encoded; Next tries again
}

// Close leaves the room. A second call does nothing.
func (v *Viewer) Close() { v.place.Close() }

// question is a read that several viewers may need at the same time. After a Reset, all
// viewers of a room do.
type question struct {
	room     string
	from, to time.Duration
	opts     danmu.WindowOptions
}

// answer is the result of a question.
type answer struct {
	window  danmu.Window
	reading *reading
}

// reading is what viewers remember of an answer, without the many comments.
type reading struct {
	from, to time.Duration
	begun    time.Time
	recent   map[danmu.ID]struct{} // sent within settled before begun

	// The viewers who share a reading also share the rest of a batch.
	mu      sync.Mutex
	first   *Event // of the last batch
	events  []Event
	encoded []byte
}

// has reports whether c was read.
func (r *reading) has(c *danmu.Comment) bool {
	if c.Progress < r.from || c.Progress >= r.to {
		return false
	}
	_, read := r.recent[c.ID]
	return read || !c.Sent.IsZero() && c.Sent.Before(r.begun.Add(-settled))
}

// CatchUp reads the stored comments of [from, to) of the playing time, strongly
// consistent, as danmu.Repository.Window does; Next leaves out what it returned.
// Call it after Join, after a Reset and when the viewer seeks. Viewers who ask
// for the same at the same time share one read: do not change the comments.
//
// Next ignores Merge, Cap, Sample and Filter: it also returns comments of the
// last two minutes that they left out, and whatever is sent from then on.
//
// Cost: as danmu.Repository.Window, strongly consistent.
func (v *Viewer) CatchUp(ctx context.Context, from, to time.Duration, opts *danmu.WindowOptions) (danmu.Window, error) {
	ctx = plaza.WithOperation(ctx, "danmu/live.Viewer.CatchUp")
	q := question{room: v.room, from: from, to: to, opts: args.Given(opts)}
	q.opts.Consistent = true
	a, err := v.hub.ask(ctx, q, v.place.Since())
	if err != nil {
		return danmu.Window{}, fmt.Errorf("live: catch up in %q: %w", v.room, err)
	}
	v.readings = slices.DeleteFunc(v.readings, func(old *reading) bool { return from <= old.from && old.to <= to })
	if len(v.readings) == maxReadings {
		v.readings = slices.Delete(v.readings, 0, 1)
	}
	v.readings = append(v.readings, a.reading)
	return a.window, nil
}

// ask reads, or shares a read that began at since or later.
func (h *Hub) ask(ctx context.Context, q question, since time.Time) (*answer, error) {
	for {
		a, err := h.answers.Do(ctx, q, func(ctx context.Context) (*answer, error) { return h.read(ctx, q) })
		if a == nil || !a.reading.begun.Before(since) {
			return a, err
		}
	}
}

func (h *Hub) read(ctx context.Context, q question) (*answer, error) {
	r := &reading{from: q.from, to: q.to, begun: time.Now(), recent: map[danmu.ID]struct{}{}}
	window, err := h.store.Window(ctx, q.room, q.from, q.to, &q.opts)
	for i := range window.Comments {
		if c := &window.Comments[i]; !c.Sent.Before(r.begun.Add(-settled)) {
			r.recent[c.ID] = struct{}{}
		}
	}
	return &answer{window, r}, err
}

// Next waits for the next batch. Once the viewer or its hub is closed it returns
// ErrClosed; Viewer.Close does not wake a Next that waits. A panic in
// Options.Encode is returned as an error; if it concerns all viewers it ends the
// room, so join again.
//
// Cost: none.
func (v *Viewer) Next(ctx context.Context) (Batch, error) {
	if len(v.readings) == 0 {
		return v.place.Next(ctx)
	}
	b, err := v.take(ctx)
	if err != nil {
		return Batch{}, err
	}
	if err := v.leaveOut(&b); err != nil {
		again := b
		v.again = &again
		return Batch{}, err
	}
	v.again = nil
	return b, nil
}

func (v *Viewer) take(ctx context.Context) (Batch, error) {
	if v.again == nil {
		return v.place.Next(ctx)
	}
	if err := v.place.Err(); err != nil {
		return Batch{}, err
	}
	return *v.again, nil
}

// leaveOut removes from b what CatchUp has read. After an error b is unchanged.
func (v *Viewer) leaveOut(b *Batch) error {
	read := func(e Event) bool {
		return e.Comment != nil && slices.ContainsFunc(v.readings, func(r *reading) bool { return r.has(e.Comment) })
	}
	if !slices.ContainsFunc(b.Events, read) {
		return nil
	}
	rest := func() (events []Event, encoded []byte, err error) {
		if events = slices.DeleteFunc(slices.Clone(b.Events), read); len(events) == 0 {
			return nil, nil, nil
		}
		err = parallel.Catch(func() error {
			encoded = v.hub.encode(v.room, events)
			return nil
		})
		return events, encoded, err
	}
	var events []Event
	var encoded []byte
	var err error
	if len(v.readings) == 1 {
		events, encoded, err = v.readings[0].share(&b.Events[0], rest)
	} else {
		events, encoded, err = rest()
	}
	if err != nil {
		return fmt.Errorf("live: encode in %q: %w", v.room, err)
	}
	b.Events, b.Encoded = events, encoded
	return nil
}

// share makes the rest of a batch only once. first is the batch's first event.
func (r *reading) share(first *Event, rest func() ([]Event, []byte, error)) ([]Event, []byte, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.first == first {
		return r.events, r.encoded, nil
	}
	events, encoded, err := rest()
	if err == nil {
		r.events, r.encoded, r.first = events, encoded, first
	}
	return events, encoded, err
}
