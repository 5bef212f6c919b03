package live

import "time"

// Present returns how many viewers of this hub are in the room. It does not count
// those of other processes.
func (h *Hub[E]) Present(room string) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	if r := h.rooms[room]; r != nil {
		return int(r.viewers.Load())
	}
	return 0
}

// move counts a viewer who comes or goes, under the hub's lock. It plans to wake the others.
func (r *room[E]) move(by int64) {
	r.viewers.Add(by)
	r.moves++
	if every := r.hub.opts.PresentEvery; every > 0 && !r.counting {
		r.counting = true
		time.AfterFunc(r.part(every)-time.Since(r.counted), r.count)
	}
}

// count wakes viewers for the latest moves.
func (r *room[E]) count() {
	r.hub.mu.Lock()
	r.counting, r.counted = false, time.Now()
	present, moves := int(r.viewers.Load()), r.moves
	r.hub.mu.Unlock()

	r.mu.Lock()
	var wake chan struct{}
	if moves > r.shown { // another count may have been quicker
		r.present, r.shown = present, moves
		wake = r.news()
	}
	r.mu.Unlock()
	if wake != nil {
		close(wake)
	}
}

// count takes the room's number of viewers, if it is of later moves than the viewer's.
func (v *Viewer[E]) count() {
	if r := v.room; r.shown > v.moves {
		v.present, v.moves, v.moved = r.present, r.shown, true
	}
}
