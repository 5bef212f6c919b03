package danmu

import (
	"context"
	"slices"
	"strings"

	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/internal/store"
)

// readShards merges the shards of a segment that hold a share of it: what s
// has of each. Where its limit ends it, rest is the gap at which it does.
func (r *Repository) readShards(ctx context.Context, l *layout, segment, share int, s store.Span) (rows []row, rest string, err error) {
	lanes := make([][]row, (l.shards()+1<<share-1)>>share)
	rests := make([]string, len(lanes))
	group, ctx := parallel.WithContext(ctx)
	for i := range lanes {
		lane := s
		lane.PK = place{l.object, segment, i << share}.pk()
		group.Go(func() (err error) {
			lanes[i], rests[i], err = store.Read[row](ctx, r.table, lane)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, "", err
	}
	rows = merge(lanes, s.Ascending)
	if rest = nearest(rests, s.Ascending); rest == "" {
		return rows, "", nil
	}
	known := slices.IndexFunc(rows, func(i row) bool { return (i.ID.String() < rest) != s.Ascending })
	if known < 0 {
		known = len(rows)
	}
	return rows[:known], rest, nil
}

// nearest is the first of the gaps at which lanes have ended: all of them are
// read as far as that.
func nearest(rests []string, ascending bool) (first string) {
	for _, rest := range rests {
		if id, cut := strings.CutSuffix(rest, "\x00"); cut {
			rest = id + afterID
		}
		if rest != "" && (first == "" || (rest < first) == ascending) {
			first = rest
		}
	}
	return first
}

// merge orders rows that lie in order in each lane, and joins copies.
func merge(lanes [][]row, ascending bool) []row {
	if len(lanes) == 1 {
		return lanes[0]
	}
	half := len(lanes) / 2
	return mergeTwo(merge(lanes[:half], ascending), merge(lanes[half:], ascending), ascending)
}

func mergeTwo(a, b []row, ascending bool) []row {
	switch {
	case len(a) == 0:
		return b
	case len(b) == 0:
		return a
	}
	rows := make([]row, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		order := a[0].ID.Compare(b[0].ID)
		if !ascending {
			order = -order
		}
		switch {
		case order < 0:
			rows, a = append(rows, a[0]), a[1:]
		case order > 0:
			rows, b = append(rows, b[0]), b[1:]
		default:
			rows, a, b = append(rows, a[0].join(b[0])), a[1:], b[1:]
		}
	}
	return append(append(rows, a...), b...)
}
