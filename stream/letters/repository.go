// Package letters keeps the dead letters of a stream's consumer in a DynamoDB
// table. A stream.Processor stores them there, and stream.Redrive gives them to a
// Batch again.
package letters

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
	"github.com/plaza-sdk/plaza/stream"
)

// Options are the options of New. The zero value works.
type Options struct {
	// Keep is how long a letter is kept after it was stored last. By default it
	// is kept until it is deleted.
	Keep time.Duration

	// Codec writes cursors. Defaults to cursor.Plain.
	Codec cursor.Codec

	// OnCorrupt is called with each damaged item that an answer leaves out, by
	// several goroutines at once. Defaults to nothing.
	OnCorrupt func(*plaza.CorruptError)

	// Now is the clock by which letters expire. Defaults to time.Now.
	Now func() time.Time
}

// Repository keeps the dead letters of one consumer. They have one partition key,
// which takes 1,000 KB of letters a second. Beyond that Put is plaza.ErrBusy, and
// the stream waits.
type Repository struct {
	table    *store.Table
	consumer string
	opts     Options
}

var _ stream.DeadLetters = (*Repository)(nil)

// New does no I/O. The table is one that Table describes. Each consumer of a
// stream has its own letters and its own name, of up to 256 bytes.
func New(db *dynamo.DB, table, consumer string, opts *Options) (*Repository, error) {
	r := &Repository{consumer: consumer, opts: args.Given(opts)}
	err := cmp.Or(keys.CheckName("consumer", consumer), args.AtLeast("Keep", r.opts.Keep, 0))
	if err != nil {
		return nil, err
	}
	r.opts.Codec = cmp.Or(r.opts.Codec, cursor.Plain())
	if r.table, err = store.Open(db, table, r.opts.OnCorrupt, r.opts.Now != nil); err != nil {
		return nil, err
	}
	if r.opts.Now == nil {
		r.opts.Now = time.Now
	}
	return r, nil
}

// An item is at most 400 KB. Everything beside the record has at most 8.
const (
	maxRecord = 390 << 10
	maxText   = 1 << 10
)

// Put stores a letter. It replaces a letter of the same stream, shard and sequence
// numbers. A record over 390 KB loses its images, and is left out if it is still
// too large. A reason is cut at 1 KB.
//
// Cost: 1 request, 1 WCU for each KB.
func (r *Repository) Put(ctx context.Context, d stream.Dead) error {
	ctx = plaza.WithOperation(ctx, "stream/letters.Repository.Put")
	for _, text := range []struct{ field, value string }{
		{"Stream", d.Stream}, {"Shard", d.Shard}, {"Seq", d.Seq}, {"LastSeq", d.LastSeq}, {"KeyHash", d.KeyHash},
	} {
		if err := args.Count(text.field, len(text.value), "bytes", maxText); err != nil {
			return err
		}
		if !utf8.ValidString(text.value) {
			return &plaza.InvalidError{Field: text.field, Reason: "is not UTF-8"}
		}
	}
	if d.Seq == "" && len(d.Record) == 0 {
		return &plaza.InvalidError{Field: "Seq", Reason: "is empty, and there is no Record"}
	}
	key := r.keyOf(d)
	d = d.Fit(maxRecord)
	stored := row{
		PK: key.PK, SK: key.SK,
		Stream: d.Stream, Shard: d.Shard, Seq: d.Seq, LastSeq: d.LastSeq, KeyHash: d.KeyHash,
		Reason: strings.ToValidUTF8(d.Reason[:min(len(d.Reason), maxText)], ""), Attempts: d.Attempts, Record: d.Record,
	}
	if !d.At.IsZero() {
		stored.At = d.At.UnixMilli()
	}
	if r.opts.Keep > 0 {
		stored.TTL = r.opts.Now().Add(r.opts.Keep).Unix()
	}
	if err := r.table.Run(ctx, r.table.Put(stored)); err != nil {
		return fmt.Errorf("letters: put the letter of record %s: %w", d.Seq, err)
	}
	return nil
}

// Delete removes a letter, given as List or a Source returned it. It is no error
// if the letter is gone.
//
// Cost: 1 request, 1 WCU for each KB.
func (r *Repository) Delete(ctx context.Context, d stream.Dead) error {
	ctx = plaza.WithOperation(ctx, "stream/letters.Repository.Delete")
	key := r.keyOf(d)
	if d.Receipt != "" {
		key.SK = d.Receipt
	}
	if err := r.table.Run(ctx, r.table.Delete(key)); err != nil {
		return fmt.Errorf("letters: delete the letter of record %s: %w", d.Seq, err)
	}
	return nil
}

// List lists the letters by their records' times, oldest first, strongly
// consistent. Letters of the same time are in the order of their sequence numbers.
//
// Cost: 1 request, 1 RCU for each 4 KB; where letters are large or damaged, up to
// 6 requests of 1 MB.
func (r *Repository) List(ctx context.Context, req cursor.PageRequest) (cursor.Page[stream.Dead], error) {
	ctx = plaza.WithOperation(ctx, "stream/letters.Repository.List")
	list := store.List[row, stream.Dead]{
		Codec:  r.opts.Codec,
		Scope:  cursor.Scope{List: "stream.dead", Partition: r.consumer},
		Oldest: true,
		Read: func(ctx context.Context, reach store.Reach) ([]row, string, error) {
			span := reach.Span(r.pk())
			span.Consistent = true
			return store.Read[row](ctx, r.table, span)
		},
		Order: store.Order[row]{
			Below: func(stored row) string { return stored.SK },
			Above: func(stored row) string { return stored.SK + afterRow },
			Valid: func(gap string) bool { return validSK(strings.TrimSuffix(gap, afterRow)) },
		},
		Item: row.letter,
	}
	letters, err := list.Page(ctx, req)
	if err != nil {
		return letters, fmt.Errorf("letters: of %q: %w", r.consumer, err)
	}
	return letters, nil
}

// afterRow, appended to a sort key, makes the next greater one.
const afterRow = "\x00"

// Source reads the letters once, from the oldest, for stream.Redrive. It is not
// safe for concurrent use.
func (r *Repository) Source() stream.DeadSource { return &source{Repository: r} }

type source struct {
	*Repository
	from  string
	ended bool
}

// atOnce is how many letters a Source returns at once.
const atOnce = 100

// Receive returns the next letters, by one request unless all in 1 MB are
// damaged.
func (s *source) Receive(ctx context.Context) ([]stream.Dead, error) {
	for !s.ended {
		span := store.Span{PK: s.pk(), From: s.from, Ascending: true, Limit: atOnce, Consistent: true}
		rows, rest, err := store.Read[row](ctx, s.table, span)
		if err != nil {
			return nil, err
		}
		s.from, s.ended = rest, rest == ""
		if len(rows) > 0 {
			letters := make([]stream.Dead, len(rows))
			for i, stored := range rows {
				letters[i] = stored.letter()
			}
			return letters, nil
		}
	}
	return nil, nil // the end
}
