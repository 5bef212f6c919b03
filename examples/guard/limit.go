package guard

import (
	"hash/maphash"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Client returns the address that a request came from. For IPv6 it is the /64,
// which belongs to one subscriber. Headers such as X-Forwarded-For do not count,
// because anybody can write them. Behind a proxy of yours, read what it appends.
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

// buckets is the number of buckets of a Rate. Names in one bucket share its rate,
// so made-up names bring no fresh rate, and memory is bounded.
const buckets = 1 << 14

// Rate limits how often each name may do something. It is safe for concurrent
// use.
type Rate struct {
	seed    maphash.Seed // secret, so that nobody can choose a bucket
	buckets []*rate.Limiter
	now     func() time.Time
}

// NewRate allows a name a burst at once, and then second calls a second. Now is
// the clock, time.Now if nil.
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

// Take counts a call, or refuses it with 429. A refused call does not count.
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

// again is when a client may ask for a stream again.
const again = 5 * time.Second

// Streams limits how many streams are open. It is safe for concurrent use.
type Streams struct {
	each, all int

	mu   sync.Mutex
	open map[string]int // values are above 0
	sum  int
}

// NewStreams allows each client each streams, and all clients together all.
func NewStreams(each, all int) *Streams {
	return &Streams{each: each, all: all, open: map[string]int{}}
}

// Enter counts a client's stream until leave is called, or refuses it with 429.
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

// Open returns how many streams are open.
func (s *Streams) Open() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sum
}
