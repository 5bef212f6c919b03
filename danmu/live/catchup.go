package live

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/plaza-sdk/plaza/danmu"
)

const (
	// settled is how long after it was sent a comment is surely stored, or its
	// Send has failed; clocks may differ by as much.
	settled = 2 * time.Minute

	// maxCaught bounds the reads that a viewer remembers.
	maxCaught = 16
)

// caught is what the viewers of a reading remember of it: not the comments,
// which are many.
type caught struct {
	from, to time.Duration
	begun    time.Time
	lately   map[danmu.ID]struct{}

	// Who has read the same leaves out the same.
	mu      sync.Mutex
	told    *Event // the first of the last batch
	events  []Event
	encoded []byte
}

// has tells whether c was read.
func (r *caught) has(c *danmu.Comment) bool {
	if c.Progress < r.from || c.Progress >= r.to {
		return false
	}
	_, read := r.lately[c.ID]
	return read || !c.Sent.IsZero() && c.Sent.Before(r.begun.Add(-settled))
}

// CatchUp reads what is stored of [from, to) of the playing time, strongly
// consistent, as danmu.Repository.Window does and at its cost; Next leaves out
// what it gave. Viewers call it once they have joined, upon a Reset and when
// they seek. Those who ask the same at one time share one read: do not change
// the comments.
//
// Merge, Cap, Sample and Filter do not bind Next: it tells what they left out
// and was sent within the last two minutes, and all that is sent from then on.
func (v *Viewer) CatchUp(ctx context.Context, from, to time.Duration, opts *danmu.WindowOptions) (danmu.Window, error) {
	q := question{room: v.room.name, from: from, to: to}
	if opts != nil {
		q.opts = *opts
	}
	q.opts.Consistent = true
	read, err := v.hub.readings.read(ctx, v.hub.store, q, v.since)
	if err != nil {
		return danmu.Window{}, fmt.Errorf("live: catch up in %q: %w", v.room.name, err)
	}
	v.caught = slices.DeleteFunc(v.caught, func(old *caught) bool { return from <= old.from && old.to <= to })
	if len(v.caught) == maxCaught {
		v.caught = slices.Delete(v.caught, 0, 1)
	}
	v.caught = append(v.caught, read.caught)
	return read.window, nil
}

// leaveOut leaves out what CatchUp has read. A batch that was cut is encoded
// anew in any case.
func (v *Viewer) leaveOut(b *Batch, cut bool) (err error) {
	read := func(e Event) bool {
		return e.Comment != nil && slices.ContainsFunc(v.caught, func(r *caught) bool { return r.has(e.Comment) })
	}
	if len(v.caught) == 0 || !slices.ContainsFunc(b.Events, read) {
		if cut {
			b.Encoded, err = v.room.encode(b.Events)
		}
		return err
	}
	less := func() ([]Event, []byte, error) {
		events := slices.DeleteFunc(slices.Clone(b.Events), read)
		if len(events) == 0 {
			return nil, nil, nil
		}
		encoded, err := v.room.encode(events)
		return events, encoded, err
	}
	if len(v.caught) == 1 {
		b.Events, b.Encoded, err = v.caught[0].share(&b.Events[0], less)
	} else {
		b.Events, b.Encoded, err = less()
	}
	return err
}

// share has the rest of a batch, which begins with first, made once.
func (r *caught) share(first *Event, less func() ([]Event, []byte, error)) ([]Event, []byte, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.told == first {
		return r.events, r.encoded, nil
	}
	events, encoded, err := less()
	if err == nil {
		r.events, r.encoded, r.told = events, encoded, first
	}
	return events, encoded, err
}
