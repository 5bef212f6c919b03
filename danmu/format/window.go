package format

import (
	"bytes"
	"errors"
	"io"
)

// window is the part of a file that is looked at: bytes are taken from its
// front and read in behind. Positions count from its front.
type window struct {
	r          io.Reader
	max        int // how far behind the front a record may end
	buf        []byte
	start, end int   // what is in sight
	taken      int64 // before start
	seen       map[string]sighting
	err        error
}

// Why a record has no end.
var (
	errLong = errors.New("is longer than MaxRecord")
	errOpen = errors.New("the file ended")
)

func (w *window) rest() []byte { return w.buf[w.start:w.end] }

func (w *window) take(n int) {
	w.start += n
	w.taken += int64(n)
}

// more reads on, and says whether there was more.
func (w *window) more() bool {
	if w.end == len(w.buf) {
		next := w.buf
		if w.start <= len(next)/2 {
			next = make([]byte, max(2*len(next), 32<<10))
		}
		w.end = copy(next, w.rest())
		w.buf, w.start = next, 0
	}
	for idle := 0; w.err == nil; idle++ {
		if idle == 100 {
			w.err = io.ErrNoProgress
			break
		}
		var n int
		n, w.err = w.r.Read(w.buf[w.end:])
		if n > 0 {
			w.end += n
			return true
		}
	}
	return false
}

// grow reads more behind i, the end of what is in sight.
func (w *window) grow(i int) error {
	switch {
	case i > w.max:
		return errLong
	case !w.more():
		return errOpen
	}
	return nil
}

// has tells whether s stands at i.
func (w *window) has(i int, s string) bool {
	for {
		b := w.rest()[i:]
		n := min(len(b), len(s))
		if string(b[:n]) != s[:n] {
			return false
		}
		if n == len(s) {
			return true
		}
		if !w.more() {
			return false
		}
	}
}

// index finds s at or behind i, and otherwise tells how far it looked.
func (w *window) index(i int, s string) (int, error) {
	for {
		b := w.rest()
		if j := bytes.Index(b[i:], []byte(s)); j >= 0 {
			return i + j, nil
		}
		i = max(i, len(b)-len(s)+1)
		if err := w.grow(i); err != nil {
			return i, err
		}
	}
}

// skip takes everything before s, however much it is.
func (w *window) skip(s string) bool {
	for {
		b := w.rest()
		if j := bytes.Index(b, []byte(s)); j >= 0 {
			w.take(j)
			return true
		}
		w.take(max(0, len(b)-len(s)+1))
		if !w.more() {
			return false
		}
	}
}

func (w *window) skipByteOrderMark() {
	if mark := "\uFEFF"; w.has(0, mark) {
		w.take(len(mark))
	}
}

// failed is the error of reading, nil at the end.
func (w *window) failed() error {
	if w.err == io.EOF { //nolint:errorlint // io.Reader's contract
		return nil
	}
	return w.err
}
