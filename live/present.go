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

// addViewers counts a viewer who joins, or with -1 one who leaves, under the hub's lock. It
// schedules a showCount.
func (r *room[E]) addViewers(by int64) {
	r.viewers.Add(by)
	r.changes++
	if every := r.hub.opts.PresentEvery; every > 0 && !r.showing {
		r.showing = true
		time.AfterFunc(r.part(every)-time.Since(r.shownAt), r.showCount)
	}
}

// showCount wakes viewers for the current number of viewers.
func (r *room[E]) showCount() {
	r.hub.mu.Lock()
	r.showing, r.shownAt = false, time.Now()
	present, changes := int(r.viewers.Load()), r.changes
	r.hub.mu.Unlock()

	r.mu.Lock()
	var wake chan struct{}
	if changes > r.shown { // another showCount may have been quicker
		r.present, r.shown = present, changes
		wake = r.news()
	}
	r.mu.Unlock()
	if wake != nil {
		close(wake)
	}
}

// takeCount takes the room's number of viewers, if it is newer than the viewer's.
func (v *Viewer[E]) takeCount() {
	if r := v.room; r.shown > v.changes {
		v.present, v.changes, v.changed = r.present, r.shown, true
	}
}
