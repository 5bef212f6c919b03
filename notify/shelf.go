package notify

import (
	"context"
	"errors"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/group"
	"github.com/plaza-sdk/plaza/internal/store"
)

// errStands is returned where a group is already as its user wants it.
var errStands = errors.New("notify: the group stands")

// shelved is a group, with the last operation of its user.
type shelved struct {
	group.Head
	op     ids.ID // greater than the op before it
	opCall ids.ID // the call that made it
}

// UnmarshalDynamoItem reads the head and the operation.
func (g *shelved) UnmarshalDynamoItem(item dynamo.Item) error {
	err := store.Fields(item, func(name string) any {
		switch name {
		case "op":
			return &g.op
		case "opCall":
			return &g.opCall
		}
		return nil
	})
	if err != nil {
		return err
	}
	return g.Head.UnmarshalDynamoItem(item)
}

// Archive moves a group to the archive, until its next event. changed is false if
// it was there already or is gone. If the answer is lost and the user changes the
// group meanwhile, it is plaza.ErrUnknownOutcome: repeat the call if it is still
// wanted.
//
// Cost: 2 requests, 1 RCU, 3 WCU; 1 RCU more for each further 4 KB of the group and
// 3 WCU for each KB.
func (r *Repository) Archive(ctx context.Context, in In) (changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "notify.Repository.Archive")
	if err := in.check(); err != nil {
		return false, err
	}
	changed, err = r.alter(ctx, in, func(_ context.Context, g shelved) (*store.Update, error) {
		if shelfOf(g.Head) == group.Archived {
			return nil, errStands
		}
		return r.place(in, group.Place(group.Archived, g.PlaceID(), groupKey(in).SK)), nil
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
	changed, err = r.alter(ctx, in, func(_ context.Context, g shelved) (*store.Update, error) {
		if shelfOf(g.Head) != group.Archived {
			return nil, errStands
		}
		return r.place(in, group.Place(group.Listed, g.PlaceID(), groupKey(in).SK)), nil
	})
	return changed, wrapGroup("unarchive", in, err)
}

// shelfOf is where a group stands that was decoded.
func shelfOf(h group.Head) group.Shelf {
	shelf, _, _ := group.ParsePlace(h.Place)
	return shelf
}

// place starts a move that ends a snooze.
func (r *Repository) place(in In, place string) *store.Update {
	return r.table.Update(groupKey(in)).Set("last", place).Remove("was")
}

// alter changes a group, unless it is gone, by the update that to makes from the
// stored group. If to returns errStands, nothing changes. The write is conditional on
// the group's revision, so that a late request changes nothing, and on its last write,
// because the revisions of a group that was erased and comes back begin at one again.
// It also stores the id of the call, to recognize a repeat by the SDK: another call may
// have chosen the same op.
func (r *Repository) alter(ctx context.Context, in In, to func(context.Context, shelved) (*store.Update, error)) (changed bool, err error) {
	call, err := r.gen.Next(ctx)
	if err != nil {
		return false, err
	}
	var g shelved
	err = r.table.Get(ctx, groupKey(in), true, &g)
	if errors.Is(err, plaza.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	for range maxTries {
		switch {
		case g.opCall == call:
			return true, nil
		case g.Place == "" || expired(&g.Head, r.opts.Now()):
			return false, nil
		}
		update, err := to(ctx, g)
		if errors.Is(err, errStands) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		op := max(call, g.op+1)
		update.Set("op", op).Set("opCall", call)
		err = r.table.Run(ctx, update.Add("rev", 1).If("rev = ? AND lv = ?", g.Rev, g.Last))
		refused, ok := store.AsRefused(err)
		if !ok {
			return err == nil, err
		}
		item, _ := refused.At(0)
		if item == nil {
			return false, nil
		}
		g = shelved{}
		if err := r.table.Decode(item, &g); err != nil {
			return false, err
		}
		if g.opCall != call && g.op >= op && refused.Doubtful() { // it may have been applied before the last call
			return false, plaza.ErrUnknownOutcome
		}
	}
	return false, plaza.ErrBusy
}
