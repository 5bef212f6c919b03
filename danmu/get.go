package danmu

import (
	"context"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/keys"
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
