package leaderboard

import (
	"bytes"
	"context"
	"math"

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
func (s standings) rows(ctx context.Context, span store.IndexSpan) ([]rowItem, error) {
	items, _, err := s.round(ctx, span, math.MaxInt)
	return items, err
}

// round is rows by so many rounds of one request a shard. It may give fewer,
// and then reports that there are more.
func (s standings) round(ctx context.Context, span store.IndexSpan, rounds int) (items []rowItem, more bool, err error) {
	want := span.Limit
	share := min(want, want/s.period.shards+spare, atOnce)
	read := make([]int, s.period.shards) // rows of each shard
	items, rest, err := store.Merge[rowItem]{
		Sources:   s.period.shards,
		Ascending: span.Ascending,
		Read: func(ctx context.Context, shard int, gap string) ([]rowItem, string, error) {
			part := span
			part.Partition = shardPart(s.board.Name, s.period, shard)
			part.Limit = share - read[shard]%share // a request may end before, at 1 MB
			switch {
			case gap == "":
			case span.Ascending:
				part.From = after([]byte(gap[:len(gap)-1]))
			default:
				part.To = []byte(gap)
			}
			items, rest, err := store.ReadIndex[rowItem](ctx, s.table, ranking, part)
			sk := entrySK(s.board.Name, s.period)
			for i := range items {
				items[i].read(s.board, sk)
			}
			read[shard] += len(items)
			return items, rest, err
		},
		Place:   func(i *rowItem) string { return string(i.key) },
		Compare: func(a, b *rowItem) int { return bytes.Compare(a.key, b.key) },
	}.Rows(ctx, want, rounds)
	return items, rest != "", err
}
