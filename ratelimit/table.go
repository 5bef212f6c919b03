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

	damaged error
}

// UnmarshalDynamoItem keeps a damaged item, which must not block a user forever.
func (i *bucketItem) UnmarshalDynamoItem(item dynamo.Item) error {
	err := store.UnmarshalItem(item, i)
	if err == nil && (i.Full <= 0 || i.TTL != expiry(time.UnixMilli(i.Full))) {
		err = fmt.Errorf("full is %d and ttl %d", i.Full, i.TTL)
	}
	if err != nil {
		*i = bucketItem{damaged: err}
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

func (l *Table) take(ctx context.Context, a Attempt) (wait time.Duration, err error) {
	id, now := digest(a.ID), l.now()
	key := store.Key{PK: keys.Join("Q", a.Object, a.User), SK: "Q"}
	put := func(seen *bucketItem) *store.Put {
		var full time.Time
		full, wait = l.rate.take(time.UnixMilli(seen.Full), now)
		return l.table.Put(bucketItem{
			PK: key.PK, SK: key.SK, Full: full.UnixMilli(), Attempts: latest(seen.Attempts, id), TTL: expiry(full),
		})
	}
	first := put(&bucketItem{}).If("attribute_not_exists(pk) OR 'full' <= ? AND NOT contains(attempts, ?)", now.UnixMilli(), id)
	_, err = store.Merge(ctx, l.table, key, first, func(seen *bucketItem) (store.Write, error) {
		next := put(seen)
		switch {
		case seen.damaged != nil: // report and replace it
			l.table.Skips(l.table.Corrupt(key, seen.damaged.Error()))
			return next, nil //nolint:nilerr // the damage is replaced
		case slices.Contains(seen.Attempts, id): // an earlier call counted it, or this call, but the answer was lost
			wait = 0
			return nil, store.ErrSame
		case wait > 0:
			return nil, store.ErrSame
		case seen.Full == 0: // it has expired
			return first, nil
		}
		return next.If("'full' = ?", seen.Full), nil
	})
	return wait, err
}
