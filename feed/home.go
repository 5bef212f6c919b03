package feed

import (
	"context"
	"fmt"
	"slices"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/store"
)

// List gives what the reader's sources published, newest first, but for what
// Options hide.
//
// Two reads: for a page of 20 at most 12 RCU, eventually consistent. Where
// hidden entries have to be passed over, up to six pairs; each 100 further
// activities of a page take one read more, so do those that an Erase took or
// that a replica lacks yet. With Options.About 1 RCU more and 0.5 RCU for each
// activity below the page that one on it may repeat; upwards one read more.
func (h Home) List(ctx context.Context, req cursor.PageRequest) (cursor.Page[Activity], error) {
	if err := h.check(); err != nil {
		return cursor.Page[Activity]{}, err
	}
	reading := homeReading{home: h}
	order := store.ByID(func(row homeRow) ids.ID { return row.id })
	list := store.List[homeRow, Activity]{
		Codec: h.r.opts.Codec,
		Scope: cursor.Scope{List: "feed/home", Partition: h.reader},
		Order: order,
		Depth: h.r.opts.HomeCap,
		Item:  func(row homeRow) Activity { return row.activity },
		Read: func(ctx context.Context, reach store.Reach) ([]homeRow, string, error) {
			rows, err := reading.read(ctx, reach)
			return rows, order.Rest(reach, rows), err
		},
		Show: reading.show,
	}
	page, err := list.Page(ctx, req)
	if err != nil {
		return page, fmt.Errorf("feed: home of %q: %w", h.reader, err)
	}
	return page, nil
}

// homeRow is one activity of a home with the entries that brought it: one
// for each edge it came by.
type homeRow struct {
	id       ids.ID
	entries  []entryItem
	twins    []homeRow // those about the same within the window below it
	activity Activity
}

// homeReading is the reading of one page.
type homeReading struct {
	home   Home
	header *header // once read
}

// read gives the rows of a reach.
func (p *homeReading) read(ctx context.Context, reach store.Reach) ([]homeRow, error) {
	opts := p.home.r.opts
	if opts.About == nil {
		return p.rows(ctx, reach)
	}
	if !reach.Up {
		wide := reach
		wide.Limit += opts.RepostWindow
		rows, err := p.rows(ctx, wide)
		pairUp(rows, opts.RepostWindow)
		return rows[:min(len(rows), reach.Limit)], err
	}
	rows, err := p.rows(ctx, reach)
	if err != nil {
		return nil, err
	}
	below, err := p.rows(ctx, store.Reach{Gap: reach.Gap, Limit: opts.RepostWindow})
	if err != nil {
		return nil, err
	}
	n := len(rows)
	all := slices.Concat(reversed(rows), below)
	pairUp(all, opts.RepostWindow)
	return reversed(all[:n]), nil
}

// rows reads whole rows. A row is whole once the next one begins, so it asks
// for one entry more, and goes on where entries share a row.
func (p *homeReading) rows(ctx context.Context, reach store.Reach) ([]homeRow, error) {
	span := reach.Span(homePK(p.home.reader))
	span.Consistent = p.home.r.opts.Consistent
	span.Limit = reach.Limit + 1
	if span.To == "" {
		span.To = aboveIDs // not the header
	}
	var rows []homeRow
	for {
		entries, err := store.Query[entryItem](ctx, p.home.r.table, span)
		if err != nil {
			return nil, err
		}
		for _, entry := range entries {
			if n := len(rows); n == 0 || rows[n-1].id != entry.Key.id {
				rows = append(rows, homeRow{id: entry.Key.id})
			}
			last := &rows[len(rows)-1]
			last.entries = append(last.entries, entry)
		}
		if len(entries) < span.Limit || len(rows) > reach.Limit {
			return p.aboveFloor(rows[:min(len(rows), reach.Limit)], reach.Up), nil
		}
		last, _ := entries[len(entries)-1].Key.MarshalText()
		if reach.Up {
			span.From = string(last) + "\x00"
		} else {
			span.To = string(last)
		}
		span.Limit *= 2
	}
}

// aboveFloor ends a list at the floor, where it is known yet.
func (p *homeReading) aboveFloor(rows []homeRow, up bool) []homeRow {
	if p.header == nil || up {
		return rows
	}
	if end := slices.IndexFunc(rows, func(row homeRow) bool { return row.id < p.header.floor }); end >= 0 {
		return rows[:end]
	}
	return rows
}

// show keeps the rows that some living edge brought, whose activity stands
// and is not hidden, and that repeat nothing just below.
func (p *homeReading) show(ctx context.Context, rows []homeRow) ([]homeRow, error) {
	candidates, asked := slices.Clone(rows), make(map[ids.ID]bool, len(rows))
	for _, row := range rows {
		asked[row.id] = true
	}
	for _, row := range rows {
		for _, twin := range row.twins {
			if !asked[twin.id] {
				asked[twin.id] = true
				candidates = append(candidates, twin)
			}
		}
	}
	alive, err := p.hydrate(ctx, candidates)
	if err != nil {
		return nil, err
	}
	if alive, err = p.home.filter(ctx, alive); err != nil {
		return nil, err
	}
	lives := make(map[ids.ID]Activity, len(alive))
	for _, row := range alive {
		lives[row.id] = row.activity
	}
	shown := rows[:0]
	for _, row := range rows {
		a, ok := lives[row.id]
		repeats := slices.ContainsFunc(row.twins, func(twin homeRow) bool {
			_, ok := lives[twin.id]
			return ok
		})
		if ok && !repeats {
			row.activity = a
			shown = append(shown, row)
		}
	}
	return shown, nil
}

// hydrate reads what the rows refer to, and with it the header, and drops
// those that are gone.
func (p *homeReading) hydrate(ctx context.Context, rows []homeRow) ([]homeRow, error) {
	if len(rows) == 0 {
		return nil, nil
	}
	var keys []CacheKey
	asked := make(map[CacheKey]bool, len(rows))
	for _, row := range rows {
		for _, entry := range row.entries {
			if key := entry.activity(); !asked[key] {
				asked[key] = true
				keys = append(keys, key)
			}
		}
	}
	var header store.Key
	if p.header == nil {
		header = headerKey(p.home.reader)
	}
	found, item, err := p.home.r.hydrator.read(ctx, keys, header)
	if err != nil {
		return nil, err
	}
	if p.header == nil {
		if p.header, err = parseHeader(item); err != nil {
			return nil, err
		}
	}
	now := p.home.r.opts.Now().Unix()
	var alive []homeRow
	for _, row := range rows {
		for _, entry := range row.entries {
			cached, ok := found[entry.activity()]
			if ok && !cached.Gone && entry.TTL > now && !p.header.hides(entry.Key) {
				row.activity = cached.Activity.clone()
				alive = append(alive, row)
				break
			}
		}
	}
	return alive, nil
}
