package comment

import (
	"context"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Thread is a root with a few of its replies.
type Thread struct {
	Comment // its Replies counts the whole thread

	// First are up to three replies, oldest first: the first ones, unless some
	// of those were removed, whose places later replies then took, or hidden.
	First []Comment
}

// Threads lists what ByObject does, each root with its first replies.
//
// Two reads: 0.5 RCU per 4 KB each, eventually consistent; a third where there
// are quotes. Hidden and removed comments are passed over in up to six reads, of
// 63 times the rows; their first replies are read too.
func (r *Repository) Threads(ctx context.Context, object string, req cursor.PageRequest, opts *ListOptions) (cursor.Page[Thread], error) {
	roots, err := r.topLevel(ctx, "threads", object, req, opts)
	if err != nil {
		return cursor.Page[Thread]{}, err
	}
	shown, err := r.threads(ctx, object, roots.Items, opts != nil && opts.WithHidden)
	if err != nil {
		return cursor.Page[Thread]{}, wrapName("threads on", object, err)
	}
	return cursor.Page[Thread]{Items: shown, Next: roots.Next, Prev: roots.Prev}, nil
}

func (r *Repository) threads(ctx context.Context, object string, roots []row, withHidden bool) ([]Thread, error) {
	comments, err := r.comments(ctx, roots)
	if err != nil {
		return nil, err
	}
	place := make(map[ids.ID]int, len(roots))
	threads := make([]Thread, len(roots))
	read := false
	for n, root := range roots {
		place[root.at.ID] = n
		threads[n].Comment = comments[n]
		read = read || len(root.First) > 0
	}
	if !read {
		return threads, nil
	}
	low, high := roots[0].at.ID, roots[len(roots)-1].at.ID
	first, err := r.first(ctx, object, min(low, high), max(low, high))
	if err != nil {
		return nil, err
	}
	for _, i := range first {
		n, listed := place[i.at.Root]
		if !listed {
			continue // under a root that is hidden, or written since
		}
		i.under = roots[n].Hidden
		if i.shown(withHidden) {
			threads[n].First = append(threads[n].First, i.comment())
		}
	}
	return threads, nil
}

// first reads the first replies of the roots from low to high, oldest first.
func (r *Repository) first(ctx context.Context, object string, low, high ids.ID) ([]row, error) {
	const aboveIDs = "~"
	found, err := store.Query[row](ctx, r.table, store.Span{
		PK:   firstPK(object),
		From: low.String(), To: keys.Join(high.String(), aboveIDs),
		Ascending: true, Consistent: r.opts.Consistent,
	})
	for n, i := range found {
		root, _ := ids.Parse(i.SK[:len(low.String())])
		found[n].at = At{Object: object, Root: root, ID: idOf(i.SK)}
	}
	return found, err
}
