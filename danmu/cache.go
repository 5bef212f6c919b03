package danmu

import (
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/plaza-sdk/plaza/internal/share"
)

// cache keeps parts for a limited time, up to a total number of comments. It is safe
// for concurrent use.
type cache struct {
	size int
	ttl  time.Duration
	now  func() time.Time

	mu    sync.Mutex
	parts *simplelru.LRU[part, cached]
	held  int // comments in parts
}

type cached struct {
	comments []Comment
	read     time.Time
}

func newCache(size int, ttl time.Duration, now func() time.Time) (*cache, error) {
	c := &cache{size: size, ttl: ttl, now: now}
	// Empty parts count as one comment.
	parts, err := simplelru.NewLRU(size, func(_ part, old cached) { c.held -= old.weight() })
	c.parts = parts
	return c, err
}

func (c cached) weight() int { return max(1, len(c.comments)) }

func (c *cache) get(p part) ([]Comment, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	found, ok := c.parts.Get(p)
	if ok && !share.Fresh(found.read, c.now(), c.ttl) {
		c.parts.Remove(p)
		ok = false
	}
	return found.comments, ok
}

func (c *cache) put(p part, comments []Comment) {
	c.mu.Lock()
	defer c.mu.Unlock()
	entry := cached{comments, c.now()}
	c.parts.Remove(p)
	c.parts.Add(p, entry)
	c.held += entry.weight()
	for c.held > c.size {
		c.parts.RemoveOldest()
	}
}
