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
	w := &write{Groups: s, key: key, event: e, mint: mint}
	var counted, sent bool
	changed, err = w.change(ctx, nil, func(g *stored) error {
		entry, ok := g.entries[e.attribute()]
		if sent = ok && entry.Off && entry.Write == w.id; sent { // the SDK has sent the write again
			return store.ErrSame
		}
		if counted = ok && !entry.Off; counted && entry.ID == e.ID && entry.Actor != e.Actor {
			return plaza.ErrConflict
		}
		if !g.retract(e, w.id) {
			return store.ErrSame
		}
		return w.rebuild(g)
	})
	return (changed || sent) && counted, err
}

// Empty retracts all events of a group as it was read, and those unknown to it that
// have an id below. changed is true if this call did.
func (s *Groups) Empty(ctx context.Context, item dynamo.Item, mint Mint) (changed bool, err error) {
	w := &write{Groups: s, key: store.KeyOf(item), mint: mint}
	cut := ids.ID(0) // of the group as this call wrote it
	var sent bool
	changed, err = w.change(ctx, item, func(g *stored) error {
		if sent = cut != 0 && g.Cut == cut; sent || !g.empty(w.id) {
			return store.ErrSame
		}
		cut = g.Cut
		return nil
	})
	return changed || sent, err
}

// change writes a group as apply changes it. It reads the group if item is nil.
func (w *write) change(ctx context.Context, item dynamo.Item, apply func(*stored) error) (changed bool, err error) {
	defer w.full.Remove(w.key) // after the write: an Add before it may find the group full
	if err := w.raise(ctx, 0); err != nil {
		return false, err
	}
	next := func(item *dynamo.Item) (store.Write, error) {
		now := w.Now()
		g, err := parse(w.Table, w.key, *item, now)
		if err == nil {
			err = apply(g)
		}
		if err != nil {
			return nil, err
		}
		return w.put(g, now), nil
	}
	var first store.Write
	if item != nil {
		first, err = next(&item)
		switch {
		case errors.Is(err, store.ErrSame):
			return false, nil
		case err != nil:
			return false, err
		}
	}
	return store.Merge(ctx, w.Table, w.key, first, next)
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
