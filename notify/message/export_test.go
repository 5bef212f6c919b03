package message

// Waiting is how many sends wait for a row.
func (r *Repository) Waiting(in In) int {
	r.waiting.mu.Lock()
	defer r.waiting.mu.Unlock()
	if found := r.waiting.rows[in]; found != nil {
		return found.sends
	}
	return 0
}
