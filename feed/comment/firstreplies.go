package comment

import (
	"cmp"
	"context"
	"slices"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/internal/store"
)

// gapParallel is how many threads are searched at once.
const gapParallel = 8

// firstReplies returns up to three replies of each root.
func (r *Repository) firstReplies(ctx context.Context, object string, roots []row, sparse, withHidden bool) (map[ids.ID][]row, error) {
	stored, err := r.readFirst(ctx, object, roots, sparse)
	if err != nil {
		return nil, err
	}
	first := make(map[ids.ID][]row, len(roots))
	keep := func(i row) {
		if !i.visible(withHidden) {
			return
		}
		if first[i.at.Root] == nil {
			first[i.at.Root] = make([]row, 0, firstRows)
		}
		first[i.at.Root] = append(first[i.at.Root], i)
	}
	for _, i := range stored {
		keep(i)
	}
	next, err := r.readNext(ctx, roots, first, withHidden)
	if err != nil {
		return nil, err
	}
	for _, i := range next {
		keep(i)
	}
	group, inner := parallel.WithContext(ctx)
	group.SetLimit(gapParallel)
	gaps := make([][]row, len(roots))
	for n, root := range roots {
		if above, gap := root.gap(first[root.at.ID], withHidden); gap {
			group.Go(func() (err error) {
				gaps[n], _, err = r.search(inner, root.at, above, firstRows, gapReads, r.opts.Consistent, withHidden)
				return err
			})
		}
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	for _, i := range slices.Concat(gaps...) {
		keep(i)
	}
	for id, replies := range first {
		slices.SortFunc(replies, inOrder)
		replies = slices.CompactFunc(replies, func(a, b row) bool { return a.at.ID == b.at.ID })
		first[id] = replies[:min(len(replies), firstRows)]
	}
	return first, nil
}

// readNext reads the replies in the roots' Next that are among the first three.
func (r *Repository) readNext(ctx context.Context, roots []row, first map[ids.ID][]row, withHidden bool) ([]row, error) {
	var wanted []row
	for _, root := range roots {
		if withHidden {
			break // Next lacks hidden ones
		}
		candidates := slices.Clone(root.Next)
		for _, i := range first[root.at.ID] {
			candidates = append(candidates, i.at.ID)
		}
		slices.Sort(candidates)
		for _, id := range candidates[:min(len(candidates), firstRows)] {
			if slices.Contains(root.Next, id) {
				wanted = append(wanted, row{at: Address{Object: root.at.Object, Root: root.at.ID, ID: id}, rest: true})
			}
		}
	}
	keys := make([]store.Key, len(wanted))
	for n, i := range wanted {
		keys[n] = i.key()
	}
	found, err := r.read(ctx, keys, r.opts.Consistent)
	if err != nil {
		return nil, err
	}
	var next []row
	for _, i := range wanted {
		stored, ok := found[i.key()]
		if stored, ok = r.readable(stored, ok); ok {
			stored.at, stored.rest = i.at, true
			next = append(next, stored)
		}
	}
	return next, nil
}

// gap reports whether visible replies that belong among those found may lie among the
// rest, above an id.
func (i row) gap(found []row, withHidden bool) (above ids.ID, gap bool) {
	if !i.More {
		return 0, false
	}
	if withHidden { // Next does not name hidden ones
		return 0, len(found) < firstRows || i.Past != 0
	}
	found = slices.SortedFunc(slices.Values(found), inOrder)
	named, known := len(i.Next), i.known()
	for _, reply := range found {
		if !reply.rest {
			named++
		}
	}
	all := int64(named) >= i.Replies
	switch {
	case len(found) >= firstRows && (all || found[firstRows-1].at.ID <= known):
		return 0, false
	case len(found) < min(named, firstRows): // one was hidden or removed after the root was read
		return 0, true
	}
	return known, !all
}

func inOrder(a, b row) int { return cmp.Compare(a.at.ID, b.at.ID) }

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
