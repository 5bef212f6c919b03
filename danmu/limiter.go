package danmu

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/plaza-sdk/plaza"
)

// ErrRate is returned for comments that come too fast. It unwraps to
// plaza.ErrBusy; a *RateError says when to repeat.
var ErrRate = fmt.Errorf("danmu: too many comments: %w", plaza.ErrBusy)

// RateError refuses a comment that comes too fast. Nothing was stored. It unwraps
// to ErrRate.
type RateError struct {
	RetryAfter time.Duration
}

func (e *RateError) Error() string {
	return fmt.Sprintf("danmu: too many comments, wait %v", e.RetryAfter)
}

func (e *RateError) Unwrap() error { return ErrRate }

// Limiter bounds how often a user may send to an object. It is safe for concurrent
// use.
type Limiter interface {
	// Take counts an attempt and returns 0, or counts nothing and returns how long
	// the user must wait. It does not count a recent attempt twice.
	Take(ctx context.Context, a Attempt) (wait time.Duration, err error)
}

// Attempt is the sending of one comment, repeats included.
type Attempt struct {
	Object string
	ID     ID
	User   string
}

// Unlimited is a Limiter that lets everything pass.
type Unlimited struct{}

// Take returns 0.
//
// Cost: none.
func (Unlimited) Take(context.Context, Attempt) (time.Duration, error) { return 0, nil }

// Rate allows one comment in each Every, and up to Burst at once.
type Rate struct {
	Every time.Duration // Defaults to 1 s.
	Burst int           // Defaults to 5.
}

// LimiterOptions of a MemoryLimiter or a TableLimiter. The zero value works.
type LimiterOptions struct {
	Now func() time.Time // Defaults to time.Now.

	// OnCorrupt is called with each damaged item that a TableLimiter finds and
	// replaces. Defaults to nothing.
	OnCorrupt func(*plaza.CorruptError)
}

func (o *LimiterOptions) withDefaults() LimiterOptions {
	full := LimiterOptions{}
	if o != nil {
		full = *o
	}
	if full.Now == nil {
		full.Now = time.Now
	}
	return full
}

func (rate *Rate) setDefaults() error {
	rate.Every = cmp.Or(rate.Every, time.Second)
	rate.Burst = cmp.Or(rate.Burst, 5)
	switch {
	case rate.Every < 0 || rate.Every%time.Millisecond != 0:
		return &plaza.InvalidError{Field: "Rate.Every", Reason: fmt.Sprintf("is %v, whole milliseconds are allowed", rate.Every)}
	case rate.Burst < 1:
		return &plaza.InvalidError{Field: "Rate.Burst", Reason: fmt.Sprintf("is %d", rate.Burst)}
	}
	return nil
}

// take is the generic cell rate algorithm. full is the time when the whole burst is
// available again. take returns the next such time, or how long to wait.
func (rate Rate) take(full, now time.Time) (next time.Time, wait time.Duration) {
	if full.Before(now) {
		full = now
	}
	next = full.Add(rate.Every)
	return next, max(0, next.Sub(now)-time.Duration(rate.Burst)*rate.Every)
}

// maxAttempts is how many attempts of a user a limiter remembers.
const maxAttempts = 16

// latest appends an attempt and drops the oldest beyond maxAttempts.
func latest(attempts []string, id string) []string {
	attempts = append(attempts, id)
	return attempts[max(0, len(attempts)-maxAttempts):]
}

// maxBuckets bounds the memory of a MemoryLimiter.
const maxBuckets = 100_000

// MemoryLimiter is a Limiter for this process. It remembers the latest 100,000
// pairs of a user and an object, and the last 16 comments of each.
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

// NewMemoryLimiter returns a limiter that has counted nothing yet.
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
//
// Cost: none.
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
