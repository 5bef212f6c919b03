package ratelimit

import (
	"context"
	"fmt"
	"hash/maphash"
	"slices"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
)

// maxBuckets bounds the memory of a Memory.
const maxBuckets = 100_000

// Memory is a Limiter for this process. It remembers the latest 100,000 pairs of
// a user and an object, and the last 16 attempts of each.
type Memory struct {
	rate Rate
	now  func() time.Time
	seed maphash.Seed

	mu      sync.Mutex
	buckets *lru.Cache[bucketKey, bucket]
}

type bucketKey struct{ object, user string }

type bucket struct {
	full     time.Time
	attempts []uint64 // hashes, since users may choose long ids
}

// NewMemory returns a limiter that has counted nothing yet.
func NewMemory(rate Rate, opts *Options) (*Memory, error) {
	if err := rate.setDefaults(); err != nil {
		return nil, err
	}
	buckets, err := lru.New[bucketKey, bucket](maxBuckets)
	if err != nil {
		return nil, fmt.Errorf("ratelimit: memory: %w", err)
	}
	return &Memory{rate: rate, now: opts.withDefaults().Now, seed: maphash.MakeSeed(), buckets: buckets}, nil
}

// Take counts an attempt, as Limiter says.
//
// Cost: none.
func (m *Memory) Take(_ context.Context, a Attempt) (time.Duration, error) {
	if err := a.check(); err != nil {
		return 0, err
	}
	key, id := bucketKey{a.Object, a.User}, maphash.String(m.seed, a.ID)
	m.mu.Lock()
	defer m.mu.Unlock()
	b, _ := m.buckets.Get(key)
	if slices.Contains(b.attempts, id) {
		return 0, nil
	}
	next, wait := m.rate.take(b.full, m.now())
	if wait == 0 {
		m.buckets.Add(key, bucket{next, latest(b.attempts, id)})
	}
	return wait, nil
}
