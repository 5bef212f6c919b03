package lease_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/ids/lease"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// only is the only number that most tests can lease.
const only = 16383

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

// clock is the clock of one process.
type clock struct{ ns atomic.Int64 }

func clockAt(t time.Time) *clock {
	c := &clock{}
	c.ns.Store(t.UnixNano())
	return c
}

func (c *clock) Now() time.Time          { return time.Unix(0, c.ns.Load()) }
func (c *clock) Advance(d time.Duration) { c.ns.Add(int64(d)) }

// source makes ids with the time of clock. It runs ahead after a few ids in one
// millisecond.
type source struct {
	clock   *clock
	machine uint16
	mu      sync.Mutex
	last    ids.ID
}

func (s *source) Next(context.Context) (ids.ID, error) {
	const step = 1 << 20 // four ids a millisecond
	s.mu.Lock()
	defer s.mu.Unlock()
	id := ids.At(s.clock.Now()) | ids.ID(s.machine)
	if id <= s.last {
		id = s.last + step
	}
	s.last = id
	return id, nil
}

// options lease the only number for a minute with clock c, without a heartbeat.
func options(c *clock) lease.Options {
	return lease.Options{First: only, Now: c.Now, Renew: -1}
}

type world struct {
	*faults.Injector
	t     testing.TB
	truth *dynamo.DB // without faults
	db    *dynamo.DB
	table string
	late  *postbox
}

func newWorld(t testing.TB) *world {
	w := &world{t: t, Injector: faults.New(t, 1, faults.Rates{}), late: &postbox{}}
	w.truth = dynamotest.DB(t)
	w.db = dynamotest.DB(t, w.late.wrap, w.Wrap)
	w.table = dynamotest.Table(t, lease.Table)
	return w
}

func (w *world) acquire(c *clock, o lease.Options) (*lease.Lease, error) {
	l, err := lease.Acquire(w.t.Context(), w.db, w.table, o.WithSource(func(machine uint16) (ids.Source, error) {
		return &source{clock: c, machine: machine}, nil
	}))
	if err == nil {
		w.t.Cleanup(func() {
			w.Off()
			_ = l.Close(context.Background())
		})
	}
	return l, err
}

func (w *world) mustAcquire(c *clock) *lease.Lease {
	w.t.Helper()
	l, err := w.acquire(c, options(c))
	require.NoError(w.t, err)
	return l
}

type row struct {
	Owner string `dynamo:"owner"`
	Gen   int    `dynamo:"gen"`
	Until int64  `dynamo:"until"`
}

func (r row) until() time.Time { return time.UnixMilli(r.Until) }

func (w *world) rows() []row {
	w.t.Helper()
	var rows []row
	require.NoError(w.t, w.truth.Table(w.table).Scan().Consistent(true).All(w.t.Context(), &rows))
	return rows
}

func (w *world) row() row {
	w.t.Helper()
	rows := w.rows()
	require.Len(w.t, rows, 1)
	return rows[0]
}

// always injects kind into the next n requests.
func (w *world) always(kind faults.Kind, n int) { w.after(0, kind, n) }

// after lets some requests pass, and then injects kind into the next n.
func (w *world) after(some int, kind faults.Kind, n int) {
	start := w.Requests() + some
	w.Script(func(_ string, _ []byte, i int) faults.Fault {
		if i <= start || i > start+n {
			return faults.Fault{}
		}
		return faults.Fault{Kind: kind}
	})
}

// postbox keeps copies of requests and sends them again much later.
type postbox struct {
	mu     sync.Mutex
	next   aws.HTTPClient
	copies []*http.Request
}

func (p *postbox) wrap(next aws.HTTPClient) aws.HTTPClient {
	p.next = next
	return p
}

func (p *postbox) Do(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	copied := r.Clone(context.Background())
	copied.Body = io.NopCloser(bytes.NewReader(body))
	p.copies = append(p.copies, copied)
	p.mu.Unlock()
	r.Body = io.NopCloser(bytes.NewReader(body))
	return p.next.Do(r)
}

// deliver sends the i-th request again, counted from the end.
func (p *postbox) deliver(t require.TestingT, i int) {
	r := p.copies[len(p.copies)-1-i]
	body, err := io.ReadAll(r.Body)
	require.NoError(t, err)
	r.Body = io.NopCloser(bytes.NewReader(body))
	res, err := p.next.Do(r)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	r.Body = io.NopCloser(bytes.NewReader(body))
}
