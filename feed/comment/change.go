package comment

import (
	"context"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/store"
)

// change reads a comment and runs the transaction that next makes of it, anew
// while the comment changes meanwhile. Next says whether there is anything to
// do.
func (r *Repository) change(ctx context.Context, at At, next func(tx *dynamo.WriteTx, seen row) (bool, error)) (changed bool, err error) {
	for range turns {
		found, err := r.read(ctx, at.keys(), true)
		if err != nil {
			return false, err
		}
		seen, ok := found.at(at)
		if !ok || seen.TTL != 0 {
			return false, plaza.ErrNotFound
		}
		tx := r.table.Tx()
		if do, err := next(tx, seen); !do || err != nil {
			return false, err
		}
		err = r.table.Run(ctx, tx)
		if _, refused := store.AsRefused(err); !refused {
			return err == nil, err
		}
	}
	return false, plaza.ErrBusy
}

// recount adds to tx what counts a comment, as it was seen and as it will be;
// gone says that no list shows it any more.
func (r *Repository) recount(tx *dynamo.WriteTx, seen, after row, gone bool) {
	const there = "attribute_exists(pk)"
	at, by := seen.at, after.counts()-seen.counts()
	all, roots, left := by, int64(0), int64(0)
	if gone {
		left = -1
	}
	switch {
	case seen.under:
		all = 0 // the root took it along
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
		root := r.table.Update(at.root().key(false)).Add("replies", by).Add("rows", left).Add("ver", 1).If(there)
		root.If(asSeen("hidden", seen.under))
		if gone && !seen.rest {
			root.DeleteStringsFromSet("first", at.ID.String())
		}
		tx.Update(root)
	}
	if parent, ok := seen.parentKey(); ok {
		tx.Update(r.table.Update(parent).Add("answers", by).Add("rows", left).Add("ver", 1).If(there))
	}
}

// asSeen is the condition that an attribute is there, or not.
func asSeen(attribute string, there bool) string {
	if there {
		return "attribute_exists('" + attribute + "')"
	}
	return "attribute_not_exists('" + attribute + "')"
}

// atVersion is the condition that a row has the version that was seen, 0
// where it has none.
func atVersion(ver int64) string {
	if ver == 0 {
		return "attribute_exists(pk) AND (attribute_not_exists('ver') OR 'ver' = ?)"
	}
	return "'ver' = ?"
}
