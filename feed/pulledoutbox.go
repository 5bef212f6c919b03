package feed

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/store"
)

// pulledOutbox is a part of an outbox that a home reads: the ids from low to below
// end.
type pulledOutbox struct {
	home     Home
	source   string
	edge     ids.ID // the newest by which the home reads any of it
	low, end ids.ID
	reads    [2]int // down and up

	newest *newest   // what the page knows from the cache
	asOf   time.Time // when the read of newest began; zero until the page uses it
}

// noEnd is the end of an outbox that is read to its newest activity.
const noEnd = store.MaxID + 1

// outboxes returns the parts of outboxes that a header names. No two overlap.
func (h Home) outboxes(head *header, now time.Time) []*pulledOutbox {
	lowest := h.lowest(head, now)
	pulls := head.pulls(lowest)
	slices.SortFunc(pulls, func(a, b edgePull) int {
		return cmp.Or(strings.Compare(a.Source, b.Source), cmp.Compare(a.Since, b.Since))
	})
	var outboxes []*pulledOutbox
	var last *pulledOutbox
	for _, pull := range pulls {
		low := max(pull.Since, lowest)
		if last == nil || last.source != pull.Source || low > last.end {
			last = &pulledOutbox{home: h, source: pull.Source, low: low}
			outboxes = append(outboxes, last)
		}
		last.end = max(last.end, cmp.Or(pull.Until, noEnd))
		last.edge = max(last.edge, pull.edge)
	}
	return outboxes
}

// entries implements entrySource. It ignores the limit: each read asks for twice as many
// items as the last.
func (p *pulledOutbox) entries(ctx context.Context, gap string, ascending bool, _ int) (entries []entryItem, rest string, err error) {
	low, end, rest, some := p.beyond(gap, ascending)
	if !some {
		return nil, rest, nil
	}
	items, next, err := p.read(ctx, low, end, ascending)
	if err != nil {
		return nil, "", err
	}
	entries = make([]entryItem, 0, len(items))
	for _, item := range items {
		entry := p.entry(item)
		if gap == "" || (entry.Key.String() >= gap) == ascending {
			entries = append(entries, entry)
		}
	}
	switch {
	case next == "", ascending && next >= p.end.String(), !ascending && next <= p.low.String():
		return entries, "", nil
	}
	return entries, next, nil
}

// ready also keeps the cached items that it finds, so that entries answers from them.
func (p *pulledOutbox) ready(gap string, ascending bool) bool {
	low, end, _, some := p.beyond(gap, ascending)
	return !some || p.remembers(low, end, ascending)
}

// beyond returns the part of the outbox to read next from a gap: the ids from low to
// below end. If none are that near, some is false and rest is the gap at which they
// begin, "" if there are no more. So a page that ends before them needs no request.
func (p *pulledOutbox) beyond(gap string, ascending bool) (low, end ids.ID, rest string, some bool) {
	low, end = p.low, p.end
	id, inside := idOf(gap)
	switch {
	case ascending && id >= end, !ascending && gap != "" && (id < low || id == low && !inside):
		return 0, 0, "", false
	case ascending && id < low:
		return 0, 0, low.String(), false
	case ascending:
		low = id
	case end != noEnd && (gap == "" || id > end || id == end && inside):
		return 0, 0, end.String(), false
	case inside:
		end = id + 1
	case gap != "":
		end = id
	}
	return low, end, "", true
}

// idOf returns the id with which a home's gap begins. inside reports whether some
// entry of that id may lie below the gap.
func idOf(gap string) (id ids.ID, inside bool) {
	size := min(len(gap), len(noEnd.String()))
	id, _ = ids.Parse(gap[:size])
	return id, len(gap) > size
}

// read returns items of the outbox, nearest first: those in the cache, or 8 in the
// first read and twice as many in each further one, at most 256. rest is the id at
// which it ended.
func (p *pulledOutbox) read(ctx context.Context, low, end ids.ID, ascending bool) (items []pulledItem, rest string, err error) {
	if items, rest, ok, err := p.cached(ctx, low, end, ascending); ok || err != nil {
		return items, rest, err
	}
	reads := &p.reads[0]
	if ascending {
		reads = &p.reads[1]
	}
	span := store.Span{
		PK:         outboxPK(p.source),
		From:       low.String(),
		To:         (end - 1).String() + afterEntry,
		Ascending:  ascending,
		Limit:      8 << min(*reads, maxQueries-1), // a window of large items takes many reads
		Consistent: p.home.r.opts.Consistent,
		Only:       pulledAttributes(),
	}
	*reads++
	items, rest, err = store.Read[pulledItem](ctx, p.home.r.table, span)
	if rest != "" {
		rest = store.FirstID(rest).String() // also where that key is damaged
	}
	return items, rest, err
}

// cached returns what read would, from the items that this process remembers. ok is
// false if the first of them may not be among these.
func (p *pulledOutbox) cached(ctx context.Context, low, end ids.ID, ascending bool) (items []pulledItem, rest string, ok bool, err error) {
	cache, first := p.home.r.pullCache, firstOf(low, end, ascending)
	if cache == nil || cache.lacks(p.source, first) {
		return nil, "", false, nil
	}
	if p.newest == nil { // a page uses the same items throughout
		found, err := cache.newest(ctx, p.source)
		if err != nil {
			return nil, "", false, err
		}
		p.newest = &found
	}
	known := p.newest
	if first <= known.end {
		return nil, "", false, nil
	}
	items = known.items
	for len(items) > 0 && items[0].ID >= end {
		items = items[1:]
	}
	for len(items) > 0 && items[len(items)-1].ID < low {
		items = items[:len(items)-1]
	}
	switch {
	case ascending:
		items = slices.Clone(items)
		slices.Reverse(items)
	case low < known.end:
		rest = known.end.String()
	}
	p.asOf = known.start
	return items, rest, true, nil
}

// remembers finds items for cached, without a request. It reports whether the first
// item to read is among them.
func (p *pulledOutbox) remembers(low, end ids.ID, ascending bool) bool {
	cache, first := p.home.r.pullCache, firstOf(low, end, ascending)
	if cache == nil || cache.lacks(p.source, first) {
		return false
	}
	if p.newest == nil {
		found, ok := cache.known(p.source)
		if !ok {
			return false
		}
		p.newest = &found
	}
	return first > p.newest.end
}

// firstOf is the id that is read first of those from low to below end.
func firstOf(low, end ids.ID, ascending bool) ids.ID {
	if ascending {
		return low
	}
	return end - 1
}

// entry returns the item as if a delivery by the newest edge had brought it.
func (p *pulledOutbox) entry(item pulledItem) entryItem {
	entry := entryItem{Key: entryKey{CacheKey{cmp.Or(item.Owner, p.source), item.ID}, p.edge}, About: item.About}
	if entry.Key.Owner != p.source {
		entry.Source = p.source
	}
	if item.Removed == 0 { // a tombstone counts as an entry, and never shows
		entry.TTL = p.home.r.expiry(item.ID).Unix()
	}
	return entry
}
