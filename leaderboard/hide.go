package leaderboard

import (
	"context"
	"slices"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Remove takes the player off the board, hidden or not. A submission with a later
// Op brings the player back, and not hidden. The player's name, and what the entry
// remembers of operations, stay until the period expires. changed is true only if
// this call removed the player. If the answer is lost and others remove, hide or
// unhide the player meanwhile, it may be plaza.ErrUnknownOutcome: repeat the call if
// it is still wanted.
//
// Cost: 1 request, 2 WCU, and 1 WCU for each further KB of the entry; 1 WCU if
// nothing changed; 2 requests, 3 WCU where the clock that gave the entry's Op is
// ahead.
func (r *Repository) Remove(ctx context.Context, in In, player string) (changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "leaderboard.Repository.Remove")
	changed, err = r.manage(ctx, in, player, func(u *store.Update, s standings, op ids.ID) {
		u.Set("removed", op).Remove("key", "part", "score", "sub", "prev", "meta", "life").
			If("attribute_exists('key') AND lastOp < ?", op) // it is later than the last removal
	}, func(e entryItem, s standings) (follow ids.ID, err error) {
		if e.Key == nil {
			return 0, nil
		}
		return e.LastOp, nil
	})
	return changed, in.wrap("remove from", err)
}

// Hide takes the player out of the standings until Unhide, whatever is submitted
// meanwhile. A player who is not on the board is plaza.ErrNotFound. changed is true
// only if this call hid the player. plaza.ErrUnknownOutcome is as in Remove.
//
// Cost: 1 request, 3 WCU, and 1 WCU for each further KB of the entry; 1 WCU if
// nothing changed.
func (r *Repository) Hide(ctx context.Context, in In, player string) (changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "leaderboard.Repository.Hide")
	changed, err = r.setHidden(ctx, in, player, true)
	return changed, in.wrap("hide on", err)
}

// Unhide undoes Hide: the player gets the place of the current score. changed is
// true only if this call did it. plaza.ErrUnknownOutcome is as in Remove.
//
// Cost: as Hide.
func (r *Repository) Unhide(ctx context.Context, in In, player string) (changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "leaderboard.Repository.Unhide")
	changed, err = r.setHidden(ctx, in, player, false)
	return changed, in.wrap("unhide on", err)
}

func (r *Repository) setHidden(ctx context.Context, in In, player string, hide bool) (bool, error) {
	return r.manage(ctx, in, player, func(u *store.Update, s standings, op ids.ID) {
		away := hiddenPart(in.Board, s.period)
		if hide {
			u.Set("part", away).If("attribute_exists('key') AND 'part' <> ?", away)
		} else {
			u.Set("part", partOf(player, in.Board, s.period, s.now)).If("attribute_exists('key') AND 'part' = ?", away)
		}
		u.Set("moved", op).
			If("attribute_not_exists(moved) OR moved < ?", op).
			If("attribute_not_exists(removed) OR removed < ?", op) // otherwise op is about an earlier entry
	}, func(e entryItem, s standings) (follow ids.ID, err error) {
		switch {
		case e.Key == nil:
			return 0, plaza.ErrNotFound
		case hide == (e.Part == hiddenPart(in.Board, s.period)):
			return 0, nil
		}
		return max(e.Moved, e.Removed), nil
	})
}

// manage makes one change to a player's entry, on condition that its operation is
// later than those of earlier changes. So a request that the SDK sends twice does not
// undo a change in between. If the condition fails, refused returns the operation that
// this one must follow, which another call or a clock that is ahead has made, or 0 if
// there is nothing to change.
//
// The entry stores the ids of the last two calls. If the SDK repeats one after more of
// them, its outcome is unknown.
func (r *Repository) manage(ctx context.Context, in In, player string,
	change func(*store.Update, standings, ids.ID), refused func(entryItem, standings) (follow ids.ID, err error),
) (bool, error) {
	if err := checkPlayer(in, player); err != nil {
		return false, err
	}
	s, err := r.standings(ctx, in)
	if err != nil {
		return false, err
	}
	own, err := r.gen.Next(ctx)
	if err != nil {
		return false, err
	}
	op := own
	for range maxRetries {
		update := r.table.Update(entryKey(player, in.Board, s.period)).
			Add("rev", 1).
			SetExpr("managedBefore = if_not_exists(managed, ?)", ids.ID(0)).
			Set("managed", own)
		change(update, s, op)
		err := r.table.Run(ctx, update)
		met, ok := store.AsRefused(err)
		if !ok {
			return err == nil, err
		}
		e, err := refusedEntry(r.table, met)
		if err != nil {
			return false, err
		}
		if e.Managed == own || e.ManagedBefore == own {
			return true, nil
		}
		follow, err := refused(*e, s)
		if err != nil || follow == 0 {
			return false, err
		}
		if op <= follow && met.Doubtful() { // it may have been applied before the last two calls
			return false, plaza.ErrUnknownOutcome
		}
		op = max(op, follow) + 1
	}
	return false, plaza.ErrBusy
}

// Hidden lists the hidden players, the best first and without ranks, eventually
// consistent.
//
// Cost: 1 request, 0.5 to 1 RCU for 25 rows; up to 6 requests where many are
// damaged.
func (r *Repository) Hidden(ctx context.Context, in In, req cursor.PageRequest) (cursor.Page[Standing], error) {
	ctx = plaza.WithOperation(ctx, "leaderboard.Repository.Hidden")
	if err := in.checkPage(req); err != nil {
		return cursor.Page[Standing]{}, err
	}
	s, err := r.standings(ctx, in)
	if err != nil {
		return cursor.Page[Standing]{}, in.wrap("hidden of", err)
	}
	list := store.List[rowItem, Standing]{
		Codec: r.opts.Codec,
		Scope: s.scope("hidden", ""),
		Read:  s.readHidden,
		Order: store.Order[rowItem]{
			Below: func(i rowItem) string { return string(after(i.key)) },
			Above: func(i rowItem) string { return string(i.key) },
			Valid: func(gap string) bool { return len(gap) > 0 && len(gap) <= longest },
		},
		Show: func(_ context.Context, rows []rowItem) ([]rowItem, error) {
			return slices.DeleteFunc(rows, s.skips), nil
		},
		Item: func(i rowItem) Standing { return rankedRow{rowItem: i}.row() },
	}
	page, err := list.Page(ctx, req)
	return page, in.wrap("hidden of", err)
}

func (s standings) readHidden(ctx context.Context, reach store.Reach) ([]rowItem, string, error) {
	span := store.IndexSpan{Partition: hiddenPart(s.board.Name, s.period), Ascending: !reach.Up, Limit: reach.Limit}
	if reach.Up {
		span.To = []byte(reach.Gap)
	} else {
		span.From = []byte(reach.Gap)
	}
	items, rest, err := store.ReadIndex[rowItem](ctx, s.table, ranking, span)
	sk := entrySK(s.board.Name, s.period)
	for i := range items {
		items[i].read(s.board, sk)
	}
	if rest != "" && span.Ascending {
		rest = string(after(items[len(items)-1].key))
	}
	return items, rest, err
}
