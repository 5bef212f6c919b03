package format

import (
	"bytes"
	"errors"
	"io"
)

// input holds the part of a file that is being scanned. Bytes are taken from its front
// and read in at its end. Positions are relative to its front.
type input struct {
	r          io.Reader
	max        int // how far from the front a record may end
	buf        []byte
	start, end int   // of the unread bytes in buf
	taken      int64 // bytes taken before start
	searches   map[string]search
	err        error
}

// Why a record has no end.
var (
	errLong = errors.New("is longer than MaxRecord")
	errOpen = errors.New("the file ended")
)

func (in *input) rest() []byte { return in.buf[in.start:in.end] }

func (in *input) take(n int) {
	in.start += n
	in.taken += int64(n)
}

// more reads more of the file, and reports whether there was any.
func (in *input) more() bool {
	if in.end == len(in.buf) {
		next := in.buf
		if in.start <= len(next)/2 {
			next = make([]byte, max(2*len(next), 32<<10))
		}
		in.end = copy(next, in.rest())
		in.buf, in.start = next, 0
	}
	for idle := 0; in.err == nil; idle++ {
		if idle == 100 {
			in.err = io.ErrNoProgress
			break
		}
		var n int
		n, in.err = in.r.Read(in.buf[in.end:])
		if n > 0 {
			in.end += n
			return true
		}
	}
	return false
}

// grow reads more, for a record that continues past i.
func (in *input) grow(i int) error {
	switch {
	case i > in.max:
		return errLong
	case !in.more():
		return errOpen
	}
	return nil
}

// has reports whether s is at i.
func (in *input) has(i int, s string) bool {
	for {
		b := in.rest()[i:]
		n := min(len(b), len(s))
		if string(b[:n]) != s[:n] {
			return false
		}
		if n == len(s) {
			return true
		}
		if !in.more() {
			return false
		}
	}
}

// index finds s at i or later. Beside an error it returns how far it searched.
func (in *input) index(i int, s string) (int, error) {
	for {
		b := in.rest()
		if j := bytes.Index(b[i:], []byte(s)); j >= 0 {
			return i + j, nil
		}
		i = max(i, len(b)-len(s)+1)
		if err := in.grow(i); err != nil {
			return i, err
		}
	}
}

// skip takes everything before s, however long it is.
func (in *input) skip(s string) bool {
	for {
		b := in.rest()
		if j := bytes.Index(b, []byte(s)); j >= 0 {
			in.take(j)
			return true
		}
		in.take(max(0, len(b)-len(s)+1))
		if !in.more() {
			return false
		}
	}
}

func (in *input) skipByteOrderMark() {
	if mark := "\uFEFF"; in.has(0, mark) {
		in.take(len(mark))
	}
}

// failed returns the error of reading, or nil at the end.
func (in *input) failed() error {
	if in.err == io.EOF { //nolint:errorlint // io.Reader's contract
		return nil
	}
	return in.err
}

// search is what is known about a text: it does not occur in [from, at), and whether it
// occurs at at.
type search struct {
	from, at int64
	found    bool
}

// indexOnce is index for a text that is searched from many places. It remembers
// how far it searched, so no byte is searched twice for the same text.
func (in *input) indexOnce(i int, s string) (int, error) {
	last := in.searches[s]
	if here := in.taken + int64(i); here < last.from || here > last.at {
		last = search{from: here, at: here}
	}
	var err error
	if !last.found {
		var n int
		n, err = in.index(int(last.at-in.taken), s)
		last.at, last.found = in.taken+int64(n), err == nil
	}
	in.searches[s] = last
	return int(last.at - in.taken), err
}
