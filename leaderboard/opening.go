package leaderboard

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// errStale is returned if the board or its periods changed since they were read.
var errStale = errors.New("leaderboard: board changed")

// period returns the period that contains a time, and whether it is stored.
func (r *Repository) period(ctx context.Context, b *board, at time.Time) (p period, stored bool, err error) {
	if p, stored = r.knownPeriod(b, at); stored {
		return p, true, nil
	}
	if p, stored, err = r.findPeriod(ctx, b, at); stored {
		r.keepPeriod(b, p)
	}
	return p, stored, err
}

// open makes the period ready for submissions: it is stored, and has as many shards
// as the board.
func (r *Repository) open(ctx context.Context, b *board, at time.Time, p period, stored bool) (period, error) {
	if stored && p.shards >= b.Shards {
		return p, nil
	}
	select {
	case b.opening <- struct{}{}:
		defer func() { <-b.opening }()
	case <-ctx.Done():
		return period{}, ctx.Err()
	}
	if b.stale { // another call found out when it tried to open a period
		return period{}, errStale
	}
	if known, ok := r.knownPeriod(b, at); ok { // another call opened it
		p, stored = known, true
	}
	var err error
	switch {
	case !stored:
		p, err = r.openPeriod(ctx, b, p)
	case p.shards < b.Shards:
		p, err = r.growPeriod(ctx, b, p)
	}
	if err == nil {
		r.keepPeriod(b, p)
	}
	b.stale = errors.Is(err, errStale)
	return p, err
}

func (r *Repository) knownPeriod(b *board, at time.Time) (p period, known bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.IndexFunc(b.periods, func(p period) bool { return p.covers(at) })
	if i < 0 {
		return period{}, false
	}
	return b.periods[i], true
}

// maxKnown is how many periods of a board are cached: the last ones used, and always
// the newest.
const maxKnown = 4

func (r *Repository) keepPeriod(b *board, p period) {
	r.mu.Lock()
	defer r.mu.Unlock()
	is := func(p period) func(period) bool { return func(o period) bool { return o.start.Equal(p.start) } }
	known := append([]period{p}, slices.DeleteFunc(slices.Clone(b.periods), is(p))...)
	if len(known) > maxKnown {
		newest := slices.MaxFunc(known, func(a, b period) int { return a.start.Compare(b.start) })
		if last := len(known) - 1; is(newest)(known[last]) {
			known = slices.Delete(known, last-1, last)
		} else {
			known = known[:last]
		}
	}
	b.periods = known
}

// findPeriod reads the period that contains a time. If none is stored, it returns the
// period by the schedule, cut off where stored periods begin and end, since those may
// come from another schedule.
func (r *Repository) findPeriod(ctx context.Context, b *board, at time.Time) (p period, stored bool, err error) {
	next := periodKey(b.Name, at.Add(time.Second)) // the first whole second that is later
	p = period{start: time.Unix(0, 0).UTC(), grace: b.Grace, shards: b.Shards}
	earlier, err := r.neighbour(ctx, store.Span{PK: next.PK, To: next.SK, Limit: 1, Consistent: true})
	if err != nil {
		return period{}, false, err
	}
	if earlier != nil && earlier.covers(at) {
		return *earlier, true, nil
	}
	switch {
	case b.schedule != nil:
		p.start, p.end = b.schedule.Prev(at), b.schedule.Next(at)
	case b.unscheduled != nil:
		return period{}, false, b.unscheduled
	}
	if earlier != nil && earlier.end.After(p.start) {
		p.start = earlier.end
	}
	later, err := r.neighbour(ctx, store.Span{PK: next.PK, From: next.SK, Ascending: true, Limit: 1, Consistent: true})
	if err != nil {
		return period{}, false, err
	}
	if later != nil && (p.end.IsZero() || later.start.Before(p.end)) {
		p.end = later.start
	}
	if b.Keep > 0 && !p.end.IsZero() {
		p.ttl = p.end.Add(p.grace + b.Keep).Unix()
	}
	return p, false, nil
}

// neighbour reads the first period of a span. It returns nil if there is none, and an
// error if it is damaged, because no period can be opened beside a damaged one.
func (r *Repository) neighbour(ctx context.Context, s store.Span) (*period, error) {
	items, err := store.Query[dynamo.Item](ctx, r.table, s)
	if err != nil || len(items) == 0 {
		return nil, err
	}
	var i periodItem
	if err := r.table.Decode(items[0], &i); err != nil {
		return nil, err
	}
	p := i.period()
	return &p, nil
}

// openPeriod stores the period, and its due item if it ends, on condition that the
// definition has not changed and nobody else has opened a period. A process with
// another zone database may have opened one with another start or end.
func (r *Repository) openPeriod(ctx context.Context, b *board, p period) (period, error) {
	tx := r.table.Tx().
		Put(r.table.Put(newPeriodItem(b.Name, p)).If("attribute_not_exists(pk)")).
		Update(r.table.Update(definitionKey(b.Name)).Set("ver", b.ver+1).If("ver = ?", b.ver))
	if !p.end.IsZero() {
		tx.Put(r.table.Put(newDue(b.Name, p, b.ver+1)))
	}
	err := r.table.Run(ctx, tx)
	if _, refused := store.AsRefused(err); refused {
		return period{}, errStale
	}
	if err == nil {
		b.ver++
	}
	return p, err
}

// settle is how long new shards are read before they are written to. After that time
// every process has read the period again, even if clocks differ.
const settle = maxRefresh + keys.MaxAhead

// growPeriod stores the new number of shards, so that readers learn it.
func (r *Repository) growPeriod(ctx context.Context, b *board, p period) (period, error) {
	now := r.opts.Now().UTC()
	grown := p
	grown.shards, grown.before, grown.from = b.Shards, p.spread(now), now.Add(settle)
	err := r.table.Run(ctx, r.table.Update(periodKey(b.Name, p.start)).
		Set("shards", grown.shards).
		Set("before", grown.before).
		Set("from", grown.from).
		If("'shards' < ?", b.Shards))
	if refused, ok := store.AsRefused(err); ok {
		item, _ := refused.At(0)
		if item == nil {
			return period{}, errStale // deleted meanwhile
		}
		var stored periodItem
		err := r.table.Decode(item, &stored)
		return stored.period(), err
	}
	return grown, err
}
