package comment

import (
	"context"
	"slices"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// ListOptions of one list. A cursor belongs to the options it was made with.
type ListOptions struct {
	// Oldest begins with the oldest. Defaults to the newest.
	Oldest bool

	// WithHidden shows hidden comments too, flagged: for moderators.
	WithHidden bool
}

// ByObject lists the object's flow comments and roots, newest first unless
// opts, which may be nil, say otherwise. Tombstones keep their places.
//
// Cost: 1 request, 0.5 RCU per 4 KB, eventually consistent; 1 more where there
// are quotes, 4 at most. Hidden and removed comments are passed over in up to 6
// requests, of 63 times the rows; rows of more than 1 MB take as many, and what
// does not fit is on the next page.
func (r *Repository) ByObject(ctx context.Context, object string, req cursor.PageRequest, opts *ListOptions) (cursor.Page[Comment], error) {
	page, err := r.topLevel(ctx, "objects", object, req, opts, new(int))
	if err != nil {
		return cursor.Page[Comment]{}, err
	}
	shown, err := r.page(ctx, page)
	return shown, wrapName("comments on", object, err)
}

// topLevel pages through the rows of the object's own list, and counts those
// that it read.
func (r *Repository) topLevel(ctx context.Context, kind, object string, req cursor.PageRequest, opts *ListOptions, read *int) (cursor.Page[row], error) {
	if err := keys.CheckName("Object", object); err != nil {
		return cursor.Page[row]{}, err
	}
	list := r.list(kind, object, opts)
	list.Read = func(ctx context.Context, reach store.Reach) ([]row, string, error) {
		span := reach.Span(objectPK(object))
		span.Consistent = r.opts.Consistent
		found, rest, err := store.Read[row](ctx, r.table, span)
		for n := range found {
			found[n].at.Object = object
		}
		*read += len(found)
		return found, rest, err
	}
	page, err := list.Page(ctx, req)
	return page, wrapName("comments on", object, err)
}

// list lacks its Read.
func (r *Repository) list(kind, partition string, opts *ListOptions) store.List[row, row] {
	if opts == nil {
		opts = &ListOptions{}
	}
	scope := cursor.Scope{List: "comment/" + kind, Partition: partition}
	if opts.Oldest {
		scope.Order = "oldest"
	}
	if opts.WithHidden {
		scope.Filter = "with hidden"
	}
	return store.List[row, row]{
		Codec:  r.opts.Codec,
		Scope:  scope,
		Oldest: opts.Oldest,
		Order:  store.ByID(func(i row) ids.ID { return i.at.ID }),
		Item:   func(i row) row { return i },
		Show: func(_ context.Context, read []row) ([]row, error) {
			return slices.DeleteFunc(read, func(i row) bool { return !i.shown(opts.WithHidden) }), nil
		},
	}
}

func (i row) shown(withHidden bool) bool {
	return i.TTL == 0 && (withHidden || !i.Hidden && !i.under)
}

func (i row) expired(now int64) bool { return i.TTL != 0 && i.TTL <= now }

// page is what readers see of a page of rows.
func (r *Repository) page(ctx context.Context, p cursor.Page[row]) (cursor.Page[Comment], error) {
	comments, err := r.comments(ctx, p.Items)
	if err != nil {
		return cursor.Page[Comment]{}, err
	}
	return cursor.Page[Comment]{Items: comments, Next: p.Next, Prev: p.Prev}, nil
}
