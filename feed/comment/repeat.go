package comment

import (
	"bytes"
	"context"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/store"
)

// repeated finds the comment that was added under the identity of c.
func (r *Repository) repeated(ctx context.Context, c Comment) (first Comment, known bool, err error) {
	own, key := ownKey(c.User, c.ID), keyKey(c.User, c.Key)
	wanted := []store.Key{own}
	if c.Key != "" {
		wanted = append(wanted, key)
	}
	found, err := r.table.GetAll(ctx, wanted, true, 1)
	if err != nil {
		return c, false, err
	}
	var guard ownItem
	var keyed keyItem
	for key, item := range found {
		out := any(&guard)
		if key != own {
			out = &keyed
		}
		if err := r.table.Decode(item, out); err != nil {
			return c, false, err
		}
	}
	at, hash, now := guard.at(), guard.Hash, r.opts.Now().Unix()
	if keyed.TTL > now {
		at, hash = keyed.at(), keyed.Hash
	} else if guard.ID == 0 || guard.TTL != 0 && guard.TTL <= now {
		return c, false, nil
	}
	switch {
	case hash == nil: // it was deleted before it was there
		return c, true, plaza.ErrRemoved
	case !bytes.Equal(hash, c.hash()):
		return c, true, plaza.ErrConflict
	}
	rows, err := r.read(ctx, at.keys(), true)
	if err != nil {
		return c, true, err
	}
	stored, ok := rows.at(at)
	if stored.damaged != nil {
		return c, true, stored.damaged
	}
	if !ok || stored.Removed != nil {
		return c, true, plaza.ErrRemoved
	}
	return stored.comment(), true, nil
}
