package message

import (
	"slices"
	"sync"
)

// waiting has the writes to entries that the sends of a process still have to make.
type waiting struct {
	mu      sync.Mutex
	entries map[In]*raising
}

// raising is the writes that wait for one entry.
type raising struct {
	sends  int
	newest Message
	raised int64   // the entry has this message, or a newer one
	own    numbers // the user's messages that the entry may lack, in order
}

// join adds a message to what its entry lacks. Call leave when its send is over.
func (w *waiting) join(in In, m Message) (leave func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	r := w.entries[in]
	if r == nil {
		r = &raising{}
		w.entries[in] = r
	}
	r.sends++
	if m.Seq > r.newest.Seq {
		r.newest = m
	}
	if at, there := slices.BinarySearch(r.own, m.Seq); in.User == m.Sender && !there {
		r.own = slices.Insert(r.own, at, m.Seq)
	}
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if r.sends--; r.sends == 0 {
			delete(w.entries, in)
		}
	}
}

// lacks returns what an entry lacks. lacks is false if the entry has all that m adds. The
// newest message is zero if the entry has it.
func (w *waiting) lacks(in In, m Message) (newest Message, own numbers, lacks bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	r := w.entries[in]
	if r.newest.Seq > r.raised {
		newest = r.newest
	}
	_, lacksOwn := slices.BinarySearch(r.own, m.Seq)
	return newest, slices.Clone(r.own), m.Seq > r.raised || lacksOwn
}

// wrote records what an entry no longer lacks.
func (w *waiting) wrote(in In, newest Message, own numbers) {
	w.mu.Lock()
	defer w.mu.Unlock()
	r := w.entries[in]
	r.raised = max(r.raised, newest.Seq)
	r.own = slices.DeleteFunc(r.own, func(seq int64) bool { return slices.Contains(own, seq) })
}
