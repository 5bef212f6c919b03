package folder

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza/internal/fold"
	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/internal/store"
)

const (
	writesAtOnce = 4  // how many periods are published at once, and requests of one
	mostARound   = 64 // how many periods are published before the stream is read again
)

// publication is what a folder is about to publish of a period.
type publication struct {
	*period
	root   rootItem
	blocks []dynamo.Item
	bytes  int

	snapshot *fold.Snapshot // nil if the period is too large
	left     []store.Key    // if it is too large, the blocks that are still stored
	err      error
}

// publish publishes the periods that are due. Those that have waited longest come first.
func (t *Term) publish(ctx context.Context) error {
	var due []*period
	for _, p := range t.periods {
		if p.due(t.through) && time.Since(p.tried) >= t.Every {
			due = append(due, p)
		}
	}
	slices.SortFunc(due, func(a, b *period) int { return a.tried.Compare(b.tried) })
	var all []*publication
	for _, p := range due[:min(len(due), mostARound)] {
		p.tried = time.Now()
		all = append(all, t.prepare(p))
	}
	err := parallel.ForEach(ctx, len(all), writesAtOnce, func(ctx context.Context, i int) error {
		all[i].err = t.store(ctx, all[i])
		return nil
	})
	if err != nil {
		return err
	}
	for _, n := range all {
		if n.err == nil {
			t.published(n)
		}
		if err := t.survive(ctx, n.attempt("publish", n.err)); err != nil {
			return err
		}
	}
	t.rest()
	return nil
}

// prepare makes the next publication of a period.
func (t *Term) prepare(p *period) *publication {
	t.seq++
	key := p.rootKey()
	n := &publication{period: p, root: rootItem{
		PK: key.PK, SK: key.SK, Fold: p.board.fold, Gen: t.gen, Seq: t.seq, AsOf: t.through.UTC(), TTL: p.Expires,
	}}
	if p.state == follows {
		n.snapshot = p.set.Snapshot(func() fold.BlockID {
			t.blocks++
			return fold.BlockID{Gen: t.gen, N: t.blocks}
		})
		if len(n.snapshot.Root) > fold.MaxRoot {
			p.leave()
			n.snapshot = nil
		}
	}
	if n.snapshot == nil {
		n.root.Large = true
		return n
	}
	n.root.Data, n.bytes = n.snapshot.Root, len(n.snapshot.Root)
	for _, b := range n.snapshot.Blocks {
		key := p.blockKey(b.ID)
		item, err := dynamo.MarshalItem(blockItem{PK: key.PK, SK: key.SK, Data: b.Data, TTL: p.Expires})
		n.err = errors.Join(n.err, err)
		n.blocks, n.bytes = append(n.blocks, item), n.bytes+len(b.Data)
	}
	return n
}

// store stores the blocks before the root, which refers to them.
func (f *Folder) store(ctx context.Context, n *publication) (err error) {
	if n.err != nil {
		return n.err
	}
	if err := f.Table.PutAll(ctx, n.blocks, writesAtOnce); err != nil {
		return err
	}
	if err := f.putRoot(ctx, n.root); err != nil {
		return err
	}
	if n.snapshot == nil {
		stored, err := f.readStored(ctx, n.Name)
		n.left = stored.blocks
		return err
	}
	if order := n.stored.order; order != nil {
		err = f.Table.Run(ctx, store.IfUnchanged(f.Table.Delete(store.KeyOf(order)), order, "id"))
		if _, refused := store.AsRefused(err); refused { // another one follows
			return nil
		}
	}
	return err
}

// putRoot stores a root unless a later one is stored. It replaces a damaged one.
func (f *Folder) putRoot(ctx context.Context, root rootItem) error {
	err := f.Table.Run(ctx, f.Table.Put(root).If("attribute_not_exists(pk) OR gen < ? OR gen = ? AND seq < ?", root.Gen, root.Gen, root.Seq))
	refused, ok := store.AsRefused(err)
	if !ok {
		return err
	}
	now, _ := refused.At(0)
	switch gen, seq := version(now); {
	case gen == 0:
		return f.Table.Run(ctx, store.IfUnchanged(f.Table.Put(root), now, "gen", "seq"))
	case gen == root.Gen && seq == root.Seq: // the SDK sent it twice
		return nil
	default:
		return lost(gen)
	}
}

// published notes what is stored, and which blocks are not needed any more.
func (t *Term) published(n *publication) {
	p, now := n.period, t.Now()
	p.dirty, p.asOf = false, n.root.AsOf
	for _, key := range n.left {
		t.retire(key, now.Add(keep))
	}
	if n.snapshot != nil {
		for _, id := range p.set.Published(n.snapshot) {
			t.retire(p.blockKey(id), now.Add(keep))
		}
	}
	first := p.blockKey(fold.BlockID{Gen: p.stored.gen})
	for _, key := range p.stored.blocks {
		if key.SK < first.SK { // of a root before the one that was stored
			t.retire(key, now)
		}
		t.retire(key, now.Add(keep))
	}
	p.stored = stored{}
	t.setStatus(func(s *Status) {
		s.Published++
		s.Bytes += int64(n.bytes)
	})
}

// rest frees closed periods of which everything is published.
func (t *Term) rest() {
	now := t.Boards.Now()
	for _, p := range t.periods {
		if p.final(now) && p.loaded(t.through) && !p.due(t.through) && !p.asOf.Before(p.changed) {
			p.drop()
			p.state = rests
		}
	}
}
