package comment

import (
	"context"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// ByUser lists what a user said on all objects, newest first unless opts, which
// may be nil, say otherwise. WithHidden shows also what was removed, with
// Removed and no text: while a tombstone stands, or for 30 days.
//
// Cost: 2 requests, 0.5 RCU per 4 KB, eventually consistent, and the same for
// each comment, and each root of a reply, in hundreds a request; 1 more where
// there are quotes, 4 at most. What was hidden or removed is passed over in up
// to 6 reads of up to 101 comments, 4 requests each at most; what is erased is
// looked for again, 7.
func (r *Repository) ByUser(ctx context.Context, user string, req cursor.PageRequest, opts *ListOptions) (cursor.Page[Comment], error) {
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

// readMost is how many rows of lists are read at once whose comments lie
// elsewhere.
const readMost = cursor.MaxLimit + 1

// readOwn gives rows that know where they lie, and how they were removed.
// Those that are forgotten by now, or never were there, name no user.
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

// written replaces the rows by those that are stored.
func (r *Repository) written(ctx context.Context, own []row, withRemoved bool) ([]row, error) {
	var standing []row
	for _, i := range own {
		if i.Removed == nil {
			standing = append(standing, i)
		}
	}
	found, err := r.readListed(ctx, standing)
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
