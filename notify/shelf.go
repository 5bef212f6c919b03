package notify

import (
	"context"
	"errors"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/group"
	"github.com/plaza-sdk/plaza/internal/store"
)

// shelved is a group with its memory of its user's calls.
type shelved struct {
	group.Head
	Born        ids.ID     `dynamo:"born"`  // its life
	Shelf       store.Mark `dynamo:"shelf"` // of Archive, Unarchive, Snooze and Unsnooze
	ShelfBefore store.Mark `dynamo:"shelfBefore"`
	Mark        store.Mark `dynamo:"mark"` // of MarkRead and MarkUnread
	MarkBefore  store.Mark `dynamo:"markBefore"`
}

func (g *shelved) lastShelf() store.Last {
	return store.Last{Mark: g.Shelf, Before: g.ShelfBefore, Life: g.Born}
}

func (g *shelved) lastMark() store.Last {
	return store.Last{Mark: g.Mark, Before: g.MarkBefore, Life: g.Born}
}

// Archive moves a group to the archive, until its next event. changed is false if
// it was there already or is gone. If the answer is lost and the user moves the group
// twice meanwhile, or the group is erased, it is plaza.ErrUnknownOutcome: repeat the
// call if it is still wanted.
//
// Cost: 2 requests, 1 RCU, 3 WCU; 1 RCU more for each further 4 KB of the group and
// 3 WCU for each KB.
func (r *Repository) Archive(ctx context.Context, in In) (changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "notify.Repository.Archive")
	if err := in.check(); err != nil {
		return false, err
	}
	changed, err = r.move(ctx, in, func(g *shelved, guard store.Guard) (*store.Update, error) {
		if shelfOf(g.Head) == group.Archived {
			return nil, store.ErrSame
		}
		return g.to(group.Archived, guard), nil
	})
	return changed, wrapGroup("archive", in, err)
}

// Unarchive moves a group back to where it was in the list. changed is false if it
// was not in the archive. plaza.ErrUnknownOutcome is as in Archive.
//
// Cost: as Archive.
func (r *Repository) Unarchive(ctx context.Context, in In) (changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "notify.Repository.Unarchive")
	if err := in.check(); err != nil {
		return false, err
	}
	changed, err = r.move(ctx, in, func(g *shelved, guard store.Guard) (*store.Update, error) {
		if shelfOf(g.Head) != group.Archived {
			return nil, store.ErrSame
		}
		return g.to(group.Listed, guard), nil
	})
	return changed, wrapGroup("unarchive", in, err)
}

// shelfOf returns the shelf of a group that was decoded.
func shelfOf(h group.Head) group.Shelf {
	shelf, _, _ := group.ParsePlace(h.Place)
	return shelf
}

// to starts a move to a shelf, which ends a snooze.
func (g *shelved) to(shelf group.Shelf, guard store.Guard) *store.Update {
	return guard.Update().Set("last", group.Place(shelf, g.PlaceID(), g.SK)).Remove("was")
}

// move moves a group to another place.
func (r *Repository) move(ctx context.Context, in In, next func(*shelved, store.Guard) (*store.Update, error)) (changed bool, err error) {
	return r.change(ctx, in, "shelf", (*shelved).lastShelf, next)
}

// change changes a group, unless it is gone. Events do not touch the group's memory of its
// user's calls, and a group that was erased may begin again. So the write also requires the
// revision and the last write of the group that next was given.
func (r *Repository) change(ctx context.Context, in In, part string, last func(*shelved) store.Last, next func(*shelved, store.Guard) (*store.Update, error)) (changed bool, err error) {
	call, err := r.gen.Next(ctx)
	if err != nil {
		return false, err
	}
	_, changed, err = store.Change[shelved]{
		Key: groupKey(in), Call: call, Part: part, Last: last,
		Next: func(g *shelved, guard store.Guard) (store.Write, error) {
			if g.Place == "" || expired(&g.Head, r.opts.Now()) {
				return nil, plaza.ErrNotFound
			}
			update, err := next(g, guard)
			if err != nil {
				return nil, err
			}
			return update.Add("rev", 1).If("rev = ? AND lv = ?", g.Rev, g.Last), nil
		},
	}.Run(ctx, r.table)
	return changed, ifThere(err)
}

// ifThere returns err, unless it says that a group is gone.
func ifThere(err error) error {
	if errors.Is(err, plaza.ErrNotFound) {
		return nil
	}
	return err
}
