package feed

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/internal/store"
)

// List lists what the reader's sources published, newest first, except what
// Options hide. If much is hidden, or came through several follows, a page may be
// short, or empty with a Next; upwards, it may be empty with a Prev other than
// its cursor.
//
// A home also reads the outboxes of its Pulled sources, at most 500. A page
// starts over if its cursor is older than the first of these.
//
// Cost: 2 requests, at most 12 RCU for a page of 20, eventually consistent; for
// each outbox 1 request, 1 RCU more for 8 activities of 1 KB, and if the page
// needs more of it up to 5 requests more, each for twice as many as the last;
// with outboxes from a cursor 1 request, 0.5 RCU for each 4 KB of the home's
// header more; with no entry below a cursor 1 request, 0.5 RCU more for the
// header; with 90 % of it in the cache 2 requests, 3 RCU; with a Filter no
// more, besides the Filter's own; with Options.About 1 RCU more, and 0.5 RCU
// for each activity below the page that one on it may repeat, upwards 1 request
// more, and for each outbox 1 request more for each 1 MB until the RepostWindow
// is read; past hidden entries 6 queries at most, whatever lies in the home, 1
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
		Note:  &reading.pulls,
	}
	page, err := list.Page(ctx, req)
	if errors.Is(err, errStartOver) {
		page, err = list.Page(ctx, req)
	}
	return page, err
}

// homeRow is one activity of a home with its entries: all of them, or those
// that one read found.
type homeRow struct {
	CacheKey
	entries  []entryItem
	twins    []entryItem // entries in the window below it that are about the same thing
	activity *Activity   // once it is shown
}

// maxQueries is the most queries of a page.
const maxQueries = 6

// homeReading reads one page.
type homeReading struct {
	home     Home
	now      int64 // in Unix seconds
	pulls    bool  // whether the home reads outboxes, as far as known
	header   *header
	outboxes []*pulledOutbox // that the header names
	sources  []entrySource   // pushed, and the outboxes
	kept     store.Kept[entryItem]
	queries  int
}

func (h Home) reading() *homeReading {
	p := &homeReading{home: h, now: h.r.opts.Now().Unix()}
	p.sources = []entrySource{pushed{p}}
	return p
}

// errStartOver ends a page that found out too late that the home reads outboxes.
var errStartOver = errors.New("feed: the home reads outboxes")

// setHeader is called once, with the home's header or nil.
func (p *homeReading) setHeader(item dynamo.Item) (err error) {
	if p.header, err = p.home.r.parseHeader(item); err != nil {
		return err
	}
	p.outboxes = p.home.outboxes(p.header, time.Unix(p.now, 0))
	p.sources = slices.Grow(p.sources, len(p.outboxes))
	for _, outbox := range p.outboxes {
		p.sources = append(p.sources, outbox)
	}
	p.pulls = len(p.sources) > 1
	return nil
}

// readHeader reads the header alone. It returns an empty item if there is none.
func (p *homeReading) readHeader(ctx context.Context) (item dynamo.Item, err error) {
	err = p.home.r.table.Get(ctx, headerKey(p.home.reader), p.home.r.opts.Consistent, &item)
	if errors.Is(err, plaza.ErrNotFound) {
		return dynamo.Item{}, nil
	}
	return item, err
}

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
	if reach.Up {
		rows, rest = p.upTo(rows, rest)
		return rows, rest, nil
	}
	if p.header != nil { // the list ends at the floor
		if end := slices.IndexFunc(rows, func(row homeRow) bool { return row.ID < p.header.Floor }); end >= 0 {
			return rows[:end], "", nil
		}
	}
	return rows, rest, nil
}

// rows makes a query, which may end in the middle of its last row.
func (p *homeReading) rows(ctx context.Context, reach store.Reach) (rows []homeRow, rest string, err error) {
	entries, rest, err := p.query(ctx, reach, 0)
	return inRows(entries), rest, err
}

// inRows groups consecutive entries into rows.
func inRows(entries []entryItem) []homeRow {
	rows := make([]homeRow, 0, len(entries)) // usually each is a row
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
// gap after them. With outboxes it may take several rounds of requests, and
// leaves spare ones for later.
func (p *homeReading) query(ctx context.Context, reach store.Reach, spare int) (entries []entryItem, rest string, err error) {
	if p.header == nil {
		if entries, rest, err = p.first(ctx, reach); err != nil || !p.pulls {
			return entries, rest, err
		}
	}
	if !p.pulls {
		return p.merged(ctx, 1, reach, 1)
	}
	return p.merged(ctx, len(p.sources), reach, max(maxQueries-p.queries-spare, 0))
}

// first reads the pushed entries of a reach, and the header if it can. Otherwise
// show reads the header with the activities.
func (p *homeReading) first(ctx context.Context, reach store.Reach) (entries []entryItem, rest string, err error) {
	noted, reads := p.pulls, 1
	if noted && !reach.Ascending() {
		reads = 2 // the header beside the entries
	}
	var item dynamo.Item
	err = parallel.ForEach(ctx, reads, reads, func(ctx context.Context, i int) (err error) {
		if i == 0 {
			entries, rest, err = p.merged(ctx, 1, reach, 1)
		} else {
			item, err = p.readHeader(ctx)
		}
		return err
	})
	if err == nil && p.header == nil && reads == 1 && noted {
		item, err = p.readHeader(ctx)
		reads++
	}
	if err == nil && reads == 2 {
		err = p.setHeader(item)
	}
	return entries, rest, err
}

// show keeps the rows that have a visible entry, whose activity exists and passes
// the filter, and that do not repeat an activity just below.
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

// repeats reports whether one of the twins shows what the entry is about.
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
// with the header. It returns those that exist, have a visible entry and pass the
// filter.
func (p *homeReading) readVisible(ctx context.Context, rows []homeRow) (map[CacheKey]*Activity, error) {
	wanted := p.wanted(rows)
	var header store.Key
	if p.header == nil {
		header = headerKey(p.home.reader)
	} else if len(wanted) == 0 {
		return map[CacheKey]*Activity{}, nil
	}
	found, item, err := p.home.r.hydrator.read(ctx, wanted, header)
	if err != nil {
		return nil, err
	}
	if p.header == nil {
		switch err := p.setHeader(item); {
		case err != nil:
			return nil, err
		case p.pulls:
			return nil, errStartOver
		case p.header.hidesAny():
			wanted = p.wanted(rows)
		}
	}
	standing := make([]Activity, 0, len(wanted))
	for _, key := range wanted {
		if cached, ok := found[key]; ok && !cached.Gone {
			a := cached.Activity
			if p.home.r.hydrator.cache != nil { // other pages have it too
				a = a.clone()
			}
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
