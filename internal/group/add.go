package group

import (
	"context"
	"errors"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/store"
)

const (
	// maxMoves is how often repeats of an event move its group.
	maxMoves = 3

	// repeats is how long after an event was stored its repeats may move the group.
	repeats = 15 * time.Minute
)

// Result is the answer of Add.
type Result struct {
	Status Status
	Last   ids.ID // the write that moved the group last
}

// Add adds an event to its group. created is true if this call did. A repeat moves the
// group to the top unless the user was shown the event. Add calls mint before each request.
func (s *Groups) Add(ctx context.Context, key store.Key, e Event, mint Mint) (res Result, created bool, err error) {
	if at, ok := s.resting(key); ok {
		return Result{Full, at.last}, false, nil
	}
	done, err := s.turns.Take(ctx, key)
	if err != nil {
		return Result{}, false, err
	}
	defer done()
	if at, ok := s.resting(key); ok { // it is full by now
		return Result{Full, at.last}, false, nil
	}
	w := &write{Groups: s, key: key, event: e, mint: mint}
	return w.add(ctx)
}

// resting reports whether this process knows that the group is full and may not rise yet.
func (s *Groups) resting(key store.Key) (rise, bool) {
	at, ok := s.full.Get(key)
	if !ok {
		return rise{}, false
	}
	left := at.next.Sub(s.Now())
	return at, 0 < left && left <= s.Coalesce // more is left if the clock went back
}

// Known reports whether Add would store nothing new: the event counts, was retracted or is in
// conflict, or the group is known to be full and at rest.
func (s *Groups) Known(ctx context.Context, key store.Key, e Event) (bool, error) {
	if _, ok := s.resting(key); ok {
		return true, nil
	}
	var item dynamo.Item
	if err := s.Table.Get(ctx, key, true, &item); errors.Is(err, plaza.ErrNotFound) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	g, err := parse(s.Table, key, item, s.Now())
	if err != nil {
		return false, err
	}
	_, known, _ := g.known(e)
	return known, nil
}

// add first sends an update that knows nothing of the group. If it is refused, add looks at
// the group, which comes with the refusal. Each request has an id of its own.
func (w *write) add(ctx context.Context) (Result, bool, error) {
	var g *stored
	for try := range maxTries {
		above := ids.ID(0)
		if g != nil {
			above = g.Last
		}
		if err := w.raise(ctx, above); err != nil {
			return Result{}, false, w.failed(err)
		}
		now := w.Now()
		request, status, first := w.request(g, now)
		err := w.Table.Run(ctx, store.Once{Write: request, Limit: RequestTime})
		refused, ok := store.AsRefused(err)
		switch {
		case ok:
			item, _ := refused.At(0)
			if g, err = parse(w.Table, w.key, item, now); err != nil {
				return Result{}, false, err
			}
			status, done, err := w.settled(ctx, g)
			if done || err != nil {
				return Result{status, g.Last}, w.own(g.entries[w.event.attribute()].first()), err
			}
		case err != nil:
			if err := w.again(ctx, try, err); err != nil {
				return Result{}, false, err
			}
			g = nil
		case w.late(w.id): // the next try finds the event, and moves the group
			w.lost = append(w.lost, plaza.ErrUnknownOutcome)
			g = nil
		default:
			w.inTime.Add(w.id, struct{}{})
			if status == Full {
				w.full.Add(w.key, rise{w.id, now.Add(w.Coalesce)})
			}
			return Result{status, w.id}, w.own(first), nil
		}
	}
	return Result{}, false, w.failed(w.busy())
}

// request returns the next write of a group, and the event's status after it. g is nil if
// the group is not known. First is the write that stored the event.
func (w *write) request(g *stored, now time.Time) (request store.Write, status Status, first ids.ID) {
	switch {
	case g == nil || g.simple(w.event):
		return w.update(now), Stored, w.id
	case g.has(w.event):
		first = g.move(w.event, w.id)
		return w.put(g, now), Stored, first
	}
	if status = g.add(w.event, w.id); status == Stored {
		first = w.id
	}
	return w.put(g, now), status, first
}

// settled reports whether the group, as it is stored, needs no write.
func (w *write) settled(ctx context.Context, g *stored) (status Status, done bool, err error) {
	status, known, err := g.known(w.event)
	switch {
	case err != nil:
		return "", false, err
	case known:
		return status, !g.has(w.event) || w.shown(ctx, g), nil
	}
	at, resting := w.rise(g, w.Now())
	if !resting || !g.beyond(w.event) || w.own(g.Last) && w.late(g.Last) {
		return "", false, nil
	}
	w.full.Add(w.key, at)
	return Full, true, nil
}

// shown reports whether an event must not move its group again: its write was in time, so
// that no mark can cover it unseen; or the user was shown it; or it was stored long ago, or
// has moved the group often enough.
func (w *write) shown(ctx context.Context, g *stored) bool {
	e := g.entries[w.event.attribute()]
	if !w.late(e.Write) {
		w.inTime.Add(e.Write, struct{}{})
	}
	return w.inTime.Contains(e.Write) ||
		g.Read >= e.Write ||
		g.Place != Place(Listed, g.PlaceID(), g.SK) ||
		len(e.Earlier) == maxMoves*idLen ||
		w.Now().Sub(e.first().Time()) > repeats ||
		w.Named(ctx, g.Head)
}

// update adds an event that is newer than those of the group, by an actor whom it does
// not name.
func (w *write) update(now time.Time) store.Write {
	name, id, actor := w.event.attribute(), w.id.String(), w.event.Actor
	return w.Table.Update(w.key).
		SetExpr("'last' = ?, lv = ?, 'data' = ?, 'ttl' = ?, 'top' = ?, $ = ?", Place(Listed, w.id, w.key.SK), id, w.event.Data, w.ttl(now), w.event.ID, name, w.event.entry(w.id).text(name)).
		SetExpr("n = if_not_exists(n, ?) + ?, rev = if_not_exists(rev, ?) + ?, born = if_not_exists(born, ?)", 0, 1, 0, 1, id).
		SetExpr("a1 = ?, a2 = if_not_exists(a1, ?), a3 = if_not_exists(a2, ?), a4 = if_not_exists(a3, ?), a5 = if_not_exists(a4, ?)", actor, "", "", "", "").
		RemoveExpr("was").
		If("attribute_not_exists(pk) OR lv < ? AND n < ? AND 'ttl' > ? AND attribute_not_exists($) "+
			"AND NOT ? IN (a1, a2, a3, a4, a5) AND (attribute_not_exists(cut) OR cut < ?) AND (attribute_not_exists('top') OR 'top' < ?)",
			id, Cap, now.Unix(), name, actor, w.event.ID, w.event.ID)
}
