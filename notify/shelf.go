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

// shelved is a group, with the last operation of its user.
type shelved struct {
	group.Head
	op ids.ID
}

// UnmarshalDynamoItem reads the head and op.
func (g *shelved) UnmarshalDynamoItem(item dynamo.Item) error {
	err := store.Fields(item, func(name string) any {
		if name == "op" {
			return &g.op
		}
		return nil
	})
	if err != nil {
		return err
	}
	return g.Head.UnmarshalDynamoItem(item)
}

// Archive moves a group to the archive, until its next event. Changed is false if
// it was there or has gone.
//
// Cost: 2 requests, 1 RCU, 3 WCU; 1 RCU more for each further 4 KB of the group and
// 3 WCU for each KB.
func (r *Repository) Archive(ctx context.Context, in In) (changed bool, err error) {
	if err := in.check(); err != nil {
		return false, err
	}
	changed, err = r.alter(ctx, in, func(_ context.Context, g shelved) (*dynamo.Update, error) {
		if shelfOf(g.Head) == group.Archived {
			return nil, nil
		}
		return r.place(in, group.Place(group.Archived, g.PlaceID(), groupKey(in).SK)), nil
	})
	return changed, wrapGroup("archive", in, err)
}

// Unarchive moves a group back to where it was in the list. Changed is false if it
// was not in the archive.
//
// Cost: as Archive.
func (r *Repository) Unarchive(ctx context.Context, in In) (changed bool, err error) {
	if err := in.check(); err != nil {
		return false, err
	}
	changed, err = r.alter(ctx, in, func(_ context.Context, g shelved) (*dynamo.Update, error) {
		if shelfOf(g.Head) != group.Archived {
			return nil, nil
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
func (r *Repository) place(in In, place string) *dynamo.Update {
	return r.table.Update(groupKey(in)).Set("'last'", place).Remove("was")
}

// alter changes a group, unless it has gone, as an update that is made from what
// stands; a nil update changes nothing. It is conditional on the group's revision,
// so that a request which arrives late changes nothing, and leaves the operation's
// own id, so that a repeat by the SDK is told apart from another call.
func (r *Repository) alter(ctx context.Context, in In, to func(context.Context, shelved) (*dynamo.Update, error)) (changed bool, err error) {
	op, err := r.gen.Next(ctx)
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
		case g.op == op:
			return true, nil
		case g.Place == "" || expired(g.Head, r.opts.Now()):
			return false, nil
		}
		update, err := to(ctx, g)
		if update == nil || err != nil {
			return false, err
		}
		op = max(op, g.op+1)
		err = r.table.Run(ctx, update.Set("op", op).Add("rev", 1).If("rev = ?", g.Rev))
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
	}
	return false, plaza.ErrBusy
}
