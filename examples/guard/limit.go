package guard

import (
	"hash/maphash"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Client is the address that a request came from; of IPv6 the /64, which is one
// subscriber's. Headers such as X-Forwarded-For do not count: anybody may write
// them. Behind a proxy of yours, read what that one appends.
func Client(r *http.Request) string {
	from, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	addr := from.Addr().Unmap().WithZone("")
	if addr.Is4() {
		return addr.String()
	}
	subscriber, err := addr.Prefix(64)
	if err != nil {
		return r.RemoteAddr
	}
	return subscriber.String()
}

// buckets is how many a Rate has. Names that share one share its rate: nobody
// gets a fresh one by making up names, and memory is bounded.
const buckets = 1 << 14

// Rate lets each of any number of names do something so often. It is safe for
// concurrent use.
type Rate struct {
	seed    maphash.Seed // not known outside, so that nobody picks a bucket
	buckets []*rate.Limiter
	now     func() time.Time
}

// NewRate lets a name do burst at once, and then so many a second. Now is the
// clock, time.Now if it is nil.
func NewRate(second float64, burst int, now func() time.Time) *Rate {
	if now == nil {
		now = time.Now
	}
	r := &Rate{seed: maphash.MakeSeed(), buckets: make([]*rate.Limiter, buckets), now: now}
	for i := range r.buckets {
		r.buckets[i] = rate.NewLimiter(rate.Limit(second), burst)
	}
	return r
}

// Take refuses with 429 what is too much; that does not count.
func (r *Rate) Take(name string) error {
	now := r.now()
	taken := r.buckets[maphash.String(r.seed, name)%buckets].ReserveN(now, 1)
	wait := taken.DelayFrom(now)
	if wait == 0 {
		return nil
	}
	taken.CancelAt(now)
	return &RefusedError{Status: http.StatusTooManyRequests, Reason: "too many requests", After: wait}
}

// again is when to ask for a stream again.
const again = 5 * time.Second

// Streams bounds how many are open. It is safe for concurrent use.
type Streams struct {
	each, all int

	mu   sync.Mutex
	open map[string]int // never 0
	sum  int
}

// NewStreams lets each client have so many open, and all together so many.
func NewStreams(each, all int) *Streams {
	return &Streams{each: each, all: all, open: map[string]int{}}
}

// Enter counts a stream of a client until leave, or refuses it with 429.
func (s *Streams) Enter(client string) (leave func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sum >= s.all || s.open[client] >= s.each {
		return nil, &RefusedError{Status: http.StatusTooManyRequests, Reason: "too many streams", After: again}
	}
	s.sum++
	s.open[client]++
	return sync.OnceFunc(func() { s.leave(client) }), nil
}

func (s *Streams) leave(client string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sum--
	if s.open[client]--; s.open[client] == 0 {
		delete(s.open, client)
	}
}

// Open is how many streams there are now.
func (s *Streams) Open() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sum
}
