package leaderboard

import (
	"bytes"
	"context"
	"sort"
	"sync/atomic"

	"github.com/plaza-sdk/plaza/internal/fold"
	"github.com/plaza-sdk/plaza/internal/folder"
	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/internal/store"
)

// counting is the ranker for RankByCount. It reads the entries that it counts.
type counting struct{}

func (counting) count(ctx context.Context, s standings, bounds ...[]byte) ([]int64, Position, error) {
	n := make([]int64, len(bounds)-1)
	shards := s.period.shards
	err := parallel.ForEach(ctx, len(n)*shards, len(n)*shards, func(ctx context.Context, i int) error {
		span := store.IndexSpan{Partition: shardPart(s.board.Name, s.period, i%shards), From: bounds[i/shards], To: bounds[i/shards+1]}
		found, err := s.table.CountIndex(ctx, ranking, span)
		atomic.AddInt64(&n[i/shards], found)
		return err
	})
	return n, Position{AsOf: s.now}, err
}

func (counting) seek(_ context.Context, s standings, _ int64) (start, error) {
	return start{asOf: Position{AsOf: s.now}}, nil
}

// folded is the ranker for RankByFold. It takes the number of keys before a leaf from
// what a folder published, and reads the keys in the leaf. Without a usable publication
// it counts.
type folded struct {
	cache *folder.Cache
	fold  int64 // the definition's: what was published for another is not used
}

func (f folded) count(ctx context.Context, s standings, bounds ...[]byte) (n []int64, asOf Position, err error) {
	used, err := f.cache.Use(ctx, s.name(), f.fold, func(p *folder.Published) error {
		above, err := s.above(ctx, p, bounds)
		if err != nil {
			return err
		}
		n, asOf = make([]int64, len(bounds)-1), Position{AsOf: p.AsOf(), Folded: true}
		for i := range n {
			n[i] = max(0, above[i+1]-above[i]) // a leaf may have changed since it was published
		}
		return nil
	})
	if used || err != nil {
		return n, asOf, err
	}
	return counting{}.count(ctx, s, bounds...)
}

func (f folded) seek(ctx context.Context, s standings, above int64) (at start, err error) {
	if above <= spare { // rows that are about as cheap to read
		return counting{}.seek(ctx, s, above)
	}
	used, err := f.cache.Use(ctx, s.name(), f.fold, func(p *folder.Published) error {
		leaf, err := p.LeafAt(ctx, above)
		at = start{from: leaf.From, before: leaf.Above, asOf: Position{AsOf: p.AsOf(), Folded: true}}
		return err
	})
	if used && at.before > 0 || err != nil {
		return at, err
	}
	return counting{}.seek(ctx, s, above)
}

// name names the period for folders.
func (s standings) name() folder.Name {
	return folder.Name{Board: s.board.Name, Period: s.period.name()}
}

// within are the bounds that lie in one leaf.
type within struct {
	fold.Leaf
	first, last int // indexes of bounds
}

// above returns how many keys lie before each bound. If all bounds are in one leaf,
// keys before the first of them do not count, and are not read.
func (s standings) above(ctx context.Context, p *folder.Published, bounds [][]byte) ([]int64, error) {
	above := make([]int64, len(bounds))
	var leaves []within
	for i, bound := range bounds {
		if bound == nil {
			if i > 0 {
				above[i] = p.Len()
			}
			continue
		}
		leaf, err := p.Leaf(ctx, bound)
		switch last := len(leaves) - 1; {
		case err != nil:
			return nil, err
		case last >= 0 && leaves[last].Above == leaf.Above:
			leaves[last].last = i
		default:
			leaves = append(leaves, within{leaf, i, i})
		}
	}
	for _, l := range leaves {
		for i := l.first; i <= l.last; i++ {
			above[i] = l.Above
		}
	}
	shards := s.period.shards
	err := parallel.ForEach(ctx, len(leaves)*shards, len(leaves)*shards, func(ctx context.Context, i int) error {
		l := leaves[i/shards]
		span := store.IndexSpan{Partition: shardPart(s.board.Name, s.period, i%shards), From: l.From, To: bounds[l.last], Ascending: true, Only: []string{"key"}}
		if l.last-l.first == len(bounds)-1 {
			span.From = bounds[0]
		}
		counts, err := s.countBefore(ctx, span, bounds[l.first:l.last+1])
		for i, n := range counts {
			atomic.AddInt64(&above[l.first+i], n)
		}
		return err
	})
	return above, err
}

// maxLive is how many keys of a leaf and shard are read. A leaf that was published long
// ago may have any number: DynamoDB counts those beyond, so that they take no memory.
const maxLive = 2000

// countBefore returns how many keys of a span lie before each of the ascending bounds.
func (s standings) countBefore(ctx context.Context, span store.IndexSpan, bounds [][]byte) ([]int64, error) {
	n := make([]int64, len(bounds))
	for span.Limit = maxLive; span.Limit > 0; {
		rows, rest, err := store.ReadIndex[keyRow](ctx, s.table, ranking, span)
		if err != nil {
			return nil, err
		}
		for i, bound := range bounds {
			n[i] += int64(sort.Search(len(rows), func(j int) bool { return bytes.Compare(rows[j].Key, bound) >= 0 }))
		}
		if rest == "" {
			return n, nil
		}
		span.Limit -= len(rows)
		span.From = store.After(rows[len(rows)-1].Key)
	}
	more := int64(0)
	for i, bound := range bounds {
		if bytes.Compare(span.From, bound) < 0 {
			found, err := s.table.CountIndex(ctx, ranking, store.IndexSpan{Partition: span.Partition, From: span.From, To: bound})
			if err != nil {
				return nil, err
			}
			more, span.From = more+found, bound
		}
		n[i] += more
	}
	return n, nil
}

// keyRow is a row of the index without the rest.
type keyRow struct {
	Key []byte `dynamo:"key"`
}
