package stream

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// DeadSchema returns the schema of a table with that name, for a DeadTable.
func DeadSchema(name string) *dynamodb.CreateTableInput { return store.Schema(name) }

// DeadTTL returns the request that turns on expiry, of dead letters with a
// DeadTableOptions.Keep.
func DeadTTL(name string) *dynamodb.UpdateTimeToLiveInput { return store.TTL(name) }

func deadFeature() store.Feature {
	return store.Feature{Name: "stream/dead", Format: 1, Schema: DeadSchema, Expires: true}
}

// DeadTableOptions are the options of a DeadTable. The zero value works.
type DeadTableOptions struct {
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

// DeadTable keeps the dead letters of one consumer in a DynamoDB table. They lie
// under one partition key, which takes 1,000 KB of letters a second; beyond that
// Put is plaza.ErrBusy, and the stream waits.
type DeadTable struct {
	table    *store.Table
	consumer string
	opts     DeadTableOptions
}

// NewDeadTable does no I/O. The table is one that DeadSchema describes. Each
// consumer of a stream has letters of its own, and a name of up to 256 bytes.
func NewDeadTable(db *dynamo.DB, table, consumer string, opts *DeadTableOptions) (*DeadTable, error) {
	t := &DeadTable{consumer: consumer, opts: args.Given(opts)}
	err := cmp.Or(keys.CheckName("consumer", consumer), args.AtLeast("Keep", t.opts.Keep, 0))
	if err != nil {
		return nil, err
	}
	t.opts.Codec = cmp.Or(t.opts.Codec, cursor.Plain())
	if t.table, err = store.Open(db, table, t.opts.OnCorrupt, t.opts.Now != nil); err != nil {
		return nil, err
	}
	if t.opts.Now == nil {
		t.opts.Now = time.Now
	}
	return t, nil
}

// Verify checks the table's key schema, its expiry and the mark that Init left.
// Any difference is plaza.ErrTable, a wrong clock a *plaza.ClockError.
//
// Cost: 3 requests, 0.5 RCU.
func (t *DeadTable) Verify(ctx context.Context) error {
	ctx = plaza.WithOperation(ctx, "stream.DeadTable.Verify")
	return t.table.Verify(ctx, deadFeature())
}

// Init verifies the table and marks it as one of dead letters, so that no other
// feature uses it. Call it once, after the table is created.
//
// Cost: 4 requests, 0.5 RCU, 1 WCU.
func (t *DeadTable) Init(ctx context.Context) error {
	ctx = plaza.WithOperation(ctx, "stream.DeadTable.Init")
	return t.table.Init(ctx, deadFeature())
}

// deadRow is D#consumer / id#seq#hash: the id is of the record's time, seq is its
// sequence number as text in the order of numbers, and the hash is of what identifies the
// letter.
type deadRow struct {
	PK       string `dynamo:"pk"`
	SK       string `dynamo:"sk"`
	Stream   string `dynamo:"stream,omitempty"`
	Shard    string `dynamo:"shard,omitempty"`
	Seq      string `dynamo:"seq,omitempty"`
	LastSeq  string `dynamo:"lastSeq,omitempty"`
	KeyHash  string `dynamo:"keyHash,omitempty"`
	Reason   string `dynamo:"reason,omitempty"`
	Attempts int    `dynamo:"attempts"`
	At       int64  `dynamo:"at,omitempty"` // milliseconds
	Record   []byte `dynamo:"record,omitempty"`
	TTL      int64  `dynamo:"ttl,omitempty"`
}

// An item is at most 400 KB; what surrounds a record is at most 8.
const (
	maxDeadRecord = 390 << 10
	maxDeadText   = 1 << 10
)

func (t *DeadTable) pk() string { return keys.Join("D", t.consumer) }

// keyOf returns the same key for all letters of one record.
func (t *DeadTable) keyOf(d Dead) store.Key {
	identity := keys.Join(d.Stream, d.Shard, d.Seq, d.LastSeq)
	if d.Seq == "" {
		identity = keys.Join(identity, string(d.Record))
	}
	sum := sha256.Sum256([]byte(identity))
	return store.Key{PK: t.pk(), SK: keys.Join(ids.At(d.At).String(), ordered(d.Seq), hex.EncodeToString(sum[:16]))}
}

// ordered is a sequence number whose text is in the order of numbers, and "" for any
// other text.
func ordered(seq string) string {
	if !isSequence(seq) {
		return ""
	}
	digits := strings.TrimLeft(seq, "0")
	return fmt.Sprintf("%02d%s", len(digits), digits)
}

// Put stores a letter. A letter of the same stream, shard and sequence numbers is
// replaced. A record over 390 KB loses its images, and is left out if that does
// not help; a reason is cut at 1 KB.
//
// Cost: 1 request, 1 WCU for each KB.
func (t *DeadTable) Put(ctx context.Context, d Dead) error {
	ctx = plaza.WithOperation(ctx, "stream.DeadTable.Put")
	for _, text := range []struct{ field, value string }{
		{"Stream", d.Stream}, {"Shard", d.Shard}, {"Seq", d.Seq}, {"LastSeq", d.LastSeq}, {"KeyHash", d.KeyHash},
	} {
		if err := args.Count(text.field, len(text.value), "bytes", maxDeadText); err != nil {
			return err
		}
		if !utf8.ValidString(text.value) {
			return &plaza.InvalidError{Field: text.field, Reason: "is not UTF-8"}
		}
	}
	if d.Seq == "" && len(d.Record) == 0 {
		return &plaza.InvalidError{Field: "Seq", Reason: "is empty, and there is no Record"}
	}
	key := t.keyOf(d)
	d = d.Fit(maxDeadRecord)
	row := deadRow{
		PK: key.PK, SK: key.SK,
		Stream: d.Stream, Shard: d.Shard, Seq: d.Seq, LastSeq: d.LastSeq, KeyHash: d.KeyHash,
		Reason: strings.ToValidUTF8(d.Reason[:min(len(d.Reason), maxDeadText)], ""), Attempts: d.Attempts, Record: d.Record,
	}
	if !d.At.IsZero() {
		row.At = d.At.UnixMilli()
	}
	if t.opts.Keep > 0 {
		row.TTL = t.opts.Now().Add(t.opts.Keep).Unix()
	}
	if err := t.table.Run(ctx, t.table.Put(row)); err != nil {
		return fmt.Errorf("stream: put the dead letter of record %s: %w", d.Seq, err)
	}
	return nil
}

// Delete removes a letter, given as List or a Source returned it. It is no error
// if the letter is gone.
//
// Cost: 1 request, 1 WCU for each KB.
func (t *DeadTable) Delete(ctx context.Context, d Dead) error {
	ctx = plaza.WithOperation(ctx, "stream.DeadTable.Delete")
	key := t.keyOf(d)
	if d.Receipt != "" {
		key.SK = d.Receipt
	}
	if err := t.table.Run(ctx, t.table.Delete(key)); err != nil {
		return fmt.Errorf("stream: delete the dead letter of record %s: %w", d.Seq, err)
	}
	return nil
}

// List lists the letters by their records' times, oldest first, strongly
// consistent. Those of one time are in the order of their sequence numbers.
//
// Cost: 1 request, 1 RCU for each 4 KB; where letters are large or damaged, up to
// 6 requests of 1 MB.
func (t *DeadTable) List(ctx context.Context, req cursor.PageRequest) (cursor.Page[Dead], error) {
	ctx = plaza.WithOperation(ctx, "stream.DeadTable.List")
	list := store.List[deadRow, Dead]{
		Codec:  t.opts.Codec,
		Scope:  cursor.Scope{List: "stream.dead", Partition: t.consumer},
		Oldest: true,
		Read: func(ctx context.Context, reach store.Reach) ([]deadRow, string, error) {
			span := reach.Span(t.pk())
			span.Consistent = true
			return store.Read[deadRow](ctx, t.table, span)
		},
		Order: store.Order[deadRow]{
			Below: func(row deadRow) string { return row.SK },
			Above: func(row deadRow) string { return row.SK + afterRow },
			Valid: func(gap string) bool {
				parts := keys.Split(strings.TrimSuffix(gap, afterRow))
				_, err := ids.Parse(parts[0])
				return len(parts) == 3 && err == nil && len(parts[2]) == 32
			},
		},
		Item: deadRow.letter,
	}
	letters, err := list.Page(ctx, req)
	if err != nil {
		return letters, fmt.Errorf("stream: dead letters of %q: %w", t.consumer, err)
	}
	return letters, nil
}

// afterRow, appended to a sort key, makes the next greater one.
const afterRow = "\x00"

func (r deadRow) letter() Dead {
	d := Dead{
		Stream: r.Stream, Shard: r.Shard, Seq: r.Seq, LastSeq: r.LastSeq, KeyHash: r.KeyHash,
		Reason: r.Reason, Attempts: r.Attempts, Record: r.Record, Receipt: r.SK,
	}
	if r.At != 0 {
		d.At = time.UnixMilli(r.At).UTC()
	}
	return d
}

// Source reads the letters once, from the oldest, for Redrive. It is not safe for
// concurrent use.
func (t *DeadTable) Source() DeadSource { return &tableSource{DeadTable: t} }

type tableSource struct {
	*DeadTable
	from  string
	ended bool
}

// atOnce is how many letters a Source returns at once.
const atOnce = 100

// Receive returns the next letters, by one request unless all in 1 MB are
// damaged.
func (s *tableSource) Receive(ctx context.Context) ([]Dead, error) {
	for !s.ended {
		span := store.Span{PK: s.pk(), From: s.from, Ascending: true, Limit: atOnce, Consistent: true}
		rows, rest, err := store.Read[deadRow](ctx, s.table, span)
		if err != nil {
			return nil, err
		}
		s.from, s.ended = rest, rest == ""
		if len(rows) > 0 {
			letters := make([]Dead, len(rows))
			for i, row := range rows {
				letters[i] = row.letter()
			}
			return letters, nil
		}
	}
	return nil, nil // the end
}
