package danmu

import (
	"context"
	"math"
	"strings"

	"github.com/plaza-sdk/plaza/internal/store"
)

// readShards reads s in every shard that holds the sample, and merges the rows. If the
// limit of s ends the read, rest is the gap where it ended.
func (r *Repository) readShards(ctx context.Context, l *layout, segment, sample int, s store.Span) (rows []row, rest string, err error) {
	return store.Merge[row]{
		Sources:   (l.shards() + 1<<sample - 1) >> sample,
		Ascending: s.Ascending,
		Read: func(ctx context.Context, shard int, _ string) ([]row, string, error) {
			part := s
			part.PK = place{l.object, segment, shard << sample}.pk()
			rows, rest, err := store.Read[row](ctx, r.table, part)
			if id, after := strings.CutSuffix(rest, "\x00"); after {
				rest = id + afterID
			}
			return rows, rest, err
		},
		Place:   func(i *row) string { return i.ID.String() },
		Compare: func(a, b *row) int { return a.ID.Compare(b.ID) },
		Join:    row.join, // a comment may have copies in two shards
	}.Rows(ctx, math.MaxInt, 1)
}
