package live

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/plaza-sdk/plaza/internal/parallel"
)

// room is what the viewers of one name share.
type room[E any] struct {
	name string
	hub  *Hub[E]

	// These belong to the hub and are written under its lock.
	viewers atomic.Int64
	changes int // how often a viewer joined or left
	idle    *time.Timer
	stop    func()        // cancels the opening; ends the subscription once there is one
	opened  chan struct{} // closed, and nil, once the backplane has answered
	err     error         // set before that, and not again
	shownAt time.Time     // when showCount last ran
	showing bool          // showCount is running or scheduled

	mu     sync.RWMutex
	log    log[E]
	replay Pos           // the log's end when the room opened; empty once that is reached
	begun  uint64        // the place after replay
	wake   chan struct{} // closed when there is news for viewers, or the room ends
	ended  bool
	failed error // why it has ended, if not by the hub

	present int // how many viewers there were when showCount last woke them
	shown   int // the changes up to then

	in       sync.Mutex // taken within mu or alone, so that deliver never waits for viewers
	pending  []Entry
	bytes    int // size of pending
	flushed  time.Time
	flushing bool // a flush is running or scheduled
	started  bool

	fresh func(E) bool // used by flush only; nil shows all events
}

// start begins the log.
func (r *room[E]) start(s Subscription) {
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

// deliver takes entries from the backplane. Entries that do not fit into the next batch
// become a gap.
func (r *room[E]) deliver(entries []Entry) {
	r.in.Lock()
	defer r.in.Unlock()
	for _, e := range entries {
		r.bytes += len(e.Payload)
		if r.bytes > r.hub.opts.Bytes && len(r.pending) > 0 {
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

// schedule plans the next batch for the room's part of Every after the last, or at once if
// that is past.
func (r *room[E]) schedule() {
	if r.flushing || len(r.pending) == 0 || !r.started {
		return
	}
	r.flushing = true
	time.AfterFunc(r.part(r.hub.opts.Every)-time.Since(r.flushed), func() {
		if err := parallel.Catch(r.flush); err != nil {
			r.fail(err)
		}
	})
}

// crowd is the number of viewers from which a room waits as long as the options say.
const crowd = 5000

// part returns a room's part of a wait. It takes about 10 µs of CPU to wake a viewer and
// write to a client. So a room up to a crowd takes at most half a core, however many events
// it has, and a larger one as much as if there were no parts.
func (r *room[E]) part(wait time.Duration) time.Duration {
	return wait / crowd * time.Duration(min(max(r.viewers.Load(), crowd/10), crowd))
}

// fail ends the room: its viewers get the error.
func (r *room[E]) fail(err error) {
	r.mu.Lock()
	if r.failed == nil {
		r.failed = fmt.Errorf("live: room %q: %w", r.name, err)
	}
	r.mu.Unlock()
	r.hub.expel(r)
}

// flush makes a batch of the pending entries, and one more for each gap.
func (r *room[E]) flush() error {
	r.in.Lock()
	pending := r.pending
	r.pending, r.bytes = nil, 0
	r.in.Unlock()

	var runs []run[E]
	for len(pending) > 0 {
		var next run[E]
		next, pending = r.decode(pending)
		runs = append(runs, next)
	}

	if wake := r.extend(runs); wake != nil {
		close(wake) // without the lock, because everybody woken takes it next
	}
	return nil
}

// encode calls Options.Encode. A panic becomes an error.
func (r *room[E]) encode(events []E) (encoded []byte, err error) {
	err = parallel.Catch(func() error {
		encoded = r.hub.opts.Encode(r.name, events)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("live: encode in %q: %w", r.name, err)
	}
	return encoded, nil
}

// extend adds runs to the log. It returns the channel to close if there is something for
// viewers.
func (r *room[E]) extend(runs []run[E]) (wake chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	end := r.log.end
	for i := range runs {
		r.append(&runs[i])
	}
	r.in.Lock()
	r.flushing, r.flushed = false, time.Now()
	r.schedule()
	r.in.Unlock()
	if r.log.end > end {
		wake = r.news()
	}
	return wake
}

// news returns the channel to close for the viewers, under the room's lock. It is nil if the
// room has ended.
func (r *room[E]) news() (wake chan struct{}) {
	if !r.ended {
		wake, r.wake = r.wake, make(chan struct{})
	}
	return wake
}

// run holds the decoded entries up to the next gap.
type run[E any] struct {
	gap     bool   // there is a gap before them
	lost    uint64 // number of unreadable events
	events  []E
	marks   []mark // with places relative to the first event
	encoded []byte
	size    int
}

// decode reads entries up to the next gap, leaves out events that are not fresh, and
// encodes the others.
func (r *room[E]) decode(entries []Entry) (d run[E], rest []Entry) {
	d.gap = entries[0].Gap
	for i, entry := range entries {
		if i > 0 && entry.Gap {
			rest = entries[i:]
			break
		}
		if len(entry.Payload) > 0 {
			switch e, err := r.hub.opts.Decode(r.name, entry.Payload); {
			case err != nil:
				d.lost++
			case r.fresh == nil || r.fresh(e):
				d.events = append(d.events, e)
				d.size += len(entry.Payload)
			}
		}
		if entry.Pos != "" {
			d.marks = append(d.marks, mark{entry.Pos, uint64(len(d.events))})
		}
	}
	if len(d.events) > 0 {
		d.encoded = r.hub.opts.Encode(r.name, d.events)
		d.size += len(d.encoded)
	}
	return d, rest
}

// append adds a run to the log.
func (r *room[E]) append(d *run[E]) {
	l := &r.log
	if d.gap {
		r.replayed()
		l.add(held[E]{Batch: Batch[E]{Pos: l.last(), Reset: true}, start: l.end}, r.hub.opts.Batches, r.hub.opts.Bytes)
		l.end++
	}
	l.end += d.lost
	start := l.end
	for _, m := range d.marks {
		l.end = start + m.at
		l.mark(m.pos)
		if m.pos == r.replay {
			r.replayed()
		}
	}
	l.end = start + uint64(len(d.events))
	if len(d.events) > 0 {
		b := Batch[E]{Pos: l.last(), Events: d.events, Encoded: d.encoded}
		l.add(held[E]{b, start, d.size}, r.hub.opts.Batches, r.hub.opts.Bytes)
	}
}

// replayed records the place from which new viewers get events.
func (r *room[E]) replayed() {
	if r.replay != "" {
		r.replay, r.begun = "", r.log.end
	}
}

// end marks the room as ended and wakes all viewers.
func (r *room[E]) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.ended {
		r.ended = true
		close(r.wake)
	}
}
