package danmu

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
)

// maxBuckets bounds what a MemoryLimiter remembers.
const maxBuckets = 100_000

// MemoryLimiter is a Limiter in this process. It knows the 100,000 pairs of a
// user and an object that sent last, and of each its last 16 comments.
type MemoryLimiter struct {
	rate Rate
	now  func() time.Time

	mu      sync.Mutex
	buckets *lru.Cache[bucketKey, bucket]
}

type bucketKey struct{ object, user string }

type bucket struct {
	full     time.Time
	attempts []string
}

// NewMemoryLimiter returns a limiter that lets everybody begin at once.
func NewMemoryLimiter(rate Rate, opts *LimiterOptions) (*MemoryLimiter, error) {
	if err := rate.setDefaults(); err != nil {
		return nil, err
	}
	buckets, err := lru.New[bucketKey, bucket](maxBuckets)
	if err != nil {
		return nil, fmt.Errorf("danmu: limiter: %w", err)
	}
	return &MemoryLimiter{rate: rate, now: opts.withDefaults().Now, buckets: buckets}, nil
}

// Take counts an attempt, as Limiter says.
func (m *MemoryLimiter) Take(_ context.Context, a Attempt) (time.Duration, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	key, id := bucketKey{a.Object, a.User}, a.ID.String()
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
