package live

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/plaza-sdk/plaza/internal/parallel"
)

// room is what the viewers of a video share.
type room struct {
	name string
	opts *Options

	// Of the hub, under its lock.
	broken  func() // ends the room
	viewers int
	idle    *time.Timer
	cancel  context.CancelFunc // of its opening
	stop    func()             // nil until the backplane has answered

	opened chan struct{} // closed when it has answered
	err    error         // by then

	mu     sync.RWMutex
	log    log
	replay Pos           // how far the log came before the room opened; empty once that is told
	begun  uint64        // the place after that
	wake   chan struct{} // closed when the log grows, or the room ends
	ended  bool
	failed error // why it has ended, if not by the hub

	in       sync.Mutex // taken within mu, or alone: who delivers waits for no viewers
	started  bool
	pending  []Entry
	bytes    int  // of pending
	flushing bool // or about to
	flushed  time.Time

	recent recent // of flush alone
}

func newRoom(name string, opts *Options, cancel context.CancelFunc) *room {
	return &room{name: name, opts: opts, cancel: cancel, opened: make(chan struct{}), wake: make(chan struct{})}
}

// start begins the log.
func (r *room) start(s Subscription) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.log.mark(s.From)
	if s.End != s.From {
		r.replay = s.End
	}
	r.in.Lock()
	defer r.in.Unlock()
	r.started, r.flushed = true, time.Now()
	r.schedule()
}

// deliver takes what the backplane has. What does not fit until the next batch
// is a gap.
func (r *room) deliver(entries []Entry) {
	r.in.Lock()
	defer r.in.Unlock()
	for _, e := range entries {
		r.bytes += len(e.Payload)
		if r.bytes > r.opts.Bytes && len(r.pending) > 0 {
			e.Payload, e.Gap = nil, true
			if last := &r.pending[len(r.pending)-1]; last.Gap && last.Payload == nil {
				*last = e
				continue
			}
		}
		r.pending = append(r.pending, e)
	}
	r.schedule()
}

// schedule has the next batch made, Every after the last: at once, where
// nothing happened for long.
func (r *room) schedule() {
	if r.flushing || len(r.pending) == 0 || !r.started {
		return
	}
	r.flushing = true
	time.AfterFunc(r.opts.Every-time.Since(r.flushed), func() {
		if err := parallel.Catch(r.flush); err != nil {
			r.fail(err)
		}
	})
}

// fail ends the room: its viewers get the error.
func (r *room) fail(err error) {
	r.mu.Lock()
	if r.failed == nil {
		r.failed = fmt.Errorf("live: room %q: %w", r.name, err)
	}
	r.mu.Unlock()
	r.broken()
}

// flush makes batches of what is pending: one, unless there are gaps in it.
func (r *room) flush() error {
	r.in.Lock()
	pending := r.pending
	r.pending, r.bytes = nil, 0
	r.in.Unlock()

	r.recent.turn(time.Now())
	var batches []told
	for len(pending) > 0 {
		var b told
		b, pending = r.tell(pending)
		batches = append(batches, b)
	}

	if wake := r.extend(batches); wake != nil {
		close(wake) // without the lock, which all whom it wakes want next
	}
	return nil
}

// encode is Options.Encode. Its panic is an error.
func (r *room) encode(events []Event) (encoded []byte, err error) {
	err = parallel.Catch(func() error {
		encoded = r.opts.Encode(r.name, events)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("live: encode in %q: %w", r.name, err)
	}
	return encoded, nil
}

// extend adds batches to the log. It returns what wakes those who wait for
// them, if there are any.
func (r *room) extend(batches []told) (wake chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	end := r.log.end
	for i := range batches {
		r.append(&batches[i])
	}
	r.in.Lock()
	r.flushing, r.flushed = false, time.Now()
	r.schedule()
	r.in.Unlock()
	if r.log.end > end && !r.ended {
		wake, r.wake = r.wake, make(chan struct{})
	}
	return wake
}

// told is what becomes of entries up to the next gap.
type told struct {
	gap     bool
	lost    uint64 // events that cannot be read
	events  []Event
	marks   []mark // counted from the first event
	encoded []byte
	size    int
}

// tell decodes entries up to the next gap, drops what was told before, and
// encodes the rest.
func (r *room) tell(entries []Entry) (t told, rest []Entry) {
	t.gap = entries[0].Gap
	for i, entry := range entries {
		if i > 0 && entry.Gap {
			rest = entries[i:]
			break
		}
		if len(entry.Payload) > 0 {
			var e Event
			switch err := json.Unmarshal(entry.Payload, &e); {
			case err != nil:
				t.lost++
			case r.recent.isNew(e):
				if e.Comment != nil {
					e.Comment.Object = r.name
				}
				t.events = append(t.events, e)
				t.size += len(entry.Payload)
			}
		}
		if entry.Pos != "" {
			t.marks = append(t.marks, mark{entry.Pos, uint64(len(t.events))})
		}
	}
	if len(t.events) > 0 {
		t.encoded = r.opts.Encode(r.name, t.events)
		t.size += len(t.encoded)
	}
	return t, rest
}

// append adds to the log what was told.
func (r *room) append(t *told) {
	l := &r.log
	if t.gap {
		r.replayed()
		l.add(held{Batch: Batch{Pos: l.last(), Reset: true}, start: l.end}, r.opts.Batches, r.opts.Bytes)
		l.end++
	}
	l.end += t.lost
	start := l.end
	for _, m := range t.marks {
		l.end = start + m.at
		l.mark(m.pos)
		if m.pos == r.replay {
			r.replayed()
		}
	}
	l.end = start + uint64(len(t.events))
	if len(t.events) > 0 {
		b := Batch{Pos: l.last(), Events: t.events, Encoded: t.encoded}
		l.add(held{b, start, t.size}, r.opts.Batches, r.opts.Bytes)
	}
}

// replayed notes where that begins which whoever joins from now on is told.
func (r *room) replayed() {
	if r.replay != "" {
		r.replay, r.begun = "", r.log.end
	}
}

// end lets nobody wait any longer.
func (r *room) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.ended {
		r.ended = true
		close(r.wake)
	}
}
