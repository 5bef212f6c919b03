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

// Thread is a root with a few of its replies.
type Thread struct {
	Comment // its Replies counts the whole thread

	// First are the three oldest replies, oldest first, without tombstones.
	// Hidden ones are included only WithHidden.
	First []Comment `json:"first,omitempty"`
}

// Threads lists the same comments as ByObject, each root with its first replies.
//
// Cost: 2 requests, 0.5 RCU for 4 KB each; with Quotes 1 request and 0.5 RCU for
// each Quote more; if first replies of a longer thread are gone 1 request and 0.5
// RCU for each reply in their place more; past hidden or removed comments 5
// requests more at most, for 63 times the rows; for a thread that has just lost a
// first reply, and WithHidden for each long one that ever did, 1 request more, at
// most 6.
func (r *Repository) Threads(ctx context.Context, object string, req cursor.PageRequest, opts *ListOptions) (cursor.Page[Thread], error) {
	ctx = plaza.WithOperation(ctx, "feed/comment.Repository.Threads")
	read := 0
	roots, err := r.topLevel(ctx, "threads", object, req, opts, &read)
	if err != nil {
		return cursor.Page[Thread]{}, err
	}
	sparse := read > 2*len(roots.Items)+1
	shown, err := r.threads(ctx, object, roots.Items, sparse, opts != nil && opts.WithHidden)
	if err != nil {
		return cursor.Page[Thread]{}, wrapName("threads on", object, err)
	}
	return cursor.Page[Thread]{Items: shown, Next: roots.Next, Prev: roots.Prev}, nil
}

func (r *Repository) threads(ctx context.Context, object string, roots []row, sparse, withHidden bool) ([]Thread, error) {
	comments, err := r.comments(ctx, roots)
	if err != nil {
		return nil, err
	}
	first, err := r.firstReplies(ctx, object, roots, sparse, withHidden)
	if err != nil {
		return nil, err
	}
	threads := make([]Thread, len(roots))
	for n, root := range roots {
		threads[n].Comment = comments[n]
		replies := first[root.at.ID]
		threads[n].First = slices.Grow(threads[n].First, len(replies))
		for _, i := range replies {
			i.rootHidden = root.Hidden
			threads[n].First = append(threads[n].First, i.comment())
		}
	}
	return threads, nil
}

// readFirst reads the first replies of the roots, by one range. If the roots are
// sparse among others, it reads each row by its key.
func (r *Repository) readFirst(ctx context.Context, object string, roots []row, sparse bool) ([]row, error) {
	var wanted []store.Key
	of := make(map[ids.ID]bool, len(roots))
	for _, root := range roots {
		of[root.at.ID] = true
		for _, first := range root.First {
			wanted = append(wanted, store.Key{PK: firstPK(object), SK: keys.Join(root.at.ID.String(), first)})
		}
	}
	if len(wanted) == 0 {
		return nil, nil
	}
	if sparse {
		found, err := r.read(ctx, wanted, r.opts.Consistent)
		if err != nil {
			return nil, err
		}
		var rows []row
		for _, i := range found {
			if i, ok := r.readable(i, true); ok {
				i.at.Object = object
				rows = append(rows, i)
			}
		}
		return rows, nil
	}
	low, high := roots[0].at.ID, roots[len(roots)-1].at.ID
	found, err := r.first(ctx, object, min(low, high), max(low, high))
	// The range also contains replies of hidden roots and of new ones.
	return slices.DeleteFunc(found, func(i row) bool { return !of[i.at.Root] }), err
}

// first reads the first replies of all roots from low to high, oldest first.
func (r *Repository) first(ctx context.Context, object string, low, high ids.ID) ([]row, error) {
	const aboveIDs = "~"
	found, err := store.Query[row](ctx, r.table, store.Span{
		PK:   firstPK(object),
		From: low.String(), To: keys.Join(high.String(), aboveIDs),
		Ascending: true, Consistent: r.opts.Consistent,
	})
	for n := range found {
		found[n].at.Object = object
	}
	return found, err
}
