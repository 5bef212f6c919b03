package live

import "time"

// Present is how many viewers of this hub are in the room. It does not count
// those of other processes.
func (h *Hub[E]) Present(room string) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	if r := h.rooms[room]; r != nil {
		return int(r.viewers.Load())
	}
	return 0
}

// recount plans to show viewers their number, under the hub's lock.
func (r *room[E]) recount() {
	every := r.hub.opts.PresentEvery
	if every > 0 && !r.counting {
		r.counting = true
		time.AfterFunc(r.part(every)-time.Since(r.counted), r.count)
	}
}

// count shows viewers their number, if it has changed.
func (r *room[E]) count() {
	r.hub.mu.Lock()
	r.counting, r.counted = false, time.Now()
	r.hub.mu.Unlock()

	r.mu.Lock()
	var wake chan struct{}
	if n := int(r.viewers.Load()); n != r.present {
		r.present = n
		r.counts++
		wake = r.news()
	}
	r.mu.Unlock()
	if wake != nil {
		close(wake)
	}
}

// recount takes the room's number of viewers, unless the viewer has it or a newer one from
// Join.
func (v *Viewer[E]) recount() {
	r := v.room
	if v.counts == r.counts {
		return
	}
	v.counts = r.counts
	if v.present != r.present {
		v.present, v.recounted = r.present, true
	}
}
