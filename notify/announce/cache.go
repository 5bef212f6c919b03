package announce

import (
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// cache keeps readings of audiences, up to a total number of announcements. It is
// safe for concurrent use.
type cache struct {
	size int
	now  func() time.Time

	mu       sync.Mutex
	readings *simplelru.LRU[string, reading]
	held     int // announcements
}

func newCache(size int, now func() time.Time) (*cache, error) {
	c := &cache{size: size, now: now}
	// An audience without announcements counts as one.
	readings, err := simplelru.NewLRU(size, func(_ string, old reading) { c.held -= old.weight() })
	c.readings = readings
	return c, err
}

func (r reading) weight() int { return max(1, len(r.announcements)) }

// get returns a fresh reading. Callers must not change its announcements.
func (c *cache) get(audience string) (reading, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	found, ok := c.readings.Get(audience)
	return found, ok && found.fresh(c.now())
}

// put keeps the later reading: one that was given up may end after the next.
func (c *cache) put(audience string, r reading) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if kept, ok := c.readings.Peek(audience); ok && kept.at.After(r.at) && kept.fresh(c.now()) {
		return
	}
	c.readings.Remove(audience)
	c.readings.Add(audience, r)
	c.held += r.weight()
	for c.held > c.size {
		c.readings.RemoveOldest()
	}
}
