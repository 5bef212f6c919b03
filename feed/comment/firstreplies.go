package comment

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/internal/store"
)

// The first three rows of a thread are stored where pages of roots read them;
// its further rows, the rest, are not. A reply stands if it is neither hidden
// nor removed. Once one of the first three does not stand, further replies are
// shown in its place. A root names these in Next: all that stand among the rest
// with ids up to Past. Without a Past, Next is empty, and complete up to the
// greatest id in First. A write that makes a reply below that id stand, or stop
// standing, updates Next. A write above it only requires that Past is still
// lower.

const (
	nextMost    = firstRows * 2
	refills     = 3  // attempts to fill Next while others change the thread
	gapRows     = 16 // rows of the first read for replies that stand; each read doubles it
	maxGapRows  = 1000
	gapReads    = 6
	gapParallel = 8 // threads that are read at once

	allIDs ids.ID = math.MaxInt64 // the Past of a Next that names all replies
)

// known is the id up to which Next is complete.
func (i row) known() ids.ID {
	if i.Past != 0 || len(i.First) == 0 {
		return i.Past
	}
	last, _ := ids.Parse(slices.Max(i.First))
	return last
}

// setNext adds to an update of the root that a reply among the rest now stands,
// or does not.
func (i row) setNext(root *store.Update, reply ids.ID, stands bool) {
	known, next := i.known(), slices.Clone(i.Next)
	at, named := slices.BinarySearch(next, reply)
	switch {
	case reply > known:
		root.If("attribute_not_exists('past') OR 'past' < ?", reply)
		return
	case stands && !named:
		next = slices.Insert(next, at, reply)
	case !stands && named:
		next = slices.Delete(next, at, at+1)
	}
	i.asNext(root)
	if len(next) > nextMost {
		next = next[:nextMost]
		known = next[nextMost-1]
	}
	writeNext(root, next, known)
}

// asNext adds the condition that Next and known are as they were read.
func (i row) asNext(root *store.Update) {
	switch {
	case i.Past != 0:
		root.If("'past' = ?", i.Past)
	case len(i.First) > 0:
		root.If("attribute_not_exists('past') AND contains('first', ?)", slices.Max(i.First))
	default:
		root.If("attribute_not_exists('past')")
	}
	if len(i.Next) > 0 {
		root.If("'next' = ?", i.Next)
	} else {
		root.If("attribute_not_exists('next')")
	}
}

func writeNext(root *store.Update, next []ids.ID, past ids.ID) {
	if root.Set("past", past); len(next) > 0 {
		root.Set("next", next)
	} else {
		root.Remove("next")
	}
}

// setPast adds to an update of the root that one of its first replies no longer
// stands. From then on Next is needed.
func (i row) setPast(root *store.Update) {
	if i.More && i.Past == 0 && i.known() != 0 {
		i.asNext(root)
		root.Set("past", i.known())
	}
}

// shortens reports whether Next must be refilled once the reply does not stand.
func (i row) shortens(root row) bool {
	switch {
	case !root.More:
		return false
	case i.rest:
		return slices.Contains(root.Next, i.at.ID) || root.Past != 0 && len(root.Next) < firstRows
	}
	return true
}

// refill fills Next, so that Threads need not search the rest. It ignores
// errors: without it Threads takes one more read.
func (r *Repository) refill(ctx context.Context, root Address) {
	for range refills {
		var i row
		if err := r.table.Get(ctx, root.key(false), true, &i); err != nil || !i.More || len(i.Next) >= firstRows || i.Past == allIDs {
			return
		}
		more, rest, err := r.standing(ctx, root, i.known(), nextMost-len(i.Next), math.MaxInt, true, false)
		if err != nil {
			return
		}
		past, next := allIDs, slices.Clone(i.Next)
		for _, reply := range more {
			next = append(next, reply.at.ID)
		}
		if rest {
			past = next[len(next)-1]
		}
		update := r.table.Update(root.key(false)).If(atVersion(i.Ver), i.Ver)
		writeNext(update, next, past)
		err = r.table.Run(ctx, update)
		if _, refused := store.AsRefused(err); !refused {
			return
		}
	}
}

// standing reads the oldest replies that stand among the rest of a thread, above
// an id, until it has as many as wanted. rest reports whether there may be more.
func (r *Repository) standing(ctx context.Context, root Address, above ids.ID, want, reads int, consistent, withHidden bool) (found []row, rest bool, err error) {
	span := store.Span{PK: restPK(root), From: (above + 1).String(), Ascending: true, Limit: gapRows, Consistent: consistent}
	for range reads {
		replies, end, err := store.Read[row](ctx, r.table, span)
		if err != nil {
			return nil, false, err
		}
		for _, i := range replies {
			i.at.Object, i.at.Root, i.rest = root.Object, root.ID, true
			if i.stands(withHidden) {
				if found = append(found, i); len(found) == want {
					return found, true, nil
				}
			}
		}
		if end == "" {
			return found, false, nil
		}
		span.From, span.Limit = end, min(span.Limit*2, maxGapRows)
	}
	return found, true, nil
}

// stands reports whether the row is shown and is no tombstone.
func (i row) stands(withHidden bool) bool { return i.shown(withHidden) && i.Removed == nil }

// firstReplies returns up to three replies of each root.
func (r *Repository) firstReplies(ctx context.Context, object string, roots []row, sparse, withHidden bool) (map[ids.ID][]row, error) {
	stored, err := r.readFirst(ctx, object, roots, sparse)
	if err != nil {
		return nil, err
	}
	first := make(map[ids.ID][]row, len(roots))
	keep := func(i row) {
		if !i.stands(withHidden) {
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
				gaps[n], _, err = r.standing(inner, root.at, above, firstRows, gapReads, r.opts.Consistent, withHidden)
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

// gap reports whether replies that belong among those found may stand among the
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
