package folder

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/plaza-sdk/plaza/internal/fold"
	"github.com/plaza-sdk/plaza/internal/store"
)

const (
	keep       = time.Hour // how long a block is kept that no longer belongs to the root: readers may have an older root
	sweepEvery = time.Minute
)

// retire schedules the deletion of a block, unless it is scheduled already: a period that
// is loaded again and again retires its old blocks each time.
func (t *Term) retire(key store.Key, at time.Time) {
	if _, ok := t.retired[key]; !ok {
		t.retired[key] = at
	}
}

// sweep deletes the blocks whose time has come.
func (t *Term) sweep(ctx context.Context) error {
	now := t.Now()
	if len(t.retired) == 0 || now.Before(t.swept.Add(sweepEvery)) {
		return nil
	}
	t.swept = now
	var due []store.Key
	for key, at := range t.retired {
		if !now.Before(at) {
			due = append(due, key)
		}
	}
	if err := t.Table.DeleteAll(ctx, due); err != nil {
		return t.survive(ctx, Attempt{Err: fmt.Errorf("leaderboard: delete what was published before: %w", err)})
	}
	for _, key := range due {
		delete(t.retired, key)
	}
	return nil
}

// unpublish deletes what is published of a period, unless a folder with a later lease
// published it.
func (t *Term) unpublish(ctx context.Context, p *period) error {
	key := p.rootKey()
	err := t.Table.Run(ctx, t.Table.Delete(key).If("attribute_not_exists(pk) OR gen <= ?", t.gen))
	if refused, ok := store.AsRefused(err); ok {
		now, _ := refused.At(0)
		if gen, _ := version(now); gen > 0 {
			return lost(gen)
		}
		err = t.Table.Run(ctx, store.IfUnchanged(t.Table.Delete(key), now, "gen"))
	}
	if err != nil {
		return err
	}
	stored, err := t.readStored(ctx, p.Name)
	if err != nil {
		return err
	}
	next := p.blockKey(fold.BlockID{Gen: t.gen + 1})
	gone := slices.DeleteFunc(stored.blocks, func(key store.Key) bool { return key.SK >= next.SK }) // a later folder's: their root may follow
	if stored.order != nil {
		gone = append(gone, store.KeyOf(stored.order))
	}
	return t.Table.DeleteAll(ctx, gone)
}
