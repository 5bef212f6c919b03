package letters

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
	"github.com/plaza-sdk/plaza/stream"
)

// Table returns the schema of a table with that name.
func Table(name string) *dynamodb.CreateTableInput { return store.Schema(name) }

// TTL returns the request that turns on expiry, of letters with an Options.Keep.
func TTL(name string) *dynamodb.UpdateTimeToLiveInput { return store.TTL(name) }

func feature() store.Feature {
	return store.Feature{Name: "stream/dead", Format: 1, Schema: Table, Expires: true}
}

// Verify checks the table's key schema, its expiry and the mark that Init left.
// Any difference is plaza.ErrTable, a wrong clock a *plaza.ClockError.
//
// Cost: 3 requests, 0.5 RCU.
func (r *Repository) Verify(ctx context.Context) error {
	ctx = plaza.WithOperation(ctx, "stream/letters.Repository.Verify")
	return r.table.Verify(ctx, feature())
}

// Init verifies the table and marks it as one of dead letters, so that no other
// feature uses it. Call it once, after the table is created.
//
// Cost: 4 requests, 0.5 RCU, 1 WCU.
func (r *Repository) Init(ctx context.Context) error {
	ctx = plaza.WithOperation(ctx, "stream/letters.Repository.Init")
	return r.table.Init(ctx, feature())
}

// row is D#consumer / id#seq#hash: the id has the record's time, seq is its sequence
// number as text in the order of numbers, and the hash is of the letter's identity.
type row struct {
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

func (r row) letter() stream.Dead {
	d := stream.Dead{
		Stream: r.Stream, Shard: r.Shard, Seq: r.Seq, LastSeq: r.LastSeq, KeyHash: r.KeyHash,
		Reason: r.Reason, Attempts: r.Attempts, Record: r.Record, Receipt: r.SK,
	}
	if r.At != 0 {
		d.At = time.UnixMilli(r.At).UTC()
	}
	return d
}

func (r *Repository) pk() string { return keys.Join("D", r.consumer) }

// keyOf returns the same key for all letters of one record.
func (r *Repository) keyOf(d stream.Dead) store.Key {
	identity := keys.Join(d.Stream, d.Shard, d.Seq, d.LastSeq)
	if d.Seq == "" {
		identity = keys.Join(identity, string(d.Record))
	}
	sum := sha256.Sum256([]byte(identity))
	return store.Key{PK: r.pk(), SK: keys.Join(ids.At(d.At).String(), ordered(d.Seq), hex.EncodeToString(sum[:16]))}
}

// validSK reports whether a sort key has the form that keyOf gives it.
func validSK(sk string) bool {
	parts := keys.Split(sk)
	_, err := ids.Parse(parts[0])
	return len(parts) == 3 && err == nil && len(parts[2]) == 32
}

// ordered returns a sequence number, of up to 64 digits, as text in the order of
// numbers. It returns "" for any other text.
func ordered(seq string) string {
	if seq == "" || len(seq) > 64 || strings.Trim(seq, "0123456789") != "" {
		return ""
	}
	digits := strings.TrimLeft(seq, "0")
	return fmt.Sprintf("%02d%s", len(digits), digits)
}
