package prefs

import (
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/plaza-sdk/plaza/internal/share"
)

// cache keeps the settings of users for a limited time. It is safe for concurrent
// use.
type cache struct {
	ttl time.Duration
	now func() time.Time

	mu    sync.Mutex
	users *simplelru.LRU[string, cached]
}

type cached struct {
	settings
	at time.Time // when the read began
}

func newCache(size int, ttl time.Duration, now func() time.Time) (*cache, error) {
	users, err := simplelru.NewLRU[string, cached](size, nil)
	return &cache{ttl: ttl, now: now, users: users}, err
}

func (c *cache) get(user string) (settings, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.fresh(user)
}

func (c *cache) fresh(user string) (settings, bool) {
	found, ok := c.users.Get(user)
	if !ok || !share.Fresh(found.at, c.now(), c.ttl) {
		return settings{}, false
	}
	return found.settings, true
}

// put keeps s, whose read began at that time, unless newer settings were put
// meanwhile. It returns the newer ones.
func (c *cache) put(user string, s settings, at time.Time) settings {
	c.mu.Lock()
	defer c.mu.Unlock()
	if held, ok := c.fresh(user); ok && held.op > s.op {
		return held
	}
	c.users.Add(user, cached{s, at})
	return s
}

func (c *cache) drop(user string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.users.Remove(user)
}
