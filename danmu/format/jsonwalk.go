package format

import (
	"encoding/json"
	"errors"
)

// jsonWalk goes down to the comments.
type jsonWalk struct {
	*Reader
	array

	found bool
	fork  string // of the thread, in Niconico's
}

// within tells whether the comments are in this member.
func (w *jsonWalk) within(member string) bool {
	return w.member != "" && member == w.member || w.threads && (member == "data" || member == "threads" || member == "comments")
}

// value reads an array or object, the value of member.
func (w *jsonWalk) value(member string, depth int) error {
	switch w.nextByte() {
	case '[':
		return w.elements(member == "threads" && w.threads, depth)
	case '{':
		if w.member != "" || w.threads {
			return w.members(depth)
		}
	case 0:
		return ended()
	}
	return broken("it has no array of comments")
}

// elements reads an array, of comments or of threads.
func (w *jsonWalk) elements(threads bool, depth int) error {
	w.found = w.found || !threads
	for w.take(1); ; w.take(1) {
		switch c := w.nextByte(); {
		case c == ']':
			w.take(1)
			return nil
		case threads && c == '{':
			if err := w.members(depth); err != nil {
				return err
			}
		default:
			if err := w.comment(); err != nil {
				return err
			}
		}
		switch w.nextByte() {
		case ',':
		case ']':
			w.take(1)
			return nil
		case 0:
			return ended()
		default:
			return broken("its array has something between the comments")
		}
	}
}

// members reads an object around the comments.
func (w *jsonWalk) members(depth int) error {
	const deepest = 3 // data, threads, thread
	if depth > deepest {
		return broken("it is nested too deep")
	}
	w.fork = ""
	for w.take(1); ; w.take(1) {
		offset := w.taken
		switch w.nextByte() {
		case '}':
			w.take(1)
			return nil
		case 0:
			return ended()
		}
		var name string
		raw, err := w.next()
		if errors.Is(err, errLong) {
			return broken("its object has a member of that length")
		}
		if err != nil {
			return err
		}
		if json.Unmarshal(raw, &name) != nil || w.nextByte() != ':' {
			return w.unexpected()
		}
		w.take(1)
		if c := w.nextByte(); w.within(name) && (c == '[' || c == '{') {
			if err := w.value(name, depth+1); err != nil {
				return err
			}
		} else if err := w.beside(offset, name, depth); err != nil {
			return err
		}
		switch w.nextByte() {
		case ',':
		case '}':
			w.take(1)
			return nil
		default:
			return w.unexpected()
		}
	}
}

func (w *jsonWalk) unexpected() error {
	if w.nextByte() == 0 {
		return ended()
	}
	return broken("its object has something between the members")
}

// beside reads a member that the comments are not in.
func (w *jsonWalk) beside(offset int64, name string, depth int) error {
	raw, err := w.next()
	switch {
	case errors.Is(err, errLong):
		return w.refused(offset, refuse("Tag", err.Error()))
	case err != nil:
		return err
	case depth == 0 && !w.threads && name != w.count:
		return w.keepTag(offset, Tag{Name: name, Value: string(raw)})
	case name == "fork":
		w.fork = string(raw)
	}
	return nil
}

func (w *jsonWalk) comment() error {
	offset := w.taken
	raw, err := w.next()
	switch {
	case errors.Is(err, errLong):
		return w.refused(offset, refuse("Record", err.Error()))
	case err != nil:
		return err
	}
	c, err := w.parse(raw, w.senders)
	if err == nil && w.fork != "" {
		err = addFork(&c, w.fork)
	}
	if err != nil {
		return w.refused(offset, err)
	}
	return w.give(&c)
}

// next takes the value at the front, cleaned. It is valid until the next read.
func (w *jsonWalk) next() ([]byte, error) {
	n, err := w.jsonEnd()
	if errors.Is(err, errOpen) {
		return nil, ended()
	}
	if err != nil {
		return nil, err
	}
	raw, repaired := clean(w.rest()[:n])
	w.stats.Repaired += repaired
	w.take(n)
	if n == 0 {
		return nil, broken("it has a comma or a bracket too many")
	}
	return raw, nil
}
