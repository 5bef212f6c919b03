package feed

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/internal/store"
)

// homeReading reads the entries of one page of a home, by one of two plans. A cursor
// says which; without one, the first query returns the header, which decides it.
//
//   - Without outboxes, a query asks for the home's own entries. The header comes with a
//     query that reaches the top of the home, otherwise with the activities.
//   - With outboxes, the header comes before the activities, because it names the
//     outboxes. Then a query merges the home's own entries and those of the outboxes.
type homeReading struct {
	home  Home
	now   int64 // in Unix seconds
	pulls bool  // the plan: whether the page reads outboxes

	own      *pushed
	header   *header         // empty until own.headerRead
	outboxes []*pulledOutbox // that the header names
	sources  []entrySource   // own, then the outboxes
	kept     store.Kept[entryItem]
	queries  int
}

func (h Home) reading() *homeReading {
	own := &pushed{home: h}
	return &homeReading{home: h, now: h.r.opts.Now().Unix(), own: own, header: &header{}, sources: []entrySource{own}}
}

// candidate is an activity that a page may show, with its entries: all of them, or those
// that one read found.
type candidate struct {
	CacheKey
	entries  []entryItem
	twins    []entryItem // entries in the window below it that are about the same thing
	activity *Activity   // if it shows
}

// inCandidates groups consecutive entries by their activity.
func inCandidates(entries []entryItem) []candidate {
	found := make([]candidate, 0, len(entries)) // usually each has one entry
	for from, entry := range entries {
		key := entry.Key.CacheKey
		if n := len(found); n == 0 || found[n-1].CacheKey != key {
			found = append(found, candidate{CacheKey: key, entries: entries[from:from]})
		}
		last := &found[len(found)-1]
		last.entries = last.entries[:len(last.entries)+1]
	}
	return found
}

// query reads the entries of a reach from all sources, nearest first, and the
// gap after them. With outboxes it may take several rounds of requests, and
// leaves spare ones for later.
func (p *homeReading) query(ctx context.Context, reach store.Reach, spare int) (entries []entryItem, rest string, err error) {
	if !p.own.headerRead {
		entries, rest, err = p.begin(ctx, reach)
		if err != nil || !p.pulls {
			return entries, rest, err
		}
	}
	rounds := 1
	if p.pulls {
		rounds = max(maxQueries-p.queries-spare, 0)
	}
	return p.merged(ctx, reach, rounds)
}

// begin makes the first query of the page, of the home's own entries, and reads the
// header unless it can come with the activities.
func (p *homeReading) begin(ctx context.Context, reach store.Reach) (entries []entryItem, rest string, err error) {
	var header dynamo.Item
	reads := []func(context.Context) error{
		func(ctx context.Context) (err error) { entries, rest, err = p.merged(ctx, reach, 1); return err },
		func(ctx context.Context) (err error) { header, err = p.home.headerItem(ctx); return err },
	}
	first := reads
	if !p.pulls || reach.Ascending() { // upwards, the query may return the header
		first = reads[:1]
	}
	err = parallel.ForEach(ctx, len(first), len(first), func(ctx context.Context, i int) error { return first[i](ctx) })
	switch {
	case err != nil:
		return nil, "", err
	case p.own.headerRead:
		header = p.own.header
	case !p.pulls:
		return entries, rest, nil
	case len(first) == 1:
		if err := reads[1](ctx); err != nil {
			return nil, "", err
		}
	}
	return entries, rest, p.setHeader(header)
}

// setHeader is given the home's header, or nil if it has none. It decides the plan.
func (p *homeReading) setHeader(item dynamo.Item) (err error) {
	if p.header, err = p.home.r.parseHeader(item); err != nil {
		return err
	}
	p.own.headerRead = true
	p.outboxes = p.home.outboxes(p.header, time.Unix(p.now, 0))
	p.sources = slices.Grow(p.sources, len(p.outboxes))
	for _, outbox := range p.outboxes {
		p.sources = append(p.sources, outbox)
	}
	p.pulls = len(p.sources) > 1
	return nil
}

// mayShow reports whether the entry is neither expired nor hidden. Before the
// header is read, it reports true for hidden ones.
func (p *homeReading) mayShow(entry entryItem) bool {
	return entry.TTL > p.now && !p.header.hides(entry)
}

// merged reads up to reach.Limit entries of all sources in the order of a home. An
// activity that two sources return is shown once.
func (p *homeReading) merged(ctx context.Context, reach store.Reach, rounds int) ([]entryItem, string, error) {
	union := store.Union[entryItem]{
		Sources:   len(p.sources),
		Ascending: reach.Ascending(),
		Gap:       reach.Gap,
		Kept:      &p.kept,
		Read: func(ctx context.Context, i int, gap string) ([]entryItem, string, error) {
			return p.sources[i].entries(ctx, gap, reach.Ascending(), reach.Limit)
		},
		Ready:   func(i int, gap string) bool { return p.sources[i].ready(gap, reach.Ascending()) },
		Place:   func(e *entryItem) string { return e.Key.String() },
		Compare: compareEntries,
		Join: func(a, b entryItem) entryItem {
			if p.mayShow(a) {
				return a
			}
			return b // edges of two sources may have one id
		},
	}
	before := p.kept.Rounds
	entries, rest, err := union.Rows(ctx, reach.Limit, rounds)
	p.queries += p.kept.Rounds - before
	return entries, rest, err
}

// compareEntries orders entries by their keys' text, which begins with the id.
func compareEntries(a, b *entryItem) int {
	if order := cmp.Compare(a.Key.ID, b.Key.ID); order != 0 {
		return order
	}
	return strings.Compare(a.Key.String(), b.Key.String())
}
