package comment

import (
	"context"
	"slices"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Replies lists the thread of a root, newest first. Tombstones keep their places.
// An unknown root is plaza.ErrNotFound, as is a hidden one unless WithHidden.
// opts may be nil.
//
// Cost: 3 requests at once, 1.5 RCU for 4 KB of replies; past hidden, removed or
// damaged ones 9 requests at most.
//
//plaza:cost 4 KB of replies: 3 requests, 1.5 RCU
//plaza:cost each further 4 KB: 0.5 RCU
//plaza:cost past hidden, removed or damaged replies, at most, for 63 times the rows: 9 requests
func (r *Repository) Replies(ctx context.Context, root Address, req cursor.PageRequest, opts *ListOptions) (cursor.Page[Comment], error) {
	ctx = plaza.WithOperation(ctx, "feed/comment.Repository.Replies")
	if err := root.checkRoot(); err != nil {
		return cursor.Page[Comment]{}, err
	}
	list := r.list("replies", keys.Join(root.Object, root.ID.String()), opts)
	var known *thread
	list.Read = func(ctx context.Context, reach store.Reach) (_ []row, _ string, err error) {
		rest, end, err := r.readRest(ctx, root, reach, &known, opts != nil && opts.WithHidden)
		if err != nil {
			return nil, "", err
		}
		replies, end := known.merge(reach, rest, end, list.Order)
		return replies, end, nil
	}
	page, err := list.Page(ctx, req)
	if err != nil {
		return cursor.Page[Comment]{}, wrap("replies to", root, err)
	}
	shown, err := r.page(ctx, page)
	return shown, wrap("replies to", root, err)
}

// thread holds what a page reads once: the root and the first replies.
type thread struct {
	root  row
	first []row
}

// readRest reads further replies, and on its first call the thread too.
func (r *Repository) readRest(ctx context.Context, root Address, reach store.Reach, known **thread, withHidden bool) (rest []row, end string, err error) {
	group, inner := parallel.WithContext(ctx)
	group.Go(func() (err error) {
		span := reach.Span(restPK(root))
		span.Consistent = r.opts.Consistent
		rest, end, err = store.Read[row](inner, r.table, span)
		for n := range rest {
			rest[n].at.Object, rest[n].at.Root, rest[n].rest = root.Object, root.ID, true
		}
		return err
	})
	if *known == nil {
		*known = new(thread)
		group.Go(func() error {
			found, err := r.readListed(inner, []row{{at: root}})
			(*known).root, _ = found.at(root)
			return err
		})
		group.Go(func() (err error) {
			(*known).first, err = r.first(inner, root.Object, root.ID, root.ID)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, "", err
	}
	switch stored := (*known).root; {
	case stored.damaged != nil:
		return nil, "", stored.damaged
	case stored.PK == "", !stored.shown(withHidden):
		return nil, "", plaza.ErrNotFound
	}
	return rest, end, nil
}

// merge merges further replies of a reach, which were read up to end, with the
// first ones.
func (t *thread) merge(reach store.Reach, rest []row, end string, order store.Order[row]) ([]row, string) {
	replies := slices.Clone(rest)
	beyond := reach
	beyond.Gap = end
	for _, i := range t.first {
		if id := i.at.ID.String(); reach.Covers(id) && (end == "" || !beyond.Covers(id)) {
			replies = append(replies, i)
		}
	}
	slices.SortFunc(replies, func(a, b row) int {
		if !reach.Ascending() {
			a, b = b, a
		}
		return inOrder(a, b)
	})
	if len(replies) > reach.Limit {
		replies = replies[:reach.Limit]
		end = order.Rest(reach, replies)
	}
	for n := range replies {
		replies[n].rootHidden = t.root.Hidden
	}
	return replies, end
}
