package format

import (
	"errors"
	"fmt"
	"io"
	"math"
	"unicode/utf8"

	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/internal/jsontext"
)

// WriteOptions changes how a file is written.
type WriteOptions struct {
	// Senders writes User if the format has a field for it. By default it is left
	// out, except in NDJSON.
	Senders bool

	// Tags are written beside the comments; a Reader of the same format returns
	// them. ArtPlayer, Niconico and NDJSON have none.
	Tags []Tag
}

const flushAt = 64 << 10

// Writer writes a file. Close ends it.
type Writer struct {
	w       io.Writer
	format  Format
	codec   codec
	senders bool

	buf     []byte
	written int64
	closed  bool
	err     error
}

// NewWriter returns a writer to w in format f. It writes nothing until Write or
// Close.
func NewWriter(w io.Writer, f Format, opts *WriteOptions) (*Writer, error) {
	l, err := f.codec()
	if err != nil {
		return nil, err
	}
	if w == nil {
		return nil, refuse("Writer", "is nil")
	}
	o := args.Given(opts)
	if err := l.checkTags(o.Tags); err != nil {
		return nil, err
	}
	return &Writer{w: w, format: f, codec: l, senders: o.Senders || f == NDJSON, buf: l.begin(nil, o.Tags)}, nil
}

// Write adds a comment. It refuses, with a plaza.InvalidError, a comment that a
// Reader would refuse or whose Mode the format does not have; others can be
// written afterwards. Any other error is the io.Writer's, and permanent.
func (w *Writer) Write(c danmu.Comment) error {
	switch {
	case w.closed:
		return errors.New("danmu/format: write after Close")
	case w.err != nil:
		return w.err
	}
	if err := check(c); err != nil {
		return err
	}
	if !w.senders {
		c.User = ""
	}
	buf, err := w.codec.append(w.buf, c, w.written == 0)
	if err != nil {
		return err
	}
	w.buf = buf
	w.written++
	if len(w.buf) < flushAt {
		return nil
	}
	return w.flush()
}

// Close writes the end of the file. It does not close the io.Writer.
func (w *Writer) Close() error {
	if w.closed || w.err != nil {
		return w.err
	}
	w.closed = true
	w.buf = w.codec.end(w.buf, w.written)
	return w.flush()
}

func (w *Writer) flush() error {
	if _, err := w.w.Write(w.buf); err != nil {
		w.err = fmt.Errorf("danmu/format: write %s: %w", w.format, err)
	}
	w.buf = w.buf[:0]
	return w.err
}

// check refuses a comment that no format could read back.
func check(c danmu.Comment) error {
	for _, s := range [...]struct{ field, text string }{{"Object", c.Object}, {"Key", c.Key}, {"User", c.User}, {"Text", c.Text}} {
		if !utf8.ValidString(s.text) {
			return refuse(s.field, "is not UTF-8")
		}
	}
	for _, n := range [...]struct {
		field string
		n     int
	}{{"Mode", int(c.Mode)}, {"Size", c.Size}, {"Pool", c.Pool}, {"Weight", c.Weight}} {
		if n.n < math.MinInt32 || n.n > math.MaxInt32 {
			return refuse(n.field, "is too large")
		}
	}
	var extra kept
	switch {
	case c.Text == "":
		return refuse("Text", "is empty")
	case c.Progress < 0 || c.Progress > danmu.MaxProgress:
		return refuse("Progress", "is negative or too late")
	case !c.Sent.IsZero() && (c.Sent.Unix() < 0 || c.Sent.Unix() > maxSent):
		return refuse("Sent", "is before 1970 or after 9999")
	case c.Size < 0:
		return refuse("Size", "is negative")
	case len(c.Extra) > 0 && (jsontext.Unmarshal(c.Extra, &extra) != nil || extra == nil):
		return refuse("Extra", "is not a JSON object")
	}
	return nil
}
