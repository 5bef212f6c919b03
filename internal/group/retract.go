package group

import (
	"context"
	"errors"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Retract turns an event off, also one that comes later. changed is true if this call
// took back an event that counted.
func (s *Groups) Retract(ctx context.Context, key store.Key, e Event, mint Mint) (changed bool, err error) {
	done, err := s.turns.Take(ctx, key)
	if err != nil {
		return false, err
	}
	defer done()
	var item dynamo.Item
	if err := s.Table.Get(ctx, key, true, &item); err != nil && !errors.Is(err, plaza.ErrNotFound) {
		return false, err
	}
	w := &write{Groups: s, key: key, event: e, mint: mint}
	counted := false
	changed, err = w.change(ctx, item, func(g *stored) (bool, error) {
		entry, ok := g.entries[e.attribute()]
		if counted = ok && !entry.Off; counted && entry.ID == e.ID && entry.Actor != e.Actor {
			return false, plaza.ErrConflict
		}
		if !g.retract(e, w.id) {
			return false, nil
		}
		return true, w.rebuild(g)
	}, func(g *stored) bool {
		entry := g.entries[e.attribute()]
		return entry.Off && entry.Write == w.id
	})
	return changed && counted, err
}

// Empty retracts all events of a group as it was read, and those unknown to it that
// have an id below. changed is true if this call did.
func (s *Groups) Empty(ctx context.Context, item dynamo.Item, mint Mint) (changed bool, err error) {
	w := &write{Groups: s, key: store.KeyOf(item), mint: mint}
	cut := ids.ID(0)
	return w.change(ctx, item, func(g *stored) (bool, error) {
		changed := g.empty(w.id)
		cut = g.cut
		return changed, nil
	}, func(g *stored) bool { return g.cut == cut })
}

// change writes a group as apply changes it. done recognises the group that this call
// has written.
func (w *write) change(ctx context.Context, item dynamo.Item, apply func(*stored) (bool, error), done func(*stored) bool) (bool, error) {
	defer w.full.Remove(w.key) // after the write: an Add before it may find the group full
	if err := w.raise(ctx, 0); err != nil {
		return false, err
	}
	for try := range maxTries {
		now := w.Now()
		g, err := parse(w.Table, w.key, item, now)
		if err != nil {
			return false, err
		}
		if try > 0 && done(g) {
			return true, nil
		}
		if changed, err := apply(g); err != nil || !changed {
			return false, err
		}
		err = w.Table.Run(ctx, w.put(g, now))
		refused, ok := store.AsRefused(err)
		if !ok {
			return err == nil, err
		}
		item, _ = refused.At(0)
	}
	return false, w.busy()
}

// rebuild makes the data of the newest event that is left.
func (w *write) rebuild(g *stored) error {
	live := g.live()
	if len(live) == 0 {
		return nil
	}
	data, err := w.Rebuild(g.SK, live[0], g.Data)
	if err != nil {
		return w.Table.Corrupt(w.key, err.Error())
	}
	g.Data = data
	return nil
}
