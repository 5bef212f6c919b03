package danmu

import (
	"context"
	"slices"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Get reads one comment. An unknown comment, and one that is recalled, removed
// or hidden by reports, is plaza.ErrNotFound.
//
// Cost: 1 request, 0.5 RCU; with Options.Consistent 1 RCU.
//
//plaza:cost a comment: 1 request, 0.5 RCU
//plaza:cost with Options.Consistent: 1 request, 1 RCU
//plaza:cost each other place, where the shards grew: 0.5 RCU
//plaza:cost an object that was not read within Options.Refresh: 1 request, 1 RCU
func (r *Repository) Get(ctx context.Context, object string, id ID) (Comment, error) {
	ctx = plaza.WithOperation(ctx, "danmu.Repository.Get")
	if err := checkAddress(object, id); err != nil {
		return Comment{}, err
	}
	l, err := r.layout(ctx, object, false)
	if err != nil {
		return Comment{}, wrapID("get", object, id, err)
	}
	found, ok, err := r.find(ctx, l.places(id), id, r.opts.Consistent)
	if err == nil && (!ok || found.gone() || r.hides(&found)) {
		err = plaza.ErrNotFound
	}
	if err != nil {
		return Comment{}, wrapID("get", object, id, err)
	}
	return found.comment(object), nil
}

func checkAddress(object string, id ID) error {
	if err := keys.CheckName("Object", object); err != nil {
		return err
	}
	if id.unique() == 0 {
		return &plaza.InvalidError{Field: "ID", Reason: "is not the ID of a comment"}
	}
	return nil
}

// find reads a comment or its tombstone from the places that can hold it, in one
// request. It joins copies.
func (r *Repository) find(ctx context.Context, places []place, id ID, consistent bool) (found commentItem, ok bool, err error) {
	if len(places) == 0 {
		return commentItem{}, false, nil
	}
	wanted := make([]store.Key, len(places))
	for i, p := range places {
		wanted[i] = p.key(id)
	}
	items, err := r.table.GetAll(ctx, wanted, consistent, 1)
	if err != nil {
		return commentItem{}, false, err
	}
	for _, key := range wanted {
		item := items[key]
		if item == nil {
			continue
		}
		var copied commentItem
		if err := r.table.Decode(item, &copied); err != nil {
			return commentItem{}, false, err
		}
		if ok {
			copied = found.join(copied)
		}
		found, ok = copied, true
	}
	return found, ok, nil
}

func except(places []place, one place) []place {
	return slices.DeleteFunc(places, func(p place) bool { return p == one })
}
