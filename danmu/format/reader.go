package format

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/internal/args"
)

// ReadOptions changes how a file is read.
type ReadOptions struct {
	// Senders keeps the file's names or hashes of senders as User. By default they
	// are dropped, except in NDJSON.
	Senders bool

	// MaxRecord bounds the bytes of a comment, or a Tag, in the file, and so the
	// memory that reading takes. A larger one is refused. Defaults to 64 KiB.
	MaxRecord int
}

const maxRecord = 64 << 10

// Stats counts what a Reader has read so far.
type Stats struct {
	Read, Refused int64

	// Deleted counts Niconico's deleted comments. They are skipped.
	Deleted int64

	// Repaired counts tolerated damage: bytes that are control characters or not
	// UTF-8, each "&" or "<" that is not XML, and each Mode, Color, Size, Sent, Pool or
	// Weight that is not as the format has it. "255.0" is read as 255 and "#00F" as
	// blue; anything else, such as "undefined" or "-1", as the default.
	Repaired int64
}

// Reader reads a file once, in memory bounded by MaxRecord.
type Reader struct {
	input

	format  Format
	codec   codec
	senders bool
	used    bool
	yield   func(danmu.Comment, error) bool

	stats    Stats
	tags     []Tag
	tagBytes int
}

// NewReader returns a reader of r in format f. It reads nothing until All is
// ranged over.
func NewReader(r io.Reader, f Format, opts *ReadOptions) (*Reader, error) {
	l, err := f.codec()
	if err != nil {
		return nil, err
	}
	o := args.Given(opts)
	if r == nil {
		return nil, refuse("Reader", "is nil")
	}
	if err := args.DefaultAtLeast("MaxRecord", &o.MaxRecord, maxRecord, 0); err != nil {
		return nil, err
	}
	return &Reader{input: input{r: r, max: o.MaxRecord, searches: map[string]search{}}, format: f, codec: l, senders: o.Senders}, nil
}

// All yields the comments in the file's order, without Object, and a *RecordError
// for each record that is refused. Any other error is the last: ErrBroken, or the
// io.Reader's. All can be ranged over once.
func (r *Reader) All() iter.Seq2[danmu.Comment, error] {
	return func(yield func(danmu.Comment, error) bool) {
		if r.used {
			return
		}
		r.used, r.yield = true, yield
		err := r.codec.read(r)
		if errors.Is(err, ErrBroken) && r.failed() != nil {
			err = r.failed() // the reader failed, the file did not end
		}
		if err != nil && !errors.Is(err, errStopped) {
			yield(danmu.Comment{}, fmt.Errorf("danmu/format: read %s: %w", r.format, err))
		}
	}
}

// Stats returns the counts so far.
func (r *Reader) Stats() Stats { return r.stats }

// Tags returns the file's data beside its comments, as far as it has been read.
// NewWriter takes them.
func (r *Reader) Tags() []Tag { return r.tags }

// errStopped means that the caller has left its range loop.
var errStopped = errors.New("stopped")

// errDeleted is the error of a record that is skipped.
var errDeleted = errors.New("deleted")

// deliver yields the comment of the record at offset, or the error that refused it.
func (r *Reader) deliver(offset int64, c *danmu.Comment, err error) error {
	switch {
	case errors.Is(err, errDeleted):
		r.stats.Deleted++
		return nil
	case err != nil:
		return r.refused(offset, err)
	}
	r.stats.Read++
	if !r.yield(*c, nil) {
		return errStopped
	}
	return nil
}

// refused yields the error that refused a record.
func (r *Reader) refused(offset int64, err error) error {
	r.stats.Refused++
	n := r.stats.Read + r.stats.Refused + r.stats.Deleted
	if !r.yield(danmu.Comment{}, &RecordError{Record: n, Offset: offset, Err: err}) {
		return errStopped
	}
	return nil
}

// guess reads a field that a comment can do without. parse returns its best guess, and
// whether the field is as it should be; if not, it is counted.
func guess[T any, S text](r *Reader, s S, parse func(S) (T, bool)) T {
	v, ok := parse(s)
	if !ok {
		r.stats.Repaired++
	}
	return v
}

// guessMember is guess for a member of an object, which may be missing or null.
func guessMember[T any](r *Reader, raw json.RawMessage, parse func(string) (T, bool)) T {
	if raw == nil || string(raw) == "null" {
		var none T
		return none
	}
	return guess(r, bare(raw), parse)
}

// maxTags bounds the tags of a file together, in bytes.
const maxTags = 1 << 20

func (r *Reader) keepTag(offset int64, t Tag) error {
	const overhead = 64 // of a Tag in memory
	n := len(t.Name) + len(t.Attributes) + len(t.Value) + overhead
	if r.tagBytes+n > maxTags {
		return r.refused(offset, refuse("Tags", "are larger than 1 MiB"))
	}
	if err := r.codec.checkTags([]Tag{t}); err != nil {
		return r.refused(offset, err)
	}
	r.tagBytes += n
	r.tags = append(r.tags, t)
	return nil
}
