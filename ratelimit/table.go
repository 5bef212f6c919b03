package ratelimit

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"slices"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// maxTries bounds the writes that are refused because others came first.
const maxTries = 20

// Table is a Limiter that is exact across all processes, as far as their clocks agree.
// It remembers the last 16 attempts of a user's current burst on an object. Its items
// are in the table of the feature that it limits, and expire if the table's TTL is on.
type Table struct {
	table *store.Table
	rate  Rate
	now   func() time.Time
}

// NewTable does no I/O. The table is danmu's or notify/message's: both reserve keys for
// these items.
func NewTable(db *dynamo.DB, table string, rate Rate, opts *Options) (*Table, error) {
	o := opts.withDefaults()
	t, err := store.Open(db, table, o.OnCorrupt, true)
	if err != nil {
		return nil, err
	}
	if err := rate.setDefaults(); err != nil {
		return nil, err
	}
	return &Table{table: t, rate: rate, now: o.Now}, nil
}

// bucketItem is Q#object#user / Q.
type bucketItem struct {
	PK       string   `dynamo:"pk"`
	SK       string   `dynamo:"sk"`
	Full     int64    `dynamo:"full"` // Unix ms
	Attempts []string `dynamo:"attempts"`
	TTL      int64    `dynamo:"ttl"`
}

// UnmarshalDynamoItem refuses a damaged item, which could block a user forever.
func (i *bucketItem) UnmarshalDynamoItem(item dynamo.Item) error {
	type plain bucketItem
	if err := dynamo.UnmarshalItem(item, (*plain)(i)); err != nil {
		return err
	}
	if i.Full <= 0 || i.TTL != expiry(time.UnixMilli(i.Full)) {
		return fmt.Errorf("full is %d and ttl %d", i.Full, i.TTL)
	}
	return nil
}

// expiry is when an item may be deleted.
func expiry(full time.Time) int64 { return full.Add(time.Hour).Unix() }

// digest shortens an attempt's id, so that 16 long ids cost no more units. It is stored: a
// change of it counts repeats across an upgrade again.
func digest(id string) string {
	sum := sha256.Sum256([]byte(id))
	return base64.RawStdEncoding.EncodeToString(sum[:16])
}

// Take counts an attempt, as Limiter says.
//
// Cost: 1 request, 1 WCU; within a burst 2 requests, 2 WCU; a refusal 1 request,
// 1 WCU.
func (l *Table) Take(ctx context.Context, a Attempt) (time.Duration, error) {
	ctx = plaza.WithOperation(ctx, "ratelimit.Table.Take")
	if err := a.check(); err != nil {
		return 0, err
	}
	wait, err := l.take(ctx, a)
	if err != nil {
		return 0, fmt.Errorf("ratelimit: attempt of %q on %q: %w", a.User, a.Object, err)
	}
	return wait, nil
}

func (l *Table) take(ctx context.Context, a Attempt) (time.Duration, error) {
	id := digest(a.ID)
	now := l.now()
	var seen bucketItem // at first, as for a user without an item
	damaged := false
	for range maxTries {
		next, wait := l.rate.take(time.UnixMilli(seen.Full), now)
		if wait > 0 {
			return wait, nil
		}
		put := l.table.Put(l.item(a, next, latest(seen.Attempts, id)))
		switch {
		case damaged: // replace it
		case seen.Full == 0:
			put.If("attribute_not_exists(pk) OR 'full' <= ? AND NOT contains(attempts, ?)", now.UnixMilli(), id)
		default:
			put.If("'full' = ?", seen.Full)
		}
		err := l.table.Run(ctx, put)
		refused, ok := store.AsRefused(err)
		if !ok {
			return 0, err
		}
		seen = bucketItem{}
		if item, _ := refused.At(0); item != nil {
			if damaged = l.table.Skips(l.table.Decode(item, &seen)); damaged {
				seen = bucketItem{}
			}
		}
		if slices.Contains(seen.Attempts, id) {
			return 0, nil // an earlier call counted it, or this call, but the answer was lost
		}
	}
	return 0, plaza.ErrBusy
}

func (l *Table) item(a Attempt, full time.Time, attempts []string) bucketItem {
	return bucketItem{
		PK: keys.Join("Q", a.Object, a.User), SK: "Q",
		Full: full.UnixMilli(), Attempts: attempts,
		TTL: expiry(full),
	}
}
