package feed

import (
	"context"
	"fmt"
	"slices"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/share"
	"github.com/plaza-sdk/plaza/internal/store"
)

const (
	maxPullCache   = 100_000
	pullCacheRows  = 40
	pullCacheTTL   = 5 * time.Second
	pullCacheDelay = time.Second // from an activity's id to where every read finds it
)

// pullCache remembers the newest rows of outboxes that homes read. Readers who
// miss the same outbox at the same time share one read.
type pullCache struct {
	outboxes *lru.Cache[string, newest]
	reads    share.Group[string, newest]
	read     func(ctx context.Context, owner string) (newest, error) // by one request
	now      func() time.Time
}

// newest has the newest rows of an outbox as of the start of a read. Readers
// share the rows and must not change them.
type newest struct {
	rows  []pulledItem // newest first
	end   ids.ID       // no row with this id or a greater one is missing
	start time.Time    // set by pullCache
}

func newPullCache(size int, now func() time.Time, read func(context.Context, string) (newest, error)) (*pullCache, error) {
	outboxes, err := lru.New[string, newest](size)
	if err != nil {
		return nil, fmt.Errorf("feed: pull cache: %w", err)
	}
	return &pullCache{outboxes: outboxes, read: read, now: now}, nil
}

// lacks reports whether the rows from first on are known to lie below those that
// the cache would read.
func (c *pullCache) lacks(owner string, first ids.ID) bool {
	found, ok := c.outboxes.Peek(owner) // even if it is old: newer rows only push others out
	return ok && first <= found.end
}

// newest returns rows that are no older than pullCacheTTL when it is called.
func (c *pullCache) newest(ctx context.Context, owner string) (newest, error) {
	called := c.now()
	found, err := c.shared(ctx, owner)
	if err == nil && called.Sub(found.start) >= pullCacheTTL { // another caller's read, which began long ago
		return c.shared(ctx, owner)
	}
	return found, err
}

func (c *pullCache) shared(ctx context.Context, owner string) (newest, error) {
	if found, ok := c.known(owner); ok {
		return found, nil
	}
	return c.reads.Do(ctx, owner, func(ctx context.Context) (newest, error) {
		if found, ok := c.known(owner); ok { // from a read that has just ended
			return found, nil
		}
		start := c.now()
		found, err := c.read(ctx, owner)
		if err != nil {
			return newest{}, err
		}
		found.start = start
		c.outboxes.Add(owner, found)
		return found, nil
	})
}

func (c *pullCache) known(owner string) (newest, bool) {
	found, ok := c.outboxes.Get(owner)
	return found, ok && share.Fresh(found.start, c.now(), pullCacheTTL)
}

// newest reads the rows of an outbox for the pull cache.
func (r *Repository) newest(ctx context.Context, owner string) (newest, error) {
	rows, rest, err := store.Read[pulledItem](ctx, r.table, store.Span{PK: outboxPK(owner), To: aboveIDs, Limit: pullCacheRows, Only: pulledAttributes()})
	found := newest{rows: rows}
	if rest != "" {
		found.end = store.FirstID(rest)
	}
	return found, err
}

// cached returns what read would, from the rows that this process remembers. ok is
// false if the first of them may not be among these.
func (p *pulledOutbox) cached(ctx context.Context, low, end ids.ID, ascending bool) (rows []pulledItem, rest string, ok bool, err error) {
	cache, first := p.home.r.pullCache, firstOf(low, end, ascending)
	if cache == nil || cache.lacks(p.source, first) {
		return nil, "", false, nil
	}
	if p.newest == nil { // a page uses the same rows throughout
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
	rows = known.rows
	for len(rows) > 0 && rows[0].ID >= end {
		rows = rows[1:]
	}
	for len(rows) > 0 && rows[len(rows)-1].ID < low {
		rows = rows[:len(rows)-1]
	}
	switch {
	case ascending:
		rows = slices.Clone(rows)
		slices.Reverse(rows)
	case low < known.end:
		rest = known.end.String()
	}
	p.asOf = known.start
	return rows, rest, true, nil
}

// remembers finds rows for cached, without a request. It reports whether the first
// row to read is among them.
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

// upTo ends rows read upwards at the point from which a remembered outbox may
// lack some: a reader who continued above them would never see the missing ones.
func (p *homeReading) upTo(rows []homeRow, rest string) ([]homeRow, string) {
	for _, outbox := range p.outboxes {
		complete := ids.At(outbox.asOf.Add(-pullCacheDelay))
		if outbox.asOf.IsZero() || outbox.end <= complete {
			continue
		}
		if past := slices.IndexFunc(rows, func(row homeRow) bool { return row.ID >= complete }); past >= 0 {
			rows, rest = rows[:past], ""
		} else if rest > complete.String() {
			rest = ""
		}
	}
	return rows, rest
}
