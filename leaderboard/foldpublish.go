package leaderboard

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza/internal/fold"
	"github.com/plaza-sdk/plaza/internal/lease"
	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/internal/store"
)

// errFoldLost ends leading: a folder with a later lease publishes.
var errFoldLost = errors.New("leaderboard: another folder leads")

// foldLost is errFoldLost with the gen of that folder's lease. A later lease must have a
// higher one.
func foldLost(gen uint64) error {
	return fmt.Errorf("%w: %w", errFoldLost, &lease.StaleError{Gen: gen})
}

const (
	foldWrites = 4         // how many periods are published at once, and requests of one
	foldRound  = 64        // how many periods are published before the stream is read again
	foldKeep   = time.Hour // how long a block is kept that no longer belongs to the root: readers may have an older root
	foldSweep  = time.Minute
)

// publication is what a folder is about to publish of a period.
type publication struct {
	*foldedPeriod
	root   rootItem
	blocks []dynamo.Item
	bytes  int

	snapshot *fold.Snapshot // nil if the period is too large
	left     []store.Key    // if it is too large, the blocks that are still stored
	err      error
}

// due reports whether there is something to publish: changes, or a later time up to
// which there are no others.
func (p *foldedPeriod) due(through time.Time) bool {
	switch p.state {
	case foldTooLarge:
		return p.dirty
	case foldFollows:
		behind := p.asOf.Before(p.changed) && !through.Before(p.changed)
		return p.loaded(through) && (p.dirty || behind || p.stored.repair != nil)
	}
	return false
}

// publish publishes the periods that are due. Those that have waited longest come first.
func (l *folding) publish(ctx context.Context) error {
	var due []*foldedPeriod
	for _, p := range l.periods {
		if p.due(l.through) && time.Since(p.tried) >= l.opts.Every {
			due = append(due, p)
		}
	}
	slices.SortFunc(due, func(a, b *foldedPeriod) int { return a.tried.Compare(b.tried) })
	var all []*publication
	for _, p := range due[:min(len(due), foldRound)] {
		p.tried = time.Now()
		all = append(all, l.prepare(p))
	}
	err := parallel.ForEach(ctx, len(all), foldWrites, func(ctx context.Context, i int) error {
		all[i].err = l.store(ctx, all[i])
		return nil
	})
	if err != nil {
		return err
	}
	for _, p := range all {
		if p.err == nil {
			l.published(p)
		}
		if err := l.survive(ctx, p.attempt("publish", p.err)); err != nil {
			return err
		}
	}
	l.rest()
	return nil
}

// attempt is an attempt to do what with the period.
func (p *foldedPeriod) attempt(what string, err error) FolderAttempt {
	a := FolderAttempt{Board: p.board.name, Period: p.period.name()}
	if err != nil {
		a.Err = fmt.Errorf("leaderboard: %s period %s of %q: %w", what, a.Period, a.Board, err)
	}
	return a
}

// prepare makes the next publication of a period.
func (l *folding) prepare(p *foldedPeriod) *publication {
	l.seq++
	key := rootKey(p.board.name, p.period)
	n := &publication{foldedPeriod: p, root: rootItem{
		PK: key.PK, SK: key.SK, Fold: p.board.fold, Gen: l.gen, Seq: l.seq, AsOf: l.through.UTC(), TTL: p.period.ttl,
	}}
	if p.state == foldFollows {
		n.snapshot = p.set.Snapshot(func() fold.BlockID {
			l.blocks++
			return fold.BlockID{Gen: l.gen, N: l.blocks}
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
		key := blockKey(p.board.name, p.period, b.ID)
		item, err := dynamo.MarshalItem(blockItem{PK: key.PK, SK: key.SK, Data: b.Data, TTL: p.period.ttl})
		n.err = errors.Join(n.err, err)
		n.blocks, n.bytes = append(n.blocks, item), n.bytes+len(b.Data)
	}
	return n
}

// store stores the blocks before the root, which refers to them.
func (l *folding) store(ctx context.Context, n *publication) (err error) {
	t := l.boards.table
	if n.err != nil {
		return n.err
	}
	if err := t.PutAll(ctx, n.blocks, foldWrites); err != nil {
		return err
	}
	if err := l.putRoot(ctx, n.root); err != nil {
		return err
	}
	if n.snapshot == nil {
		stored, err := l.boards.foldStored(ctx, n.board.name, n.period)
		n.left = stored.blocks
		return err
	}
	if order := n.stored.repair; order != nil {
		err = t.Run(ctx, ifUnchanged(t.Delete(store.KeyOf(order)), order, "id"))
		if _, refused := store.AsRefused(err); refused { // another one follows
			return nil
		}
	}
	return err
}

// putRoot stores a root unless a later one is stored. It replaces a damaged one.
func (l *folding) putRoot(ctx context.Context, root rootItem) error {
	t := l.boards.table
	err := t.Run(ctx, t.Put(root).If("attribute_not_exists(pk) OR gen < ? OR gen = ? AND seq < ?", root.Gen, root.Gen, root.Seq))
	refused, ok := store.AsRefused(err)
	if !ok {
		return err
	}
	stands, _ := refused.At(0)
	switch gen, seq := foldVersion(stands); {
	case gen == 0:
		return t.Run(ctx, ifUnchanged(t.Put(root), stands, "gen", "seq"))
	case gen == root.Gen && seq == root.Seq: // the SDK sent it twice
		return nil
	default:
		return foldLost(gen)
	}
}

// foldVersion returns the two numbers by which a root is later than others, 0 if it is
// damaged.
func foldVersion(root dynamo.Item) (gen, seq uint64) {
	var i struct {
		Gen uint64 `dynamo:"gen"`
		Seq uint64 `dynamo:"seq"`
	}
	if store.UnmarshalItem(root, &i) != nil || i.Gen > math.MaxInt64 { // no lease has that
		return 0, 0
	}
	return i.Gen, i.Seq
}

// published notes what is stored, and which blocks are not needed any more.
func (l *folding) published(n *publication) {
	p, now := n.foldedPeriod, l.opts.Now()
	p.dirty, p.asOf = false, n.root.AsOf
	for _, key := range n.left {
		l.retire(key, now.Add(foldKeep))
	}
	if n.snapshot != nil {
		for _, id := range p.set.Published(n.snapshot) {
			l.retire(blockKey(p.board.name, p.period, id), now.Add(foldKeep))
		}
	}
	first := blockKey(p.board.name, p.period, fold.BlockID{Gen: p.stored.gen})
	for _, key := range p.stored.blocks {
		if key.SK < first.SK { // of a root before the one that was stored
			l.retire(key, now)
		}
		l.retire(key, now.Add(foldKeep))
	}
	p.stored = foldStored{}
	l.setStatus(func(s *FolderStatus) {
		s.Published++
		s.Bytes += int64(n.bytes)
	})
}

// retire schedules the deletion of a block, unless it is scheduled already: a period that
// is loaded again and again retires its old blocks each time.
func (l *folding) retire(key store.Key, at time.Time) {
	if _, ok := l.retired[key]; !ok {
		l.retired[key] = at
	}
}

// rest frees closed periods of which everything is published.
func (l *folding) rest() {
	now := l.boards.opts.Now()
	for _, p := range l.periods {
		final := !p.period.end.IsZero() && !now.Before(p.period.due())
		if final && p.loaded(l.through) && !p.due(l.through) && !p.asOf.Before(p.changed) {
			p.drop()
			p.state = foldRests
		}
	}
}

// sweep deletes the blocks whose time has come.
func (l *folding) sweep(ctx context.Context) error {
	now := l.opts.Now()
	if len(l.retired) == 0 || now.Before(l.swept.Add(foldSweep)) {
		return nil
	}
	l.swept = now
	var due []store.Key
	for key, at := range l.retired {
		if !now.Before(at) {
			due = append(due, key)
		}
	}
	if err := l.boards.table.DeleteAll(ctx, due); err != nil {
		return l.survive(ctx, FolderAttempt{Err: fmt.Errorf("leaderboard: delete what was published before: %w", err)})
	}
	for _, key := range due {
		delete(l.retired, key)
	}
	return nil
}

// unpublish deletes what is published of a period, unless a folder with a later lease
// published it.
func (l *folding) unpublish(ctx context.Context, p *foldedPeriod) error {
	t := l.boards.table
	key := rootKey(p.board.name, p.period)
	err := t.Run(ctx, t.Delete(key).If("attribute_not_exists(pk) OR gen <= ?", l.gen))
	if refused, ok := store.AsRefused(err); ok {
		stands, _ := refused.At(0)
		if gen, _ := foldVersion(stands); gen > 0 {
			return foldLost(gen)
		}
		err = t.Run(ctx, ifUnchanged(t.Delete(key), stands, "gen"))
	}
	if err != nil {
		return err
	}
	stored, err := l.boards.foldStored(ctx, p.board.name, p.period)
	if err != nil {
		return err
	}
	next := blockKey(p.board.name, p.period, fold.BlockID{Gen: l.gen + 1})
	gone := slices.DeleteFunc(stored.blocks, func(key store.Key) bool { return key.SK >= next.SK }) // a later folder's: their root may follow
	if stored.repair != nil {
		gone = append(gone, store.KeyOf(stored.repair))
	}
	return t.DeleteAll(ctx, gone)
}
