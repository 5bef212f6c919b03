package feed

import (
	"context"
	"fmt"
	"slices"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/store"
)

// List lists the activities of the reader's sources, newest first, except those that
// Options hide. If many activities are hidden, or if activities came by several
// follows, a page may be short, or empty with a Next. Read upwards, it may be empty
// with a Prev that differs from its cursor.
//
// A home also reads the outboxes of its Pulled sources, at most 500. If a cursor was
// made before the home read its first outbox, its page costs twice as much.
//
// Cost: 2 requests, at most 12 RCU for a page of 20; for each outbox 1 request, 1 RCU
// more; past hidden entries 6 queries.
//
//plaza:cost a page of 20: 2 requests, 12 RCU
//plaza:cost with a Filter: 2 requests, 12 RCU
//plaza:cost with Options.About: 2 requests, 13 RCU
//plaza:cost 90 % of it in the cache: 2 requests, 3 RCU
//plaza:cost each outbox, up to 8 activities of 1 KB: 1 request, 1 RCU
//plaza:cost each of up to 5 more reads of an outbox, for twice as many as the last: 1 request
//plaza:cost with outboxes, from a cursor, each 4 KB of the home's header: 1 request, 0.5 RCU
//plaza:cost no entry below a cursor: 2 requests, 1 RCU
//plaza:cost each activity below the page that one on it may repeat: 0.5 RCU
//plaza:cost upwards with Options.About: 1 request
//plaza:cost each 1 MB of an outbox within the RepostWindow: 1 request
//plaza:cost the queries past hidden entries: 6 requests
//plaza:cost each 100 activities that hidden entries name: 1 request
//plaza:cost each query with activities that were erased or that a replica lacks: 1 request
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
	list := store.List[candidate, Activity]{
		Codec: h.r.opts.Codec,
		Scope: cursor.Scope{List: "feed/home", Partition: h.reader},
		Order: store.Order[candidate]{
			Below: func(c candidate) string { return belowActivity(c.CacheKey) },
			Above: func(c candidate) string { return aboveActivity(c.CacheKey) },
			Valid: validGap,
		},
		Depth: h.r.opts.HomeCap,
		Item:  func(c candidate) Activity { return *c.activity },
		Read:  reading.read,
		Show: func(_ context.Context, found []candidate) ([]candidate, error) {
			return slices.DeleteFunc(found, func(c candidate) bool { return c.activity == nil }), nil
		},
		Note: &reading.pulls,
	}
	return list.Page(ctx, req)
}

// read returns the candidates of a reach. Those that show have their activity.
func (p *homeReading) read(ctx context.Context, reach store.Reach) ([]candidate, string, error) {
	found, rest, err := p.candidates(ctx, reach)
	if err != nil {
		return nil, "", err
	}
	if reach.Up {
		found, rest = p.upTo(found, rest)
	} else {
		found, rest = p.downTo(found, rest)
	}
	pulled := p.pulls
	activities, err := p.hydrate(ctx, found)
	switch {
	case err != nil:
		return nil, "", err
	case p.pulls && !pulled: // the header came with the activities, and names outboxes
		return p.read(ctx, reach)
	}
	if activities, err = p.home.filter(ctx, activities); err != nil {
		return nil, "", err
	}
	p.decide(found, activities)
	return found, rest, nil
}

// candidates reads the candidates of a reach, with their twins if Options.About is set.
func (p *homeReading) candidates(ctx context.Context, reach store.Reach) ([]candidate, string, error) {
	switch {
	case p.home.r.opts.About == nil:
		entries, rest, err := p.query(ctx, reach, 0) // it may end within the last candidate
		return inCandidates(entries), rest, err
	case reach.Up:
		return p.pairedUp(ctx, reach)
	}
	return p.pairedDown(ctx, reach)
}

// downTo ends the list at the floor.
func (p *homeReading) downTo(found []candidate, rest string) ([]candidate, string) {
	if end := slices.IndexFunc(found, func(c candidate) bool { return c.ID < p.header.Floor }); end >= 0 {
		return found[:end], ""
	}
	return found, rest
}

// upTo ends candidates read upwards at the point from which a remembered outbox may
// lack some: a reader who continued above them would never see the missing ones.
func (p *homeReading) upTo(found []candidate, rest string) ([]candidate, string) {
	for _, outbox := range p.outboxes {
		complete := ids.At(outbox.asOf.Add(-pullCacheDelay))
		if outbox.asOf.IsZero() || outbox.end <= complete {
			continue
		}
		if past := slices.IndexFunc(found, func(c candidate) bool { return c.ID >= complete }); past >= 0 {
			found, rest = found[:past], ""
		} else if rest > complete.String() {
			rest = ""
		}
	}
	return found, rest
}

// hydrate reads the activities that the candidates and their twins name, except those
// of hidden entries. If the header is not known yet, it comes with them.
func (p *homeReading) hydrate(ctx context.Context, found []candidate) ([]Activity, error) {
	wanted := p.wanted(found)
	var late store.Key // the header's, if it is not known yet
	if !p.own.headerRead {
		late = headerKey(p.home.reader)
	} else if len(wanted) == 0 {
		return nil, nil
	}
	cached, item, err := p.home.r.hydrator.read(ctx, wanted, late)
	if err == nil && late != (store.Key{}) {
		if err = p.setHeader(item); err == nil && p.header.hidesAny() {
			wanted = p.wanted(found)
		}
	}
	if err != nil {
		return nil, err
	}
	activities := make([]Activity, 0, len(wanted))
	for _, key := range wanted {
		if c, ok := cached[key]; ok && !c.Gone {
			a := c.Activity
			if p.home.r.hydrator.cache != nil { // other pages have it too
				a = a.clone()
			}
			a.Owner = key.Owner
			activities = append(activities, a)
		}
	}
	return activities, nil
}

// wanted are the activities of the visible entries of the candidates, and then those
// of their twins.
func (p *homeReading) wanted(found []candidate) []CacheKey {
	wanted := make([]CacheKey, 0, len(found))
	asked := make(map[CacheKey]bool, len(found))
	ask := func(entries []entryItem) {
		for _, entry := range entries {
			if key := entry.Key.CacheKey; !asked[key] && p.mayShow(entry) {
				asked[key] = true
				wanted = append(wanted, key)
			}
		}
	}
	for _, c := range found {
		ask(c.entries)
	}
	for _, c := range found {
		ask(c.twins)
	}
	return wanted
}

// decide sets the activity of each candidate that shows: an entry of it is visible and
// does not repeat an activity just below.
func (p *homeReading) decide(found []candidate, activities []Activity) {
	visible := make(map[CacheKey]*Activity, len(activities))
	for i := range activities {
		visible[CacheKey{activities[i].Owner, activities[i].ID}] = &activities[i]
	}
	for i := range found {
		c := &found[i]
		if a := visible[c.CacheKey]; a != nil && slices.ContainsFunc(c.entries, func(entry entryItem) bool {
			return p.mayShow(entry) && !p.repeats(entry, c.twins, visible)
		}) {
			c.activity = a
		}
	}
}

// repeats reports whether one of the twins shows what the entry is about.
func (p *homeReading) repeats(entry entryItem, twins []entryItem, visible map[CacheKey]*Activity) bool {
	return slices.ContainsFunc(twins, func(twin entryItem) bool {
		return twin.About == entry.About && p.mayShow(twin) && visible[twin.Key.CacheKey] != nil
	})
}
