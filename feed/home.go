package feed

import (
	"context"
	"fmt"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/store"
)

// List gives what the reader's sources published, newest first.
//
// Two reads: for a page of 20 at most 12 RCU, eventually consistent. Where
// hidden entries have to be passed over, up to six pairs; each 100 further
// activities of a page take one read more.
func (h Home) List(ctx context.Context, req cursor.PageRequest) (cursor.Page[Activity], error) {
	if err := h.check(); err != nil {
		return cursor.Page[Activity]{}, err
	}
	reading := homeReading{home: h}
	list := store.List[homeRow, Activity]{
		Codec: h.r.opts.Codec,
		Scope: cursor.Scope{List: "feed/home", Partition: h.reader},
		Order: store.ByID(func(row homeRow) ids.ID { return row.id }),
		Item:  func(row homeRow) Activity { return row.activity },
		Read:  reading.read,
		Show:  reading.show,
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
	activity Activity
}

// homeReading is the reading of one page.
type homeReading struct {
	home   Home
	header *header // once read
}

// read gives the rows of a reach. A row is whole once the next one begins, so
// it asks for one entry more, and goes on where entries share a row.
func (p *homeReading) read(ctx context.Context, reach store.Reach) ([]homeRow, error) {
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
			return rows[:min(len(rows), reach.Limit)], nil
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

// show hydrates the rows and keeps those that some living edge brought and
// whose activity stands.
func (p *homeReading) show(ctx context.Context, rows []homeRow) ([]homeRow, error) {
	if len(rows) == 0 {
		return nil, nil
	}
	var wanted []store.Key
	if p.header == nil {
		wanted = append(wanted, headerKey(p.home.reader))
	}
	asked := map[store.Key]bool{}
	for _, row := range rows {
		for _, entry := range row.entries {
			if key := activityKey(entry.Owner, row.id); !asked[key] {
				asked[key] = true
				wanted = append(wanted, key)
			}
		}
	}
	found, err := p.home.r.table.GetAll(ctx, wanted, p.home.r.opts.Consistent)
	if err != nil {
		return nil, err
	}
	if p.header == nil {
		if p.header, err = parseHeader(found[headerKey(p.home.reader)]); err != nil {
			return nil, err
		}
	}
	now := p.home.r.opts.Now().Unix()
	shown := rows[:0]
	for _, row := range rows {
		for _, entry := range row.entries {
			item := found[activityKey(entry.Owner, row.id)]
			if item == nil || item["removed"] != nil || entry.TTL <= now || p.header.dead[entry.Key.edge] != 0 {
				continue
			}
			var stored activityItem
			if err := dynamo.UnmarshalItem(item, &stored); err != nil {
				return nil, err
			}
			row.activity = stored.activity()
			shown = append(shown, row)
			break
		}
	}
	return shown, nil
}
