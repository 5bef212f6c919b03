package danmu

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// TableLimiter is a Limiter that is exact over all processes, as far as their
// clocks agree. It remembers the last 16 comments of a user's current burst on an
// object. Its items expire if TTL is on.
type TableLimiter struct {
	table *store.Table
	rate  Rate
	now   func() time.Time
}

// NewTableLimiter does no I/O. The table is one that Table describes.
func NewTableLimiter(db *dynamo.DB, table string, rate Rate, opts *LimiterOptions) (*TableLimiter, error) {
	o := opts.withDefaults()
	t, err := store.Open(db, table, o.OnCorrupt)
	if err != nil {
		return nil, err
	}
	if err := rate.setDefaults(); err != nil {
		return nil, err
	}
	return &TableLimiter{table: t, rate: rate, now: o.Now}, nil
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

// Take counts an attempt, as Limiter says.
//
// Cost: 1 request, 1 WCU; within a burst 2 requests, 2 WCU; a refusal 1 request,
// 1 WCU.
func (l *TableLimiter) Take(ctx context.Context, a Attempt) (time.Duration, error) {
	if err := a.check(); err != nil {
		return 0, err
	}
	wait, err := l.take(ctx, a)
	if err != nil {
		return 0, fmt.Errorf("danmu: rate of %q on %q: %w", a.User, a.Object, err)
	}
	return wait, nil
}

func (a Attempt) check() error {
	if err := keys.CheckName("Object", a.Object); err != nil {
		return err
	}
	return keys.CheckName("User", a.User)
}

func (l *TableLimiter) take(ctx context.Context, a Attempt) (time.Duration, error) {
	id := a.ID.String()
	now := l.now().Truncate(time.Millisecond)
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

func (l *TableLimiter) item(a Attempt, full time.Time, attempts []string) bucketItem {
	return bucketItem{
		PK: keys.Join("Q", a.Object, a.User), SK: "Q",
		Full: full.UnixMilli(), Attempts: attempts,
		TTL: expiry(full),
	}
}
