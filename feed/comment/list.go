package comment

import (
	"context"
	"slices"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// ListOptions of one list. A cursor is valid only with the options of its page.
type ListOptions struct {
	// Oldest lists the oldest first. Defaults to newest first.
	Oldest bool

	// WithHidden includes hidden comments, for moderators. Defaults to leaving
	// them out.
	WithHidden bool
}

// ByObject lists the object's flow comments and roots, newest first. Tombstones
// keep their places. opts may be nil. A page is short if its rows exceed 6 MB.
//
// Cost: 1 request, 0.5 RCU for 4 KB; with Quotes 1 request and 0.5 RCU for each
// more; past hidden comments 6 requests at most.
//
//plaza:cost 4 KB of rows: 1 request, 0.5 RCU
//plaza:cost each further 4 KB: 0.5 RCU
//plaza:cost with Quotes more: 1 request
//plaza:cost with Quotes more, at most: 4 requests
//plaza:cost each Quote: 0.5 RCU
//plaza:cost past hidden, removed or damaged comments, at most, for 63 times the rows: 6 requests
//plaza:cost rows of more than 1 MB, at most: 6 requests
func (r *Repository) ByObject(ctx context.Context, object string, req cursor.PageRequest, opts *ListOptions) (cursor.Page[Comment], error) {
	ctx = plaza.WithOperation(ctx, "feed/comment.Repository.ByObject")
	page, err := r.topLevel(ctx, "objects", object, req, opts, new(int))
	if err != nil {
		return cursor.Page[Comment]{}, err
	}
	shown, err := r.page(ctx, page)
	return shown, wrapName("comments on", object, err)
}

// topLevel returns a page of rows of the object's own list and adds to read the
// number of rows that it read.
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

// list returns a list without its Read.
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

// page turns a page of rows into one of comments.
func (r *Repository) page(ctx context.Context, p cursor.Page[row]) (cursor.Page[Comment], error) {
	comments, err := r.comments(ctx, p.Items)
	if err != nil {
		return cursor.Page[Comment]{}, err
	}
	return cursor.Page[Comment]{Items: comments, Next: p.Next, Prev: p.Prev}, nil
}

// ByUser lists a user's comments on all objects, newest first. WithHidden also
// includes removed ones, with Removed and no text: for 30 days, or as long as there is
// a tombstone. opts may be nil.
//
// Cost: 2 requests, 0.5 RCU for 4 KB of places and for each comment; past hidden or
// removed ones 24 requests at most.
//
//plaza:cost 4 KB of places: 2 requests, 0.5 RCU
//plaza:cost each comment, and each root of a reply: 0.5 RCU
//plaza:cost with Quotes: as ByObject
//plaza:cost past hidden or removed comments, at most, for 606 comments: 24 requests
//plaza:cost past erased comments, at most, for 606 comments: 42 requests
func (r *Repository) ByUser(ctx context.Context, user string, req cursor.PageRequest, opts *ListOptions) (cursor.Page[Comment], error) {
	ctx = plaza.WithOperation(ctx, "feed/comment.Repository.ByUser")
	if err := keys.CheckName("User", user); err != nil {
		return cursor.Page[Comment]{}, err
	}
	list := r.list("users", user, opts)
	list.Read = func(ctx context.Context, reach store.Reach) ([]row, string, error) {
		return r.readOwn(ctx, user, reach)
	}
	visible := list.Show
	list.Show = func(ctx context.Context, own []row) ([]row, error) {
		withRemoved := opts != nil && opts.WithHidden
		written, err := r.written(ctx, own, withRemoved)
		if err != nil {
			return nil, err
		}
		return visible(ctx, written)
	}
	page, err := list.Page(ctx, req)
	if err != nil {
		return cursor.Page[Comment]{}, wrapName("comments by", user, err)
	}
	shown, err := r.page(ctx, page)
	return shown, wrapName("comments by", user, err)
}

// readMost is the most rows read at once in lists whose comments are stored
// elsewhere.
const readMost = cursor.MaxLimit + 1

// readOwn returns rows with only their address and removal. Their User is empty
// if the comment has expired or was never added.
func (r *Repository) readOwn(ctx context.Context, user string, reach store.Reach) ([]row, string, error) {
	reach.Limit = min(reach.Limit, readMost)
	span := reach.Span(ownPK(user))
	span.Consistent = r.opts.Consistent
	items, rest, err := store.Read[ownItem](ctx, r.table, span)
	own := make([]row, len(items))
	for n, i := range items {
		own[n] = row{at: i.at(), rest: i.Rest, User: user, Removed: i.Removed}
		if i.TTL != 0 && i.TTL <= r.opts.Now().Unix() || i.Hash == nil {
			own[n].User = ""
		}
	}
	return own, rest, err
}

// written replaces the rows with the stored ones.
func (r *Repository) written(ctx context.Context, own []row, withRemoved bool) ([]row, error) {
	var visible []row
	for _, i := range own {
		if i.Removed == nil {
			visible = append(visible, i)
		}
	}
	found, err := r.readListed(ctx, visible)
	if err != nil {
		return nil, err
	}
	written := own[:0]
	for _, i := range own {
		if i.Removed == nil {
			stored, ok := r.readable(found.at(i.at))
			if ok && (withRemoved || stored.Removed == nil) {
				written = append(written, stored)
			}
		} else if withRemoved && i.User != "" {
			written = append(written, i)
		}
	}
	return written, nil
}
