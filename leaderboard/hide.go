package leaderboard

import (
	"context"
	"errors"
	"slices"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Remove takes the player off the board, hidden or not. A submission with a later
// Op brings the player back, and not hidden. The player's name and the operations that
// the entry remembers stay until the period expires. changed is true only if this call
// removed the player.
//
// If the answer is lost and others remove, hide or unhide the player meanwhile, the
// error may be plaza.ErrUnknownOutcome: repeat the call if it is still wanted. A request
// that arrives after a later Remove, Hide or Unhide changes nothing, while clocks differ
// by less than the time between the two calls.
//
// Cost: 1 request, 2 WCU, for each KB of the entry; 2 requests if nothing changed.
//
//plaza:cost remove: 1 request, 2 WCU
//plaza:cost nothing changed: 2 requests, 2 WCU
//plaza:cost on a board with Above, more: 1 request, 1 RCU
//plaza:cost where the clock that gave the entry's Op is ahead: 2 requests, 3 WCU
func (r *Repository) Remove(ctx context.Context, in In, player string) (changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "leaderboard.Repository.Remove")
	changed, err = r.manage(ctx, in, player, nil, func(s standings, e *entryItem, g store.Guard) (store.Write, error) {
		last := g.Op() // a submission after this call brought the player back
		switch {
		case e == nil:
		case e.Rev == 0: // erased
			return nil, plaza.ErrNotFound
		case e.Key == nil:
			return nil, store.ErrSame
		default:
			last = e.LastOp
		}
		return g.Update().Add("rev", 1).Set("removed", max(g.Op(), last)).
			Remove("key", "part", "score", "sub", "prev", "meta", "life").
			If("attribute_exists('key') AND (attribute_not_exists(lastOp) OR lastOp <= ?)", last), nil
	})
	return changed, in.wrap("remove from", err)
}

// Hide takes the player out of the standings until Unhide, whatever is submitted
// meanwhile. A player who is not on the board is plaza.ErrNotFound. changed is true
// only if this call hid the player. Lost answers and late requests: as Remove.
//
// Cost: 1 request, 3 WCU, for each KB of the entry; 2 requests, 2 WCU if nothing
// changed.
//
//plaza:cost hide: 1 request, 3 WCU
//plaza:cost nothing changed: 2 requests, 2 WCU
//plaza:cost on a board with Above, more: 1 request, 1 RCU
func (r *Repository) Hide(ctx context.Context, in In, player string) (changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "leaderboard.Repository.Hide")
	changed, err = r.setHidden(ctx, in, player, true)
	return changed, in.wrap("hide on", err)
}

// Unhide undoes Hide: the player gets the place of the current score, or none if
// Board.Above leaves it out. changed is true only if this call did it. Lost answers and
// late requests: as Remove.
//
// Cost: as Hide.
func (r *Repository) Unhide(ctx context.Context, in In, player string) (changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "leaderboard.Repository.Unhide")
	changed, err = r.setHidden(ctx, in, player, false)
	return changed, in.wrap("unhide on", err)
}

func (r *Repository) setHidden(ctx context.Context, in In, player string, hide bool) (bool, error) {
	return r.manage(ctx, in, player, plaza.ErrNotFound, func(s standings, e *entryItem, g store.Guard) (store.Write, error) {
		away := hiddenPart(in.Board, s.period)
		removed := g.Op() // an entry that began again later is another one
		switch {
		case e == nil:
		case e.Key == nil:
			return nil, plaza.ErrNotFound
		case hide == (e.Part == away):
			return nil, store.ErrSame
		default:
			removed = e.Removed
		}
		u := g.Update().If("attribute_not_exists(removed) OR removed <= ?", removed)
		if hide {
			return u.Set("part", away).If("attribute_exists('key') AND 'part' <> ?", away), nil
		}
		u.If("attribute_exists('key') AND 'part' = ?", away)
		if s.board.Above != nil { // then the entry was read
			at, err := s.board.placeOf(e.Key, player)
			if err != nil {
				return nil, r.table.Corrupt(entryKey(player, in.Board, s.period), err.Error())
			}
			u.If("'key' = ?", e.Key)
			if s.board.leavesOut(at.score) {
				return u.Remove("part"), nil
			}
		}
		return u.Set("part", partOf(player, in.Board, s.period, s.now)), nil
	})
}

// manage makes one change to a player's entry. Absent is its error if there is none.
func (r *Repository) manage(ctx context.Context, in In, player string, absent error,
	next func(standings, *entryItem, store.Guard) (store.Write, error),
) (bool, error) {
	if err := checkPlayer(in, player); err != nil {
		return false, err
	}
	s, err := r.standings(ctx, in)
	if err != nil {
		return false, err
	}
	call, err := r.gen.Next(ctx)
	if err != nil {
		return false, err
	}
	_, changed, err := store.Change[entryItem]{
		Key: entryKey(player, in.Board, s.period), Call: call, Part: "managed", Last: (*entryItem).lastManaged, Unread: s.board.Above == nil,
		Next: func(e *entryItem, g store.Guard) (store.Write, error) { return next(s, e, g) },
	}.Run(ctx, r.table)
	if errors.Is(err, plaza.ErrNotFound) {
		err = absent
	}
	return changed, err
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
			Below: func(i rowItem) string { return string(store.After(i.Key)) },
			Above: func(i rowItem) string { return string(i.Key) },
			Valid: func(gap string) bool { return len(gap) > 0 && len(gap) <= store.MaxIndexKey },
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
		rest = string(store.After(items[len(items)-1].Key))
	}
	return items, rest, err
}
