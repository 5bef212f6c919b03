package leaderboard

import (
	"bytes"
	"context"
	"errors"
	"sort"
	"sync/atomic"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/fold"
	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/internal/store"
)

// folded is the ranker for RankByFold. What a folder published says how many keys lie
// before a leaf, and the keys in the leaf are read. If nothing that can be used is
// published, it counts.
type folded struct {
	cache *foldCache
	fold  int64 // the definition's: what was published for another is not used
}

func (f folded) count(ctx context.Context, s standings, bounds ...[]byte) (n []int64, asOf Position, err error) {
	used, err := f.use(ctx, s, func(p *published) error {
		above, err := f.above(ctx, s, p, bounds)
		if err != nil {
			return err
		}
		n, asOf = make([]int64, len(bounds)-1), p.asOf()
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
	used, err := f.use(ctx, s, func(p *published) error {
		i := p.item.root.BlockAt(above)
		return f.inBlock(ctx, p, i, func(b *fold.Block) error {
			leaf, err := p.item.root.LeafAt(i, b, above)
			at = start{from: leaf.From, before: leaf.Above, asOf: p.asOf()}
			return err
		})
	})
	if used && at.before > 0 || err != nil {
		return at, err
	}
	return counting{}.seek(ctx, s, above)
}

var (
	errUnpublished = errors.New("leaderboard: nothing is published that can be used")
	errNoBlock     = errors.New("a block that it refers to is missing")
	errBounds      = errors.New("a block that it refers to contradicts it")
)

// use calls do with what is published, and again if a newer publication has replaced it
// meanwhile. It reports false if there is nothing that can be used. Damage is reported.
func (f folded) use(ctx context.Context, s standings, do func(*published) error) (used bool, err error) {
	p, err := f.cache.root(ctx, rootKey(s.board.Name, s.period))
	if err == nil {
		err = f.try(ctx, p, do)
	}
	if errors.Is(err, errUnpublished) || f.cache.table.Skips(err) {
		return false, nil
	}
	return err == nil, err
}

func (f folded) try(ctx context.Context, p *published, do func(*published) error) error {
	for {
		switch {
		case p.damage != nil:
			return p.damage
		case p.item.root == nil || p.item.Fold != f.fold:
			return errUnpublished
		}
		err := do(p)
		if !errors.Is(err, plaza.ErrNotFound) {
			return err
		}
		before := p
		if p, err = f.cache.readRoot(ctx, p.key, true); err != nil {
			return err
		}
		if p.same(before) { // a root goes before its blocks do, so this one was lost
			return f.cache.table.Corrupt(p.key, errNoBlock.Error())
		}
	}
}

// leaves reads all leaves that are published, in order, past the cache of roots.
func (f folded) leaves(ctx context.Context, s standings) (all []fold.Leaf, err error) {
	p, err := f.cache.readRoot(ctx, rootKey(s.board.Name, s.period), true)
	if err != nil {
		return nil, err
	}
	err = f.try(ctx, p, func(p *published) error {
		all = nil
		for i := range max(1, len(p.item.root.Blocks())) {
			err := f.inBlock(ctx, p, i, func(b *fold.Block) error {
				leaves, err := p.item.root.Leaves(i, b)
				all = append(all, leaves...)
				return err
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	return all, err
}

// inBlock reads block i for find, which gets nil if the root has no blocks.
func (f folded) inBlock(ctx context.Context, p *published, i int, find func(*fold.Block) error) error {
	var b *fold.Block
	if blocks := p.item.root.Blocks(); len(blocks) > 0 {
		var err error
		if b, err = f.cache.block(ctx, store.Key{PK: p.key.PK, SK: blockSK(blocks[i])}); err != nil {
			return err
		}
	}
	if err := find(b); err != nil {
		return f.cache.table.Corrupt(p.key, err.Error())
	}
	return nil
}

// within are the bounds that lie in one leaf.
type within struct {
	fold.Leaf
	first, last int // indexes of bounds
}

// above returns how many keys lie before each bound. If all bounds are in one leaf,
// keys before the first of them do not count, and are not read.
func (f folded) above(ctx context.Context, s standings, p *published, bounds [][]byte) ([]int64, error) {
	above := make([]int64, len(bounds))
	var leaves []within
	for i, bound := range bounds {
		if bound == nil {
			if i > 0 {
				above[i] = p.item.root.Len()
			}
			continue
		}
		var leaf fold.Leaf
		block := p.item.root.Block(bound)
		err := f.inBlock(ctx, p, block, func(b *fold.Block) (err error) {
			leaf, err = p.item.root.Leaf(block, b, bound)
			if err == nil && bytes.Compare(leaf.From, bound) > 0 {
				err = errBounds
			}
			return err
		})
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
		span.From = after(rows[len(rows)-1].Key)
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
