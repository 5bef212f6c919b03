package stream

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"sync/atomic"

	"github.com/plaza-sdk/plaza/internal/parallel"
)

// Handler handles one record. A record may come again, and an old one after a
// newer one of the same item if it was a dead letter.
type Handler func(context.Context, Record) error

// Batch handles records, in their order, and returns one error for each, nil if the record was
// handled. ErrHeld says that a record was not tried, because an earlier one of its item failed; it
// counts as no attempt. A Batch may be called by several goroutines at once.
type Batch func(context.Context, []Record) []error

// Each makes a Batch of a Handler, which up to lanes goroutines call at once, at
// least 1. Records of one item are handled one after another, in their order;
// after one has failed, the later ones are ErrHeld. A panic is the record's error.
func Each(h Handler, lanes int) Batch {
	return func(ctx context.Context, records []Record) []error {
		errs := make([]error, len(records))
		items := byItem(records)
		var next atomic.Int64
		lane := func() error {
			for n := next.Add(1) - 1; n < int64(len(items)); n = next.Add(1) - 1 {
				h.inOrder(ctx, records, items[n], errs)
			}
			return nil
		}
		group := parallel.New()
		for range min(lanes, len(items)) - 1 {
			group.Go(lane)
		}
		_ = lane() // each record has its own error
		_ = group.Wait()
		return errs
	}
}

// inOrder handles the records at the positions at, all of one item, up to the first that
// fails.
func (h Handler) inOrder(ctx context.Context, records []Record, at []int, errs []error) {
	for n, i := range at {
		if errs[i] = ctx.Err(); errs[i] == nil {
			errs[i] = parallel.Catch(func() error { return h(ctx, records[i]) })
		}
		if errs[i] != nil {
			for _, later := range at[n+1:] {
				errs[later] = ErrHeld
			}
			return
		}
	}
}

// byItem groups the positions of records by their item, in the order of the
// items' first records.
func byItem(records []Record) [][]int {
	var items [][]int
	at := make(map[string]int, len(records))
	for i, r := range records {
		key := itemKey(r)
		n, ok := at[key]
		if !ok {
			n = len(items)
			at[key] = n
			items = append(items, nil)
		}
		items[n] = append(items[n], i)
	}
	return items
}

// itemKey differs for different items.
func itemKey(r Record) string {
	b := appendText(make([]byte, 0, 64), r.Table)
	return string(appendAttributes(b, r.Keys))
}

// keyHash is a hash of the item's key.
func keyHash(r Record) string {
	sum := sha256.Sum256([]byte(itemKey(r)))
	return hex.EncodeToString(sum[:16])
}

// answer calls b with records and returns one error for each.
func (b Batch) answer(ctx context.Context, records []Record) []error {
	var errs []error
	err := parallel.Catch(func() error {
		errs = b(ctx, records)
		return nil
	})
	if err == nil && len(errs) != len(records) {
		err = ErrOutcomes
	}
	if err != nil {
		errs = make([]error, len(records))
		for i := range errs {
			errs[i] = err
		}
	}
	return errs
}
