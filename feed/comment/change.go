package comment

import (
	"context"
	"slices"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/store"
)

// inThread is a stored comment with the root of its thread, if it is a reply.
type inThread struct {
	row
	root row
}

// inThread finds a comment under one of the keys, which name its root too.
func (r *Repository) inThread(ctx context.Context, at Address, keys []store.Key) (inThread, error) {
	found, err := r.read(ctx, keys, true)
	if err != nil {
		return inThread{}, err
	}
	seen, ok := found.at(at)
	switch {
	case seen.damaged != nil:
		return inThread{}, seen.damaged
	case !ok || seen.TTL != 0:
		return inThread{}, plaza.ErrNotFound
	}
	return inThread{seen, found[at.root().key(false)]}, nil
}

// change changes a part of a comment, whose place it finds first.
func (r *Repository) change(ctx context.Context, at Address, c store.Change[inThread]) (was inThread, changed bool, err error) {
	seen, err := r.inThread(ctx, at, at.keys())
	if err == nil {
		c.Call, err = r.gen.Next(ctx)
	}
	if err != nil {
		return inThread{}, false, err
	}
	c.Key, c.Seen = seen.key(), &seen
	c.Read = func(ctx context.Context) (inThread, error) { return r.inThread(ctx, at, keysOfRows([]row{seen.row})) }
	return c.Run(ctx, r.table)
}

// recount adds to tx the changes of counts as the row goes from seen to after. gone
// means that lists no longer show it.
func (r *Repository) recount(tx *store.Tx, seen inThread, after row, gone bool) {
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
			seen.root.setNext(update, at.ID, by > 0)
		case by < 0:
			seen.root.setPast(update)
		}
		tx.Update(update)
	}
	if parent, ok := seen.parentKey(); ok {
		tx.Update(r.table.Update(parent).Add("answers", by).Add("rows", left).Add("ver", 1).If(there))
	}
}

// shortens reports whether Next must be refilled once the reply is hidden or removed.
func (i inThread) shortens() bool {
	switch {
	case !i.root.More:
		return false
	case i.rest:
		return slices.Contains(i.root.Next, i.at.ID) || i.root.Past != 0 && len(i.root.Next) < firstRows
	}
	return true
}
