package message

// Waiting is how many sends wait for an entry.
func (r *Repository) Waiting(in In) int {
	r.waiting.mu.Lock()
	defer r.waiting.mu.Unlock()
	if found := r.waiting.entries[in]; found != nil {
		return found.sends
	}
	return 0
}
