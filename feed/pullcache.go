package feed

import (
	"context"
	"fmt"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/share"
	"github.com/plaza-sdk/plaza/internal/store"
)

const (
	maxPullCache   = 100_000
	pullCacheItems = 40
	pullCacheTTL   = 5 * time.Second
	pullCacheDelay = time.Second // from an activity's id to where every read finds it
)

// pullCache remembers the newest items of outboxes that homes read. Readers who
// miss the same outbox at the same time share one read.
type pullCache struct {
	outboxes *lru.Cache[string, newest]
	reads    share.Group[string, newest]
	read     func(ctx context.Context, owner string) (newest, error) // by one request
	now      func() time.Time
}

// newest has the newest items of an outbox as of the start of a read. Readers
// share the items and must not change them.
type newest struct {
	items []pulledItem // newest first
	end   ids.ID       // no item with this id or a greater one is missing
	start time.Time    // set by pullCache
}

func newPullCache(size int, now func() time.Time, read func(context.Context, string) (newest, error)) (*pullCache, error) {
	outboxes, err := lru.New[string, newest](size)
	if err != nil {
		return nil, fmt.Errorf("feed: pull cache: %w", err)
	}
	return &pullCache{outboxes: outboxes, read: read, now: now}, nil
}

// lacks reports whether the items from first on are known to lie below those that
// the cache would read.
func (c *pullCache) lacks(owner string, first ids.ID) bool {
	found, ok := c.outboxes.Peek(owner) // even if it is old: newer items only push others out
	return ok && first <= found.end
}

// newest returns items that are no older than pullCacheTTL when it is called.
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

// newest reads the items of an outbox for the pull cache.
func (r *Repository) newest(ctx context.Context, owner string) (newest, error) {
	items, rest, err := store.Read[pulledItem](ctx, r.table, store.Span{PK: outboxPK(owner), To: aboveIDs, Limit: pullCacheItems, Only: pulledAttributes()})
	found := newest{items: items}
	if rest != "" {
		found.end = store.FirstID(rest)
	}
	return found, err
}
