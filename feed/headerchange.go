package feed

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// change sends the update first. If its condition refuses it, change reads the header
// and sends the update that next returns; next returns store.ErrSame if there is
// nothing to change. Then it tidies the header.
func (h Home) change(ctx context.Context, first *store.Update, next func(*header) (*store.Update, error)) (changed bool, err error) {
	now := &header{table: h.r.table}
	changed, err = store.Merge(ctx, h.r.table, headerKey(h.reader), store.Returning{Update: first, Out: now}, func(seen *header) (store.Write, error) {
		seen.table = h.r.table
		update, err := next(seen)
		return store.Returning{Update: update, Out: now}, err
	})
	switch {
	case store.TooLarge(err):
		return false, fmt.Errorf("%w: %w", ErrFull, err)
	case changed:
		_, err = h.tidy(ctx, now)
	}
	return changed, err
}

// hideSource writes an ending, for an Unfollow: it hides all entries of the source's
// edges up to this one, including those still to be delivered. It also removes the edge's
// pull.
func (h Home) hideSource(ctx context.Context, source string, edge ids.ID) error {
	unfollow, err := h.r.gen.Next(ctx)
	if err != nil {
		return err
	}
	name := endingName(source)
	upTo := func(last ids.ID) *store.Update {
		return h.update().SetExpr("$ = ?", name, ending{last, unfollow}).RemoveExpr("$", pullName(edge, source))
	}
	first := upTo(edge).If("(attribute_not_exists($) AND attribute_not_exists($)) OR $.$ <= ?", name, fullAttr, name, "edge", edge)
	_, err = h.change(ctx, first, func(head *header) (*store.Update, error) {
		last := head.ending(name).Edge
		switch last {
		case 0:
			return first, h.makeRoom(ctx, head, false)
		case damagedEdge:
			last = 0
		}
		return upTo(max(edge, last)).If("$ = ?", name, head.item[name]), nil
	})
	return err
}

// errEnded is returned if the home hides what the edge brings.
var errEnded = errors.New("feed: an unfollow has ended the edge")

// addPull writes a pull, for a Follow that read the source's mode at the switch p.At. It
// returns the pull that is stored then: an earlier one stays, unless it is damaged.
func (h Home) addPull(ctx context.Context, edge ids.ID, p pull) (stored pull, err error) {
	stored = p
	first := h.adding(edge, p)
	_, err = h.change(ctx, first, func(head *header) (*store.Update, error) {
		earlier, found, damage := head.pull(edge, p.Source)
		switch {
		case head.ended(p.Source, edge):
			return nil, errEnded
		case damage != nil:
			return h.replacing(head, edge, p), nil //nolint:nilerr // the damage is replaced
		case found:
			stored = earlier
			return nil, store.ErrSame
		}
		return first, h.makeRoom(ctx, head, true)
	})
	return stored, err
}

// openPull writes a pull without an upper bound, or removes the bound of the edge's pull,
// for the switch p.At to Pulled. changed reports whether it wrote.
func (h Home) openPull(ctx context.Context, edge ids.ID, p pull) (changed bool, err error) {
	first := h.adding(edge, p)
	return h.change(ctx, first, func(head *header) (*store.Update, error) {
		earlier, found, err := head.pull(edge, p.Source)
		switch {
		case head.ended(p.Source, edge), earlier.Kept, earlier.At >= p.At:
			return nil, store.ErrSame
		case err != nil:
			return nil, err
		case !found:
			return first, h.makeRoom(ctx, head, true)
		case earlier.empty(h.lowest(head, h.r.opts.Now())):
			err = h.makeRoom(ctx, head, true)
		}
		return h.switching(edge, p.Source, p.At).RemoveExpr("$.$", pullName(edge, p.Source), "until"), err
	})
}

// closePull sets the upper bound of the edge's pull, for the switch at to Pushed. changed
// reports whether it wrote.
func (h Home) closePull(ctx context.Context, source string, edge, until, at ids.ID) (changed bool, err error) {
	first := h.switching(edge, source, at).SetExpr("$.$ = ?", pullName(edge, source), "until", until)
	return h.change(ctx, first, func(head *header) (*store.Update, error) {
		_, _, err := head.pull(edge, source)
		if err == nil || head.ended(source, edge) {
			err = store.ErrSame
		}
		return nil, err
	})
}

// keepPull bounds the edge's pull by what the source has published so far, for an
// Unfollow with KeepHistory. It writes one even if there is none, because a switch that
// has read the edge may still add one.
func (h Home) keepPull(ctx context.Context, source string, edge ids.ID) error {
	at, err := h.r.gen.Next(ctx)
	if err != nil {
		return err
	}
	kept := pull{Source: source, Until: nothing, Kept: true, At: at}
	first := h.setting(edge, kept).If("attribute_not_exists($) AND attribute_not_exists($)", pullName(edge, source), fullAttr)
	_, err = h.change(ctx, first, func(head *header) (*store.Update, error) {
		earlier, found, damage := head.pull(edge, source)
		switch {
		case head.ended(source, edge), earlier.Kept:
			return nil, store.ErrSame
		case !found:
			return first, h.makeRoom(ctx, head, false)
		case damage != nil:
			return h.replacing(head, edge, kept), nil //nolint:nilerr // the damage is replaced
		}
		next, err := h.r.Outbox(source).next(ctx)
		bounded := kept
		bounded.Since, bounded.Until = earlier.Since, min(next, cmp.Or(earlier.Until, next))
		return h.replacing(head, edge, bounded), err
	})
	return err
}

// setting writes a pull, unless an unfollow has ended the edge.
func (h Home) setting(edge ids.ID, p pull) *store.Update {
	name := endingName(p.Source)
	return h.update().SetExpr("$ = ?", pullName(edge, p.Source), p).If("attribute_not_exists($) OR $.$ < ?", name, name, "edge", edge)
}

// adding writes a pull if there is none and there is room.
func (h Home) adding(edge ids.ID, p pull) *store.Update {
	return h.setting(edge, p).If("attribute_not_exists($) AND attribute_not_exists($) AND attribute_not_exists($)",
		pullName(edge, p.Source), fullAttr, crowdedAttr)
}

// replacing writes a pull over the one that head has.
func (h Home) replacing(head *header, edge ids.ID, p pull) *store.Update {
	name := pullName(edge, p.Source)
	return h.setting(edge, p).If("$ = ?", name, head.item[name])
}

// switching changes a pull that an earlier switch than at wrote last.
func (h Home) switching(edge ids.ID, source string, at ids.ID) *store.Update {
	name := pullName(edge, source)
	return h.update().SetExpr("$.$ = ?", name, "at", at).
		If("$.$ < ? AND attribute_not_exists($.$)", name, "at", at, name, "kept")
}

// Trim removes everything older than before from the home, permanently: a later
// call can only trim more. changed is true only if this call did; it may be false
// after the SDK has sent the request again. An id more than 10 s ahead of
// Options.Now is plaza.ErrInvalid.
//
// Cost: 1 request, 1 WCU for each KB of the home's header.
//
//plaza:cost a header of 1 KB: 1 request, 1 WCU
func (h Home) Trim(ctx context.Context, before ids.ID) (changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "feed.Home.Trim")
	if err := h.check(); err != nil {
		return false, err
	}
	if err := keys.CheckNewID("ID", before, h.r.opts.Now()); err != nil {
		return false, err
	}
	raise := h.update().Set("floor", before).If("attribute_not_exists(floor) OR floor < ?", before)
	changed, err = store.Merge(ctx, h.r.table, headerKey(h.reader), raise, func(seen *header) (store.Write, error) {
		if seen.Floor >= before {
			return nil, store.ErrSame
		}
		return raise, nil
	})
	if err != nil {
		return false, fmt.Errorf("feed: trim home of %q: %w", h.reader, err)
	}
	return changed, nil
}
