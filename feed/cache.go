package feed

import (
	"cmp"
	"context"
	"fmt"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/internal/share"
)

// CacheKey addresses an activity by the owner of its outbox and its ID.
type CacheKey struct {
	Owner string
	ID    ids.ID
}

// Cached is an activity, or the knowledge that it is gone.
type Cached struct {
	Activity Activity
	Gone     bool
}

// Cache keeps activities that homes refer to. After an edit or a removal in one
// process, readers in another see the change once its cache has forgotten the
// activity; Options.Consistent bypasses the cache. A Cache is safe for
// concurrent use. On failure it omits the key.
type Cache interface {
	// Get returns the cached ones of keys.
	Get(ctx context.Context, keys []CacheKey) map[CacheKey]Cached
	// Put stores activities that were just read or written.
	Put(ctx context.Context, found map[CacheKey]Cached)
}

// MemoryCache is a Cache in this process.
type MemoryCache struct {
	entries *lru.Cache[CacheKey, memoryEntry]
	ttl     time.Duration
	now     func() time.Time
}

type memoryEntry struct {
	Cached
	put time.Time
}

// MemoryCacheOptions of NewMemoryCache. The zero value works.
type MemoryCacheOptions struct {
	Size int              // in activities. Defaults to 10,000.
	TTL  time.Duration    // Defaults to 30 s.
	Now  func() time.Time // Defaults to time.Now.
}

// NewMemoryCache returns a cache that drops the least recently used activity
// beyond its Size, and each after its TTL. An activity has up to MaxActivity
// bytes.
func NewMemoryCache(opts *MemoryCacheOptions) (*MemoryCache, error) {
	o := args.Given(opts)
	if o.Now == nil {
		o.Now = time.Now
	}
	err := cmp.Or(
		args.DefaultAtLeast("Size", &o.Size, 10_000, 0),
		args.DefaultAtLeast("TTL", &o.TTL, 30*time.Second, 0),
	)
	if err != nil {
		return nil, err
	}
	entries, err := lru.New[CacheKey, memoryEntry](o.Size)
	if err != nil {
		return nil, fmt.Errorf("feed: cache: %w", err)
	}
	return &MemoryCache{entries: entries, ttl: o.TTL, now: o.Now}, nil
}

// Get returns the cached ones of keys.
//
// Cost: none.
func (c *MemoryCache) Get(_ context.Context, keys []CacheKey) map[CacheKey]Cached {
	now := c.now()
	known := make(map[CacheKey]Cached, len(keys))
	for _, key := range keys {
		if entry, ok := c.entries.Get(key); ok && share.Fresh(entry.put, now, c.ttl) {
			known[key] = entry.Cached
		}
	}
	return known
}

// Put caches found.
//
// Cost: none.
func (c *MemoryCache) Put(_ context.Context, found map[CacheKey]Cached) {
	now := c.now()
	for key, cached := range found {
		c.entries.Add(key, memoryEntry{cached, now})
	}
}
