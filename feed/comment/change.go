package comment

import (
	"context"
	"errors"
	"strings"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/store"
)

// change reads a comment and its root and runs the write that next returns for
// them, if any. It starts again while others change them.
func (r *Repository) change(ctx context.Context, at Address, next func(seen, root row) (store.Write, error)) error {
	for range attempts {
		found, err := r.read(ctx, at.keys(), true)
		if err != nil {
			return err
		}
		seen, ok := found.at(at)
		switch {
		case seen.damaged != nil:
			return seen.damaged
		case !ok || seen.TTL != 0:
			return plaza.ErrNotFound
		}
		write, err := next(seen, found[at.root().key(false)])
		if write == nil || err != nil {
			return err
		}
		around := append(at.keys(), headerKey(at.Object))
		if parent, ok := seen.parentKey(); ok {
			around = append(around, parent)
		}
		err = r.run(ctx, write, around)
		if _, refused := store.AsRefused(err); !refused {
			return err
		}
	}
	return plaza.ErrBusy
}

// run applies a write. If that fails for an unknown reason, it looks for damage
// in the items around it.
func (r *Repository) run(ctx context.Context, write store.Write, around []store.Key) error {
	err := r.table.Run(ctx, write)
	if _, refused := store.AsRefused(err); err == nil || refused || ctx.Err() != nil {
		return err
	}
	for _, known := range []error{plaza.ErrBusy, plaza.ErrUnavailable, plaza.ErrUnknownOutcome, plaza.ErrTable} {
		if errors.Is(err, known) {
			return err
		}
	}
	found, failed := r.table.GetAll(ctx, around, true, 1)
	if failed != nil {
		return err
	}
	for key, item := range found {
		var out any = new(row)
		if strings.HasPrefix(key.PK, "N#") {
			out = new(headerItem)
		}
		if damaged := r.table.Decode(item, out); damaged != nil {
			return damaged
		}
	}
	return err
}

// recount adds to tx the changes of counts as the row goes from seen to after. gone
// means that lists no longer show it.
func (r *Repository) recount(tx *store.Tx, seen, root, after row, gone bool) {
	const there = "attribute_exists(pk)"
	at, by := seen.at, after.counts()-seen.counts()
	all, roots, left := by, int64(0), int64(0)
	if gone {
		left = -1
	}
	switch {
	case seen.rootHidden:
		all = 0 // it was not counted
	case at.Root == 0:
		roots = by
		if !seen.Hidden && after.Hidden {
			all -= seen.Replies
		}
		if seen.Hidden && !after.Hidden {
			all += seen.Replies
		}
	}
	if all != 0 || roots != 0 {
		tx.Update(r.table.Update(headerKey(at.Object)).Add("n", all).Add("roots", roots).If(there))
	}
	if by == 0 && !gone {
		return
	}
	if at.Root != 0 {
		update := r.table.Update(at.root().key(false)).Add("replies", by).Add("rows", left).Add("ver", 1).If(there)
		update.If(asSeen("hidden", seen.rootHidden))
		if gone && !seen.rest {
			update.Drop("first", []string{at.ID.String()})
		}
		switch {
		case by != 0 && seen.rest:
			root.setNext(update, at.ID, by > 0)
		case by < 0:
			root.setPast(update)
		}
		tx.Update(update)
	}
	if parent, ok := seen.parentKey(); ok {
		tx.Update(r.table.Update(parent).Add("answers", by).Add("rows", left).Add("ver", 1).If(there))
	}
}

// atTurn is the condition that no Hide, Unhide or UpdateScore came since the row
// was read. A request that arrives after it was repeated and undone fails it.
func (i row) atTurn() (string, int64) {
	if i.Turn == 0 {
		return "attribute_not_exists('turn') OR 'turn' = ?", 0
	}
	return "'turn' = ?", i.Turn
}

// asSeen is the condition that an attribute is there, or that it is not.
func asSeen(attribute string, there bool) string {
	if there {
		return "attribute_exists('" + attribute + "')"
	}
	return "attribute_not_exists('" + attribute + "')"
}

// atVersion is the condition that a row has the version that was read, 0 if it
// has none.
func atVersion(ver int64) string {
	if ver == 0 {
		return "attribute_exists(pk) AND (attribute_not_exists('ver') OR 'ver' = ?)"
	}
	return "'ver' = ?"
}
