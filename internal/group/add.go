package group

import (
	"context"
	"time"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Result is what Add did.
type Result struct {
	Outcome Outcome
	Last    ids.ID // the write that moved the group last
}

// Add adds an event to its group. created is true if this call did. It calls mint for
// each id under which it writes, before it does.
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

// resting reports whether this process knows that the group is full and may not rise
// yet.
func (s *Groups) resting(key store.Key) (rise, bool) {
	at, ok := s.full.Get(key)
	if !ok {
		return rise{}, false
	}
	left := at.next.Sub(s.Now())
	return at, 0 < left && left <= s.Coalesce // more is left if the clock went back
}

// add sends the update that needs no knowledge of the group, and if it is refused
// looks at the group that came with the refusal.
func (w *write) add(ctx context.Context) (Result, bool, error) {
	var g *stored
	last := ids.ID(0)
	for range maxTries {
		if w.id <= last {
			if err := w.raise(ctx, last); err != nil {
				return Result{}, false, err
			}
		}
		outcome, now := Stored, w.Now()
		var err error
		if g == nil || g.simple(w.event) {
			err = w.Table.Run(ctx, w.update(now))
		} else {
			outcome = g.add(w.event, w.id)
			err = w.put(ctx, g, now)
		}
		refused, ok := store.AsRefused(err)
		if !ok {
			if err != nil {
				return Result{}, false, err
			}
			return w.added(ctx, outcome)
		}
		item, _ := refused.At(0)
		if g, err = parse(w.Table, w.key, item, now); err != nil {
			return Result{}, false, err
		}
		entry := g.entries[w.event.attribute()]
		if !entry.Off && w.own(entry.Write) { // the SDK sent it twice
			if w.id == g.Last {
				return w.added(ctx, Stored)
			}
			return Result{Stored, g.Last}, true, nil
		}
		if outcome, ok, err := g.known(w.event); ok {
			return Result{outcome, g.Last}, false, err
		}
		if at, ok := w.rise(g, now); ok && g.beyond(w.event) {
			if w.own(g.Last) {
				return w.added(ctx, Full)
			}
			w.full.Add(w.key, at)
			return Result{Full, g.Last}, false, nil
		}
		last = g.Last
	}
	return Result{}, false, w.busy()
}

// added is the result of a write that was applied.
func (w *write) added(ctx context.Context, outcome Outcome) (Result, bool, error) {
	last, err := w.acknowledge(ctx, outcome == Stored)
	if err != nil {
		return Result{}, false, err
	}
	if outcome == Full {
		w.full.Add(w.key, rise{last, w.since.Add(w.Coalesce)})
	}
	return Result{outcome, last}, outcome == Stored, nil
}

// update adds an event that the group does not have, by an actor whom it does not
// name.
func (w *write) update(now time.Time) store.Write {
	name, id, actor := w.event.attribute(), w.id.String(), w.event.Actor
	return w.Table.Update(w.key).
		SetExpr("'last' = ?, lv = ?, 'data' = ?, 'ttl' = ?, $ = ?", Place(Listed, w.id, w.key.SK), id, w.event.Data, w.ttl(now), name, w.event.entry(w.id).text(name)).
		SetExpr("n = if_not_exists(n, ?) + ?, rev = if_not_exists(rev, ?) + ?", 0, 1, 0, 1).
		SetExpr("a1 = ?, a2 = if_not_exists(a1, ?), a3 = if_not_exists(a2, ?), a4 = if_not_exists(a3, ?), a5 = if_not_exists(a4, ?)", actor, "", "", "", "").
		RemoveExpr("was").
		If("attribute_not_exists(pk) OR lv < ? AND n < ? AND 'ttl' > ? AND attribute_not_exists($) "+
			"AND NOT ? IN (a1, a2, a3, a4, a5) AND (attribute_not_exists(cut) OR cut < ?)", id, Cap, now.Unix(), name, actor, w.event.ID)
}

// acknowledge moves the group to a new id if the answer came so late that a mark may
// cover what its reader was not shown. It returns the write that moved the group
// last.
func (w *write) acknowledge(ctx context.Context, entry bool) (ids.ID, error) {
	for range maxTries {
		if w.Now().Sub(w.since) <= w.Ack {
			return w.id, nil
		}
		old := w.id
		if err := w.raise(ctx, old); err != nil {
			return 0, err
		}
		err := w.Table.Run(ctx, w.move(old, entry))
		if refused, ok := store.AsRefused(err); ok {
			item, _ := refused.At(0)
			g, err := parse(w.Table, w.key, item, w.Now())
			if err != nil {
				return 0, err
			}
			if g.Last != w.id { // others have moved it, or its user has it off the list
				return g.Last, nil
			}
		} else if err != nil {
			return 0, err
		}
	}
	return 0, w.busy()
}

// move gives the group, and the event if it has it, another id, unless either was
// changed or read since.
func (w *write) move(old ids.ID, entry bool) *store.Update {
	place := Place(Listed, old, w.key.SK)
	u := w.Table.Update(w.key).
		SetExpr("'last' = ?, 'lv' = ?, 'rev' = 'rev' + ?", Place(Listed, w.id, w.key.SK), w.id, 1).
		If("'last' = ? AND 'lv' = ? AND (attribute_not_exists('read') OR 'read' < ?)", place, old, old)
	if entry {
		u.SetExpr("$ = ?", w.event.attribute(), w.event.text(w.id)).If("$ = ?", w.event.attribute(), w.event.text(old))
	}
	return u
}
