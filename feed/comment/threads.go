package comment

import (
	"context"
	"slices"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
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
// Cost: 2 requests, 1 RCU for 4 KB of roots and of replies; with Quotes, or where first
// replies are gone, 1 request more.
//
//plaza:cost 4 KB of roots and of replies: 2 requests, 1 RCU
//plaza:cost each further 4 KB: 0.5 RCU
//plaza:cost with Quotes: as ByObject
//plaza:cost where first replies of longer threads are gone more: 1 request
//plaza:cost each reply in their place: 0.5 RCU
//plaza:cost past hidden or removed comments more, at most, for 63 times the rows: 5 requests
//plaza:cost a thread that has just lost a first reply, and WithHidden each long one that ever did, more: 1 request
//plaza:cost such a thread more, at most: 6 requests
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
