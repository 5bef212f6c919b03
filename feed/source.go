package feed

import (
	"context"
	"strings"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/store"
)

// source reads the entries of a reach, nearest first, by one request. rest is
// the gap at which the request ended, "" if there are no more. A home's page
// consists of the entries of all its sources.
type source func(ctx context.Context, reach store.Reach) (entries []entryItem, rest string, err error)

// merged reads the entries of several sources in the order of a home. An
// activity that two sources return is shown once.
func merged(ctx context.Context, sources []source, reach store.Reach) ([]entryItem, string, error) {
	merge := store.Merge[entryItem]{
		Sources:   len(sources),
		Ascending: reach.Ascending(),
		Read: func(ctx context.Context, i int, _ string) ([]entryItem, string, error) {
			return sources[i](ctx, reach) // a single request
		},
		Place:   func(e *entryItem) string { return e.Key.String() },
		Compare: func(a, b *entryItem) int { return strings.Compare(a.Key.String(), b.Key.String()) },
		Join:    func(a, _ entryItem) entryItem { return a },
	}
	return merge.Rows(ctx, reach.Limit, 1)
}

// pushed is the source of the entries that deliveries wrote into the home.
func (h Home) pushed(ctx context.Context, reach store.Reach) (entries []entryItem, rest string, err error) {
	span := reach.Span(homePK(h.reader))
	span.Consistent = h.r.opts.Consistent
	if span.To == "" {
		span.To = aboveIDs // not the header
	}
	entries, rest, err = store.Read[entryItem](ctx, h.r.table, span)
	if err != nil || rest == "" || validGap(rest) {
		return entries, rest, err
	}
	// The key of the last one is damaged and is no gap.
	if n := len(entries); n > 0 {
		rest = entries[n-1].Key.String()
		if reach.Up {
			rest += afterEntry
		}
		return entries, rest, nil
	}
	// All keys are damaged: the page continues after their id.
	id, err := ids.Parse(rest[:min(len(rest), len(ids.ID(0).String()))])
	if err != nil {
		return nil, "", h.r.table.Corrupt(store.Key{PK: span.PK, SK: rest}, "its key names no activity")
	}
	if reach.Up {
		id++
	}
	return nil, id.String(), nil
}
