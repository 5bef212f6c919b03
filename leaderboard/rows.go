package leaderboard

import (
	"bytes"
	"context"
	"math"
	"slices"

	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/internal/store"
)

// How much one request reads of a shard where many rows are wanted: its share
// and some more, since shares differ, up to a bound.
const (
	spare  = 128
	atOnce = 10_000
)

// rows reads the first Limit rows of a span that is open at its far end, over
// all shards. Up to 128 rows it is one request a shard.
func (s ladder) rows(ctx context.Context, span store.IndexSpan) ([]rowItem, error) {
	items, _, err := s.round(ctx, span, math.MaxInt)
	return items, err
}

// round is rows by so many rounds of one request a shard. It may give fewer,
// and then says that there are more.
func (s ladder) round(ctx context.Context, span store.IndexSpan, rounds int) (items []rowItem, more bool, err error) {
	want := span.Limit
	span.Limit = min(want, want/s.period.shards+spare, atOnce)
	lanes := make([]lane, s.period.shards)
	for i := range lanes {
		lanes[i].left, lanes[i].share = span, span.Limit
		lanes[i].left.Partition = shardPart(s.board.Name, s.period, i)
	}
	var merged []rowItem
	for range rounds {
		group, ctx := parallel.WithContext(ctx)
		behind := false
		for i := range lanes {
			if l := &lanes[i]; l.behind(merged, want) {
				behind = true
				group.Go(func() error { return l.read(ctx, s) })
			}
		}
		if err := group.Wait(); err != nil {
			return nil, false, err
		}
		if !behind {
			break
		}
		merged = merge(lanes, want)
	}
	for i := range lanes {
		if l := &lanes[i]; l.behind(merged, want) { // what is beyond its last may not be next
			more = true
			merged = slices.DeleteFunc(merged, func(i rowItem) bool { return compare(i, l.items[len(l.items)-1], span.Ascending) > 0 })
		}
	}
	return merged, more || len(merged) == want, nil
}

// lane is one shard of a span, and what was read of it so far.
type lane struct {
	left  store.IndexSpan
	share int // how many rows are asked for; a request may end before, at 1 MB
	items []rowItem
	ended bool
}

func (l *lane) read(ctx context.Context, s ladder) error {
	items, rest, err := store.ReadIndex[rowItem](ctx, s.table, ranking, l.left)
	if err != nil {
		return err
	}
	for i := range items {
		items[i].read(s.board, s.period)
	}
	l.items = append(l.items, items...)
	l.left.Limit = l.share - len(l.items)%l.share
	if l.ended = rest == ""; !l.ended {
		last := items[len(items)-1].key
		if l.left.Ascending {
			l.left.From = after(last)
		} else {
			l.left.To = last
		}
	}
	return nil
}

// behind tells whether what is left of the lane may belong among the rows
// wanted.
func (l *lane) behind(merged []rowItem, want int) bool {
	if l.ended || len(merged) < want {
		return !l.ended
	}
	return compare(l.items[len(l.items)-1], merged[want-1], l.left.Ascending) < 0
}

func merge(lanes []lane, want int) []rowItem {
	var items []rowItem
	for _, l := range lanes {
		items = append(items, l.items...)
	}
	slices.SortFunc(items, func(a, b rowItem) int { return compare(a, b, lanes[0].left.Ascending) })
	return items[:min(len(items), want)]
}

func compare(a, b rowItem, ascending bool) int {
	if !ascending {
		a, b = b, a
	}
	return bytes.Compare(a.key, b.key)
}
