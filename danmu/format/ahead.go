package format

// sighting is what is known of a text from an offset on: that it is not before
// another, and whether it is there.
type sighting struct {
	from, at int64
	found    bool
}

// ahead is index for what is looked for from many places: it remembers how far
// it looked, so that no byte is looked at again.
func (w *window) ahead(i int, s string) (int, error) {
	seen := w.seen[s]
	if here := w.taken + int64(i); here < seen.from || here > seen.at {
		seen = sighting{from: here, at: here}
	}
	var err error
	if !seen.found {
		var n int
		n, err = w.index(int(seen.at-w.taken), s)
		seen.at, seen.found = w.taken+int64(n), err == nil
	}
	w.seen[s] = seen
	return int(seen.at - w.taken), err
}
