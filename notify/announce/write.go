package announce

import (
	"context"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
	"github.com/plaza-sdk/plaza/notify"
)

// tries bounds how often a write is tried again after the stored item changed, or
// after it took too long.
const tries = 10

// Announce stores an announcement and returns it as it is stored. It shows from its From
// on, and 50 s from now at the earliest. created is false if it was announced before.
//
// The ID is its identity. If it is zero, Announce mints one, which is set even if there is
// an error: repeat the call with it. If the write comes too late for its ID, or if you made
// the ID with an ids.Source, the announcement gets a later ID. Announce and Withdraw find it
// by the first ID too.
//
// Another announcement under that identity is plaza.ErrConflict, a withdrawn one
// plaza.ErrRemoved.
//
// Cost: 1 request, 1 WCU for each KB; where the ID comes too late, 1 transaction,
// 2 WCU and 2 WCU for each KB.
func (r *Repository) Announce(ctx context.Context, a notify.Announcement) (_ notify.Announcement, created bool, err error) {
	ctx = plaza.WithOperation(ctx, "notify/announce.Repository.Announce")
	a, err = check(a, r.opts.Now())
	if err != nil {
		return a, false, err
	}
	op, err := r.gen.Next(ctx)
	if err != nil {
		return a, false, err
	}
	a, created, err = r.announce(ctx, a, op)
	return a, created, wrap("announce to", a.Audience, err)
}

func (r *Repository) announce(ctx context.Context, given notify.Announcement, op ids.ID) (_ notify.Announcement, created bool, err error) {
	a := given
	var own row // as this call has stored it
	for range tries {
		if a.ID == 0 {
			if a.ID, err = r.idAt(ctx, earliest(a, r.opts.Now())); err != nil {
				return a, false, err
			}
		}
		var found row
		if late(a, r.opts.Now()) {
			found, err = r.move(ctx, a, op, own)
		} else {
			found, err = r.put(ctx, newRow(a, op))
		}
		if err != nil {
			return a, false, err
		}
		if found.Moved != 0 {
			a.ID = found.Moved
			continue
		}
		stored := found.announcement(a.Audience)
		switch {
		case found.Withdrawn != 0:
			return a, false, plaza.ErrRemoved
		case found.Op == op:
			if own, a.ID = found, stored.ID; !late(a, r.opts.Now()) {
				return stored, true, nil
			}
		case same(given, stored):
			return stored, false, nil
		case given.ID == 0: // another announcement has the id that we made
			a.ID = 0
		default:
			return a, false, plaza.ErrConflict
		}
	}
	return a, false, plaza.ErrBusy
}

// put stores the row unless its id has one already. It returns the one that is stored.
func (r *Repository) put(ctx context.Context, i row) (row, error) {
	err := r.table.Run(ctx, r.table.Put(i).If("attribute_not_exists(pk)"))
	if refused, ok := store.AsRefused(err); ok {
		return r.found(refused)
	}
	return i, err
}

// move stores a under a later ID, and a mark under the ID that it has, where own may be, which
// somebody may have edited. If another write has stored something there, it returns that, else
// the row of a.
func (r *Repository) move(ctx context.Context, a notify.Announcement, op ids.ID, own row) (row, error) {
	next := a
	var err error
	if next.ID, err = r.idAt(ctx, earliest(a, r.opts.Now())); err != nil {
		return row{}, err
	}
	moved := newRow(next, op)
	edits, edit := "attribute_not_exists(edit)", []any{op}
	if !own.Edit.IsZero() {
		edited := own.announcement(a.Audience)
		edited.ID, edited.From = next.ID, next.From
		moved = newRow(edited, op)
		moved.Edit, moved.EditBefore = own.Edit, own.EditBefore
		edits, edit = "edit = ?", append(edit, own.Edit)
	}
	err = r.table.Run(ctx, r.table.Tx().
		Put(r.table.Put(newMark(a, next.ID)).If("attribute_not_exists(pk) OR op = ? AND attribute_not_exists(withdrawn) AND "+edits, edit...)).
		Put(r.table.Put(moved).If("attribute_not_exists(pk)")))
	refused, ok := store.AsRefused(err)
	if !ok {
		return moved, err
	}
	if _, failed := refused.At(0); !failed { // another announcement has the id that we made
		return row{Moved: a.ID}, nil
	}
	return r.found(refused)
}

// found returns the row that refused a write.
func (r *Repository) found(refused *store.Refused) (i row, err error) {
	item, _ := refused.At(0)
	return i, r.table.Decode(item, &i)
}

// Withdraw ends an announcement: after CacheTTL nobody sees it, and no count includes it.
// changed is true only if this call withdrew it. If an ID is withdrawn before it is
// announced, Announce is plaza.ErrRemoved.
//
// Cost: 1 request, 1 WCU for each KB; for an ID that came too late, 1 request, 1 WCU
// more.
func (r *Repository) Withdraw(ctx context.Context, audience string, id ids.ID) (changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "notify/announce.Repository.Withdraw")
	if err := keys.CheckName("Audience", audience); err != nil {
		return false, err
	}
	now := r.opts.Now()
	if err := checkID(id, now); err != nil {
		return false, err
	}
	op, err := r.idAt(ctx, now)
	if err != nil {
		return false, err
	}
	for range tries {
		found, err := r.withdraw(ctx, rowKey(audience, id), op)
		if err != nil {
			return false, wrap("withdraw from", audience, err)
		}
		if found.Moved == 0 {
			return found.Withdrawn == op && found.Title != "", nil
		}
		id = found.Moved
	}
	return false, wrap("withdraw from", audience, plaza.ErrBusy)
}

func (r *Repository) withdraw(ctx context.Context, key store.Key, op ids.ID) (row, error) {
	var item dynamo.Item
	// If nothing is stored yet, the mark stays until an announcement whose Announce was sent
	// before would be over.
	mark := expiry(op.Time().Add(MaxAhead + MaxLife))
	err := r.table.Run(ctx, store.Returning{Out: &item, Update: r.table.Update(key).
		Set("withdrawn", op).
		SetExpr("'ttl' = if_not_exists('ttl', ?)", mark).
		If("attribute_not_exists(withdrawn) AND attribute_not_exists(moved)")})
	if refused, ok := store.AsRefused(err); ok {
		return r.found(refused)
	}
	if err != nil {
		return row{}, err
	}
	var found row
	return found, r.table.Decode(item, &found)
}

// Erase deletes all announcements to an audience. Processes may show them for CacheTTL. Call it
// once nobody announces to the audience any more: an announcement that arrives later stays. After
// an error, repeat it.
//
// Cost: 1 request for each 1,000 announcements, 1 RCU for each 4 KB, and 1 request
// for each 25 announcements, 1 WCU for each KB.
func (r *Repository) Erase(ctx context.Context, audience string) error {
	ctx = plaza.WithOperation(ctx, "notify/announce.Repository.Erase")
	if err := keys.CheckName("Audience", audience); err != nil {
		return err
	}
	return wrap("erase", audience, r.table.Erase(ctx, audiencePK(audience)))
}
