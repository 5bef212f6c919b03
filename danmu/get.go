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
// One read, 0.5 RCU eventually consistent for each place it may lie in: one, and
// another for each time the shards grew. One more, 1 RCU, where this process
// does not know the object since Options.Refresh.
func (r *Repository) Get(ctx context.Context, object string, id ID) (Comment, error) {
	if err := checkAddress(object, id); err != nil {
		return Comment{}, err
	}
	l, err := r.known(ctx, object, false)
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
		return &plaza.InvalidError{Field: "ID", Reason: "is of no comment"}
	}
	return nil
}

// find reads a comment, or its tombstone, where it may lie. With one place
// left it is 0.5 or 1 RCU, and as much for each more, in one request.
func (r *Repository) find(ctx context.Context, places []place, id ID, consistent bool) (found row, ok bool, err error) {
	if len(places) == 0 {
		return row{}, false, nil
	}
	wanted := make([]store.Key, len(places))
	for i, p := range places {
		wanted[i] = p.key(id)
	}
	items, err := r.table.GetAll(ctx, wanted, consistent, 1)
	if err != nil {
		return row{}, false, err
	}
	for _, key := range wanted {
		item := items[key]
		if item == nil {
			continue
		}
		var copied row
		if err := r.table.Decode(item, &copied); err != nil {
			return row{}, false, err
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
