package format

import (
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/plaza-sdk/plaza/danmu"
)

// ReadOptions change how a file is read.
type ReadOptions struct {
	// Senders keeps the file's names or hashes of senders as User. The default
	// drops them, but in NDJSON.
	Senders bool

	// MaxRecord is how many bytes one comment, or one Tag, may take in the
	// file; what takes more is refused. Defaults to 64 KiB. It bounds the
	// memory that reading takes.
	MaxRecord int
}

const maxRecord = 64 << 10

// Stats counts what a Reader met so far.
type Stats struct {
	Read, Refused int64

	// Repaired counts damage that was tolerated: control characters and what
	// is no UTF-8, in bytes, and each "&" or "<" that is no XML.
	Repaired int64
}

// Reader reads a file once, in memory bounded by MaxRecord.
type Reader struct {
	input

	format  Format
	layout  layout
	senders bool
	used    bool
	yield   func(danmu.Comment, error) bool

	stats    Stats
	tags     []Tag
	tagBytes int
}

// NewReader reads r as f. It reads nothing before All is ranged over.
func NewReader(r io.Reader, f Format, opts *ReadOptions) (*Reader, error) {
	l, err := f.layout()
	if err != nil {
		return nil, err
	}
	o := ReadOptions{}
	if opts != nil {
		o = *opts
	}
	switch {
	case r == nil:
		return nil, refuse("Reader", "is nil")
	case o.MaxRecord < 0:
		return nil, refuse("MaxRecord", "is negative")
	case o.MaxRecord == 0:
		o.MaxRecord = maxRecord
	}
	return &Reader{input: input{r: r, max: o.MaxRecord, searches: map[string]search{}}, format: f, layout: l, senders: o.Senders}, nil
}

// All gives the comments in the file's order, without Object. A *RecordError
// stands for a record that was refused, and the next follows; any other error
// is the last: ErrBroken, or what the io.Reader returned. It can be ranged
// over once.
func (r *Reader) All() iter.Seq2[danmu.Comment, error] {
	return func(yield func(danmu.Comment, error) bool) {
		if r.used {
			return
		}
		r.used, r.yield = true, yield
		err := r.layout.read(r)
		if errors.Is(err, ErrBroken) && r.failed() != nil {
			err = r.failed() // it is not the file that ends
		}
		if err != nil && !errors.Is(err, errStopped) {
			yield(danmu.Comment{}, fmt.Errorf("danmu/format: read %s: %w", r.format, err))
		}
	}
}

// Stats tells what was met so far.
func (r *Reader) Stats() Stats { return r.stats }

// Tags gives what stood beside the comments so far; all of it once All has
// ended. NewWriter takes them.
func (r *Reader) Tags() []Tag { return r.tags }

// errStopped is returned through the layers when the caller leaves its range.
var errStopped = errors.New("stopped")

// give hands over a comment.
func (r *Reader) give(c *danmu.Comment) error {
	r.stats.Read++
	if !r.yield(*c, nil) {
		return errStopped
	}
	return nil
}

// refused hands over the error that refused a record.
func (r *Reader) refused(offset int64, err error) error {
	r.stats.Refused++
	if !r.yield(danmu.Comment{}, &RecordError{Record: r.stats.Read + r.stats.Refused, Offset: offset, Err: err}) {
		return errStopped
	}
	return nil
}

// maxTags bounds all tags of a file together, in bytes.
const maxTags = 1 << 20

func (r *Reader) keepTag(offset int64, t Tag) error {
	const overhead = 64 // of a Tag in memory
	n := len(t.Name) + len(t.Attributes) + len(t.Value) + overhead
	if r.tagBytes+n > maxTags {
		return r.refused(offset, refuse("Tags", "are larger than 1 MiB"))
	}
	if err := r.layout.checkTags([]Tag{t}); err != nil {
		return r.refused(offset, err)
	}
	r.tagBytes += n
	r.tags = append(r.tags, t)
	return nil
}
