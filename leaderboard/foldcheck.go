package leaderboard

import (
	"context"
	"errors"
	"slices"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/store"
)

// leafSpan is a published leaf: it has n keys that are at least from and below to. An
// empty to means no end.
type leafSpan struct {
	from, to string
	n        int
}

// publishedLeaves is what is published of a period.
type publishedLeaves struct {
	leaves map[leafSpan]bool
	lost   bool // something cannot be read
}

func (a audit) publishedLeaves(ctx context.Context) (publishedLeaves, error) {
	f, ok := a.ranker.(folded)
	if !ok {
		return publishedLeaves{}, nil
	}
	leaves, err := f.leaves(ctx, a.standings)
	switch {
	case errors.Is(err, errUnpublished):
		return publishedLeaves{}, nil
	case errors.Is(err, plaza.ErrCorrupt):
		return publishedLeaves{lost: true}, nil
	case err != nil:
		return publishedLeaves{}, err
	}
	now := publishedLeaves{leaves: make(map[leafSpan]bool, len(leaves))}
	to := ""
	for _, l := range slices.Backward(leaves) {
		now.leaves[leafSpan{string(l.From), to, l.N}] = true
		to = string(l.From)
	}
	return now, nil
}

// misfolded compares the leaves that did not change between two readings with the
// index, which was read in between.
func misfolded(before, after publishedLeaves, index map[store.Key]indexed, hidden string) (drift int) {
	var keys []string
	for _, row := range index {
		if row.part != hidden {
			keys = append(keys, string(row.Key))
		}
	}
	if before.lost || after.lost {
		return max(1, len(keys))
	}
	slices.Sort(keys)
	for l := range after.leaves {
		if !before.leaves[l] {
			continue
		}
		from, _ := slices.BinarySearch(keys, l.from)
		to := len(keys)
		if l.to != "" {
			to, _ = slices.BinarySearch(keys, l.to)
		}
		drift += max(l.n-(to-from), to-from-l.n)
	}
	return drift
}

// refold makes the folder read the period again and replace what it published.
func (r *Repository) refold(ctx context.Context, a audit) error {
	id, err := r.gen.Next(ctx)
	if err != nil {
		return err
	}
	key := foldRepairKey(a.board.Name, a.period)
	return r.table.Run(ctx, r.table.Put(foldRepairItem{PK: key.PK, SK: key.SK, ID: id, TTL: a.period.ttl}))
}
