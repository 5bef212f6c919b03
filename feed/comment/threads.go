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
