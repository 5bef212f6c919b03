// Package edgelist reads follow graphs in the form of public graph collections:
// one edge a line, follower and followee, separated by tabs or spaces. Blank lines
// and lines that begin with '#' are skipped. Lines end in LF or CRLF. The whole
// may be gzipped.
package edgelist

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/follow"
)

const (
	maxName = 256 // bytes that Plaza accepts as an id
	maxLine = 64 << 10
)

// Edges are the edges of a file or stream. An error is the last pair, with a zero
// edge: a *LineError, or the reason why a file cannot be opened.
type Edges = iter.Seq2[follow.Edge, error]

// LineError is a broken line. It unwraps to plaza.ErrInvalid and, if the line
// could not be read at all, to the cause.
type LineError struct {
	Line   int // from 1
	Reason string
	Cause  error
}

func (e *LineError) Error() string { return fmt.Sprintf("edgelist: line %d %s", e.Line, e.Reason) }

func (e *LineError) Unwrap() []error {
	if e.Cause == nil {
		return []error{plaza.ErrInvalid}
	}
	return []error{plaza.ErrInvalid, e.Cause}
}

// File returns the edges of a file. Each range reads it again.
func File(path string) Edges {
	return func(yield func(follow.Edge, error) bool) {
		f, err := os.Open(path)
		if err != nil {
			yield(follow.Edge{}, fmt.Errorf("edgelist: %w", err))
			return
		}
		defer f.Close()
		Read(f)(yield)
	}
}

// Read returns the edges of r. It can be ranged over once.
func Read(r io.Reader) Edges {
	return func(yield func(follow.Edge, error) bool) {
		text, err := plain(r)
		if err != nil {
			yield(follow.Edge{}, unreadable(1, err))
			return
		}
		lines := bufio.NewScanner(text)
		lines.Buffer(nil, maxLine)
		n := 0
		for lines.Scan() {
			n++
			edge, reason := parse(lines.Text())
			switch {
			case reason != "":
				yield(follow.Edge{}, &LineError{Line: n, Reason: reason})
				return
			case edge == follow.Edge{}:
				continue
			case !yield(edge, nil):
				return
			}
		}
		if err := lines.Err(); err != nil {
			yield(follow.Edge{}, unreadable(n+1, err))
		}
	}
}

// plain decompresses r if it is gzipped.
func plain(r io.Reader) (io.Reader, error) {
	buffered := bufio.NewReader(r)
	magic, err := buffered.Peek(2)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if string(magic) != "\x1f\x8b" {
		return buffered, nil
	}
	return gzip.NewReader(buffered)
}

func unreadable(line int, err error) error {
	e := &LineError{Line: line, Reason: "cannot be read: " + err.Error(), Cause: err}
	if errors.Is(err, bufio.ErrTooLong) {
		e.Reason = fmt.Sprintf("is longer than %d bytes", maxLine)
	}
	return e
}

// parse returns the edge of a line, the zero edge for a comment, or what is wrong.
func parse(line string) (edge follow.Edge, reason string) {
	names := strings.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == '\t' })
	switch {
	case len(names) == 0 || names[0][0] == '#':
		return follow.Edge{}, ""
	case strings.Contains(line, "\r"):
		return follow.Edge{}, "has a carriage return inside"
	case len(names) != 2:
		return follow.Edge{}, fmt.Sprintf("has %d names, not 2", len(names))
	case names[0] == names[1]:
		return follow.Edge{}, "lets somebody follow themselves"
	}
	for _, name := range names {
		switch {
		case len(name) > maxName:
			return follow.Edge{}, fmt.Sprintf("has a name of %d bytes, at most %d are allowed", len(name), maxName)
		case !utf8.ValidString(name):
			return follow.Edge{}, "is not UTF-8"
		}
	}
	return follow.Edge{Follower: names[0], Followee: names[1]}, ""
}
