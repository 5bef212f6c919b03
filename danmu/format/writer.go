package format

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"unicode/utf8"

	"github.com/plaza-sdk/plaza/danmu"
)

// WriteOptions change how a file is written.
type WriteOptions struct {
	// Senders writes User where the format has a place. The default does not,
	// but in NDJSON.
	Senders bool

	// Tags stand beside the comments, as a Reader of the same format gives
	// them. ArtPlayer, Niconico and NDJSON have no place for them.
	Tags []Tag
}

const flushAt = 64 << 10

// Writer writes a file. Close ends it.
type Writer struct {
	w       io.Writer
	format  Format
	layout  layout
	senders bool

	buf     []byte
	written int64
	closed  bool
	err     error
}

// NewWriter writes to w as f. It writes nothing before Write or Close.
func NewWriter(w io.Writer, f Format, opts *WriteOptions) (*Writer, error) {
	l, err := f.layout()
	if err != nil {
		return nil, err
	}
	if w == nil {
		return nil, refuse("Writer", "is nil")
	}
	o := WriteOptions{}
	if opts != nil {
		o = *opts
	}
	if err := l.checkTags(o.Tags); err != nil {
		return nil, err
	}
	return &Writer{w: w, format: f, layout: l, senders: o.Senders || f == NDJSON, buf: l.begin(nil, o.Tags)}, nil
}

// Write adds a comment. A plaza.InvalidError refuses one that a Reader would,
// or whose Mode the format does not have; the next can be written. Any other
// error is the io.Writer's, and stays.
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
	buf, err := w.layout.append(w.buf, c, w.written == 0)
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

// Close ends the file and writes what is left. It leaves the io.Writer open.
func (w *Writer) Close() error {
	if w.closed || w.err != nil {
		return w.err
	}
	w.closed = true
	w.buf = w.layout.end(w.buf, w.written)
	return w.flush()
}

func (w *Writer) flush() error {
	if _, err := w.w.Write(w.buf); err != nil {
		w.err = fmt.Errorf("danmu/format: write %s: %w", w.format, err)
	}
	w.buf = w.buf[:0]
	return w.err
}

// check refuses what no format could give back.
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
	case len(c.Extra) > 0 && (json.Unmarshal(c.Extra, &extra) != nil || extra == nil):
		return refuse("Extra", "is no JSON object")
	}
	return nil
}
