package folder

import (
	"context"
	"errors"
	"slices"

	"github.com/plaza-sdk/plaza"
)

// Leaves are the published leaves of a period.
type Leaves struct {
	spans map[span]bool
	lost  bool // something cannot be read
}

// span is a leaf: it has n keys that are at least from and below to. An empty to means no
// end.
type span struct {
	from, to string
	n        int
}

// Leaves reads what is published of a period, past the cache of roots.
func (c *Cache) Leaves(ctx context.Context, n Name, fold int64) (Leaves, error) {
	p, err := c.readRoot(ctx, n.rootKey(), true)
	if err != nil {
		return Leaves{}, err
	}
	now := Leaves{spans: map[span]bool{}}
	err = c.try(ctx, p, fold, func(p *Published) error {
		leaves, err := p.leaves(ctx)
		clear(now.spans)
		to := ""
		for _, l := range slices.Backward(leaves) {
			now.spans[span{string(l.From), to, l.N}] = true
			to = string(l.From)
		}
		return err
	})
	switch {
	case errors.Is(err, errUnpublished):
		return Leaves{}, nil
	case errors.Is(err, plaza.ErrCorrupt):
		return Leaves{lost: true}, nil
	}
	return now, err
}

// Differ returns by how many keys the leaves that did not change between two readings
// differ from the keys of the index, which was read in between. If something cannot be
// read, it is at least 1.
func Differ(before, after Leaves, keys []string) (n int) {
	if before.lost || after.lost {
		return max(1, len(keys))
	}
	slices.Sort(keys)
	for l := range after.spans {
		if !before.spans[l] {
			continue
		}
		from, _ := slices.BinarySearch(keys, l.from)
		to := len(keys)
		if l.to != "" {
			to, _ = slices.BinarySearch(keys, l.to)
		}
		n += max(l.n-(to-from), to-from-l.n)
	}
	return n
}
