package feed

import (
	"context"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/store"
)

// entrySource has entries of a home. A page of a home merges those of all its sources.
type entrySource interface {
	// entries reads up to limit entries from a gap on, nearest first, by one
	// request at most. rest is the gap at which it ended, "" if there are no more.
	entries(ctx context.Context, gap string, ascending bool, limit int) (entries []entryItem, rest string, err error)

	// ready reports whether entries needs no request.
	ready(gap string, ascending bool) bool
}

// maxQueries is the most queries of a page.
const maxQueries = 6

// homeItem is an item of a home's partition: an entry, or the header.
type homeItem struct {
	entryItem
	header dynamo.Item
}

// UnmarshalDynamoItem leaves the header as it is.
func (i *homeItem) UnmarshalDynamoItem(item dynamo.Item) error {
	if store.KeyOf(item).SK == headerSK {
		i.header = item
		return nil
	}
	return store.UnmarshalItem(item, &i.entryItem)
}

// pushed is the entrySource of the entries that deliveries wrote into the home. A read
// that reaches the top of the home also returns the header, unless that was read before.
type pushed struct {
	home       Home
	headerRead bool        // by this source, or otherwise
	header     dynamo.Item // that this source read; nil if there is none
}

func (*pushed) ready(string, bool) bool { return false }

func (p *pushed) entries(ctx context.Context, gap string, ascending bool, limit int) (entries []entryItem, rest string, err error) {
	span := store.Span{PK: homePK(p.home.reader), Ascending: ascending, Limit: limit, Consistent: p.home.r.opts.Consistent}
	if ascending {
		span.From, span.To = gap, aboveIDs
	} else if span.To = gap; gap == "" {
		span.To = aboveIDs
	}
	if p.headerRead || !ascending && gap != "" {
		entries, rest, err = store.Read[entryItem](ctx, p.home.r.table, span)
	} else {
		entries, rest, err = p.withHeader(ctx, span)
	}
	if err != nil || rest == "" || validGap(rest) {
		return entries, rest, err
	}
	// The key of the last one is damaged and is no gap.
	if n := len(entries); n > 0 {
		rest = entries[n-1].Key.String()
		if ascending {
			rest += afterEntry
		}
		return entries, rest, nil
	}
	// All keys are damaged: the page continues after their id.
	id, err := ids.Parse(rest[:min(len(rest), len(ids.ID(0).String()))])
	if err != nil {
		return nil, "", p.home.r.table.Corrupt(store.Key{PK: span.PK, SK: rest}, "its key names no activity")
	}
	if ascending {
		id++
	}
	return nil, id.String(), nil
}

// withHeader reads a span to the top of the home, where the header is.
func (p *pushed) withHeader(ctx context.Context, span store.Span) (entries []entryItem, rest string, err error) {
	span.To = ""
	if !span.Ascending {
		span.Limit++
	}
	items, rest, err := store.Read[homeItem](ctx, p.home.r.table, span)
	if err != nil {
		return nil, "", err
	}
	entries = make([]entryItem, 0, len(items))
	for _, item := range items {
		if item.header != nil {
			p.header = item.header
		} else {
			entries = append(entries, item.entryItem)
		}
	}
	if rest == headerSK+afterEntry {
		rest = ""
	}
	p.headerRead = p.header != nil || rest == "" || !span.Ascending // the top was read, and a header with it
	return entries, rest, nil
}
