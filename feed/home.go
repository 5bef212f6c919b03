package feed

import (
	"context"
	"fmt"
	"slices"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/internal/store"
)

// List gives what the reader's sources published, newest first, except what
// Options hide. If much is hidden or came by many follows, a page may be short,
// or empty with a Next.
//
// Cost: 2 requests, at most 12 RCU for a page of 20, eventually consistent;
// with 90 % of it in the cache 2 requests, 3 RCU; with a Filter no more,
// besides the Filter's own; with Options.About 1 RCU more, and 0.5 RCU for each
// activity below the page that one on it may repeat, and upwards 1 request
// more; past hidden entries 6 queries at most, whatever lies in the home, 1
// request for each 100 activities that they name and no ended follow hides, and
// 1 request more for each query some of whose activities were erased or are
// missing from a replica.
func (h Home) List(ctx context.Context, req cursor.PageRequest) (cursor.Page[Activity], error) {
	ctx = plaza.WithOperation(ctx, "feed.Home.List")
	if err := h.check(); err != nil {
		return cursor.Page[Activity]{}, err
	}
	page, err := h.page(ctx, req, h.reading())
	if err != nil {
		return page, fmt.Errorf("feed: home of %q: %w", h.reader, err)
	}
	return page, nil
}

func (h Home) page(ctx context.Context, req cursor.PageRequest, reading *homeReading) (cursor.Page[Activity], error) {
	list := store.List[homeRow, Activity]{
		Codec: h.r.opts.Codec,
		Scope: cursor.Scope{List: "feed/home", Partition: h.reader},
		Order: store.Order[homeRow]{
			Below: func(row homeRow) string { return belowRow(row.CacheKey) },
			Above: func(row homeRow) string { return aboveRow(row.CacheKey) },
			Valid: validGap,
		},
		Depth: h.r.opts.HomeCap,
		Item:  func(row homeRow) Activity { return *row.activity },
		Read:  reading.read,
		Show:  reading.show,
	}
	return list.Page(ctx, req)
}

// homeRow is one activity of a home with its entries: all of them, or those
// that one read found.
type homeRow struct {
	CacheKey
	entries  []entryItem
	twins    []entryItem // entries in the window below it that are about the same
	activity *Activity   // once it is shown
}

// maxQueries is the most queries of a page.
const maxQueries = 6

// homeReading reads one page.
type homeReading struct {
	home    Home
	now     int64    // in Unix seconds
	others  []source // in addition to pushed
	header  *header  // nil until it is read
	queries int
}

func (h Home) reading() *homeReading { return &homeReading{home: h, now: h.r.opts.Now().Unix()} }

// read returns the rows of a reach.
func (p *homeReading) read(ctx context.Context, reach store.Reach) ([]homeRow, string, error) {
	var rows []homeRow
	var rest string
	var err error
	switch {
	case p.home.r.opts.About == nil:
		rows, rest, err = p.rows(ctx, reach)
	case reach.Up:
		rows, rest, err = p.pairedUp(ctx, reach)
	default:
		rows, rest, err = p.pairedDown(ctx, reach)
	}
	if err != nil {
		return nil, "", err
	}
	if p.header != nil && !reach.Up { // the list ends at the floor
		if end := slices.IndexFunc(rows, func(row homeRow) bool { return row.ID < p.header.floor }); end >= 0 {
			return rows[:end], "", nil
		}
	}
	return rows, rest, nil
}

// rows makes one query, which may end in the middle of its last row.
func (p *homeReading) rows(ctx context.Context, reach store.Reach) (rows []homeRow, rest string, err error) {
	entries, rest, err := p.query(ctx, reach)
	return inRows(entries), rest, err
}

// inRows groups consecutive entries into rows.
func inRows(entries []entryItem) []homeRow {
	rows := make([]homeRow, 0, len(entries)) // most often each is a row
	for from, entry := range entries {
		row := entry.Key.CacheKey
		if n := len(rows); n == 0 || rows[n-1].CacheKey != row {
			rows = append(rows, homeRow{CacheKey: row, entries: entries[from:from]})
		}
		last := &rows[len(rows)-1]
		last.entries = last.entries[:len(last.entries)+1]
	}
	return rows
}

// query reads the entries of a reach from all sources, nearest first, and the
// gap after them.
func (p *homeReading) query(ctx context.Context, reach store.Reach) (entries []entryItem, rest string, err error) {
	p.queries++
	if len(p.others) == 0 {
		return p.home.pushed(ctx, reach)
	}
	return merged(ctx, append([]source{p.home.pushed}, p.others...), reach)
}

// show keeps the rows that have a visible entry, whose activity stands and no
// filter hides, and that do not repeat an activity just below.
func (p *homeReading) show(ctx context.Context, rows []homeRow) ([]homeRow, error) {
	visible, err := p.readVisible(ctx, rows)
	if err != nil {
		return nil, err
	}
	shown := rows[:0]
	for _, row := range rows {
		row.activity = visible[row.CacheKey]
		if row.activity != nil && slices.ContainsFunc(row.entries, func(entry entryItem) bool {
			return p.mayShow(entry) && !p.repeats(entry, row.twins, visible)
		}) {
			shown = append(shown, row)
		}
	}
	return shown, nil
}

// repeats reports whether one of twins shows what the entry is about.
func (p *homeReading) repeats(entry entryItem, twins []entryItem, visible map[CacheKey]*Activity) bool {
	return slices.ContainsFunc(twins, func(twin entryItem) bool {
		return twin.About == entry.About && p.mayShow(twin) && visible[twin.Key.CacheKey] != nil
	})
}

// mayShow reports whether the entry is neither expired nor hidden. Before the
// header is read, it reports true for hidden ones.
func (p *homeReading) mayShow(entry entryItem) bool {
	return entry.TTL > p.now && (p.header == nil || !p.header.hides(entry))
}

// readVisible reads the activities of the rows and of their twins, together
// with the header. It returns those that have a visible entry, stand, and pass
// the filter.
func (p *homeReading) readVisible(ctx context.Context, rows []homeRow) (map[CacheKey]*Activity, error) {
	wanted := p.wanted(rows)
	if len(wanted) == 0 {
		return map[CacheKey]*Activity{}, nil
	}
	var header store.Key
	if p.header == nil {
		header = headerKey(p.home.reader)
	}
	found, item, err := p.home.r.hydrator.read(ctx, wanted, header)
	if err != nil {
		return nil, err
	}
	if p.header == nil {
		if p.header, err = p.home.r.parseHeader(item); err != nil {
			return nil, err
		}
		if p.header.hidesAny() {
			wanted = p.wanted(rows)
		}
	}
	standing := make([]Activity, 0, len(wanted))
	for _, key := range wanted {
		if cached, ok := found[key]; ok && !cached.Gone {
			a := cached.Activity.clone()
			a.Owner = key.Owner
			standing = append(standing, a)
		}
	}
	if standing, err = p.home.filter(ctx, standing); err != nil {
		return nil, err
	}
	visible := make(map[CacheKey]*Activity, len(standing))
	for i := range standing {
		visible[CacheKey{standing[i].Owner, standing[i].ID}] = &standing[i]
	}
	return visible, nil
}

// wanted are the activities of the visible entries of the rows, and then those
// of their twins.
func (p *homeReading) wanted(rows []homeRow) []CacheKey {
	wanted := make([]CacheKey, 0, len(rows))
	asked := make(map[CacheKey]bool, len(rows))
	ask := func(entries []entryItem) {
		for _, entry := range entries {
			if key := entry.Key.CacheKey; !asked[key] && p.mayShow(entry) {
				asked[key] = true
				wanted = append(wanted, key)
			}
		}
	}
	for _, row := range rows {
		ask(row.entries)
	}
	for _, row := range rows {
		ask(row.twins)
	}
	return wanted
}
