package comment

import (
	"cmp"
	"context"
	"slices"

	"github.com/plaza-sdk/plaza/internal/parallel"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Replies lists the thread of a root, newest first unless opts, which may be
// nil, say otherwise. Tombstones keep their places. An unknown root, and unless
// WithHidden a hidden one, is plaza.ErrNotFound.
//
// Three reads at once: 0.5 RCU per 4 KB each, eventually consistent. Hidden and
// removed replies are passed over in up to six reads, of 63 times the rows.
func (r *Repository) Replies(ctx context.Context, root At, req cursor.PageRequest, opts *ListOptions) (cursor.Page[Comment], error) {
	if err := root.checkRoot(); err != nil {
		return cursor.Page[Comment]{}, err
	}
	list := r.list("replies", keys.Join(root.Object, root.ID.String()), opts)
	list.Read = func(ctx context.Context, reach store.Reach) ([]row, string, error) {
		thread, err := r.readThread(ctx, root, reach, opts != nil && opts.WithHidden)
		return thread, list.Order.Rest(reach, thread), err
	}
	page, err := list.Page(ctx, req)
	if err != nil {
		return cursor.Page[Comment]{}, wrap("replies to", root, err)
	}
	shown, err := r.page(ctx, page)
	return shown, wrap("replies to", root, err)
}

// readThread merges the two places where replies lie. The first ones are few
// enough to be read whole.
func (r *Repository) readThread(ctx context.Context, root At, reach store.Reach, withHidden bool) ([]row, error) {
	var stored row
	var first, rest []row
	group, inner := parallel.WithContext(ctx)
	group.Go(func() (err error) {
		found, err := r.readListed(inner, []row{{at: root}})
		stored, _ = found.at(root)
		return err
	})
	group.Go(func() (err error) {
		first, err = r.first(inner, root.Object, root.ID, root.ID)
		return err
	})
	group.Go(func() (err error) {
		span := reach.Span(restPK(root))
		span.Consistent = r.opts.Consistent
		rest, err = store.Query[row](inner, r.table, span)
		for n := range rest {
			rest[n].at, rest[n].rest = At{Object: root.Object, Root: root.ID, ID: idOf(rest[n].SK)}, true
		}
		return err
	})
	if err := group.Wait(); err != nil {
		return nil, err
	}
	if stored.PK == "" || !stored.shown(withHidden) {
		return nil, plaza.ErrNotFound
	}
	first = slices.DeleteFunc(first, func(i row) bool { return !reach.Covers(i.at.ID.String()) })
	thread := slices.Concat(first, rest)
	slices.SortFunc(thread, func(a, b row) int {
		if !reach.Ascending() {
			a, b = b, a
		}
		return cmp.Compare(a.at.ID, b.at.ID)
	})
	thread = thread[:min(len(thread), reach.Limit)]
	for n := range thread {
		thread[n].under = stored.Hidden
	}
	return thread, nil
}
