package comment

import (
	"context"
	"math"
	"slices"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/store"
)

// A thread's first three rows lie where a page of roots reads them. Its other rows,
// the rest, do not. When one of the first three is hidden or removed, a page shows a
// reply from the rest in its place. So that the page need not search for it, the root
// names some replies of the rest:
//
//   - Next are the visible ones with ids up to Past.
//   - While Past is zero, no first reply is gone: Next is empty, and nothing is missing
//     in it up to the greatest id in First.
//
// A write that shows or hides a reply with an id up to Past changes Next too. A write
// above Past only requires that Past has stayed below it.

const (
	firstRows = 3 // replies of a thread that lie where a page of roots reads them
	nextMost  = firstRows * 2

	gapRows    = 16 // rows of the first read in a search; each further read has twice as many
	maxGapRows = 1000
	gapReads   = 6

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

// setNext adds to an update of the root that a reply among the rest is visible now,
// or no longer.
func (i row) setNext(root *store.Update, reply ids.ID, visible bool) {
	known, next := i.known(), slices.Clone(i.Next)
	at, named := slices.BinarySearch(next, reply)
	switch {
	case reply > known:
		root.If("attribute_not_exists('past') OR 'past' < ?", reply)
		return
	case visible && !named:
		next = slices.Insert(next, at, reply)
	case !visible && named:
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

// setPast adds to an update of the root that one of its first replies is no longer
// visible. From then on pages need Next.
func (i row) setPast(root *store.Update) {
	if i.More && i.Past == 0 && i.known() != 0 {
		i.asNext(root)
		root.Set("past", i.known())
	}
}

// refill fills Next, so that Threads need not search the rest. It ignores errors:
// Threads then takes one more read.
func (r *Repository) refill(ctx context.Context, root Address) {
	_, _ = store.Merge(ctx, r.table, root.key(false), nil, func(i *row) (store.Write, error) {
		if !i.More || len(i.Next) >= firstRows || i.Past == allIDs {
			return nil, store.ErrSame
		}
		more, rest, err := r.search(ctx, root, i.known(), nextMost-len(i.Next), math.MaxInt, true, false)
		if err != nil {
			return nil, err
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
		return update, nil
	})
}

// search reads the oldest visible replies among the rest of a thread, above an id,
// until it has as many as wanted. rest reports whether there may be more.
func (r *Repository) search(ctx context.Context, root Address, above ids.ID, want, reads int, consistent, withHidden bool) (found []row, rest bool, err error) {
	span := store.Span{PK: restPK(root), From: (above + 1).String(), Ascending: true, Limit: gapRows, Consistent: consistent}
	for range reads {
		replies, end, err := store.Read[row](ctx, r.table, span)
		if err != nil {
			return nil, false, err
		}
		for _, i := range replies {
			i.at.Object, i.at.Root, i.rest = root.Object, root.ID, true
			if i.visible(withHidden) {
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
