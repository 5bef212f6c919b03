package notify_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/internal/group"
	"github.com/plaza-sdk/plaza/notify"
)

// gate holds the first request for which holds is true until it is let go.
type gate struct {
	holds      func(op, body string) bool
	came, gone chan struct{}
	next       aws.HTTPClient
	once       sync.Once
}

func newGate(holds func(op, body string) bool) *gate {
	return &gate{holds: holds, came: make(chan struct{}), gone: make(chan struct{})}
}

func (g *gate) Wrap(next aws.HTTPClient) aws.HTTPClient { g.next = next; return g }

func (g *gate) Do(r *http.Request) (*http.Response, error) {
	body := []byte{}
	if r.GetBody != nil {
		b, _ := r.GetBody()
		buf := new(strings.Builder)
		_, _ = io.Copy(buf, b)
		body = []byte(buf.String())
	}
	if g.holds(r.Header.Get("X-Amz-Target"), string(body)) {
		g.once.Do(func() { close(g.came); <-g.gone })
	}
	return g.next.Do(r)
}

// A target is retracted while another writer finds its group full.
func TestAGroupThatWasEmptiedCountsAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	n := w.like("first")
	w.store(t, n)
	w.fill(t, n, group.Cap, filler)
	require.Equal(t, notify.Full, w.outcome(t, w.like("late")))
	g := newGate(func(op, _ string) bool { return strings.HasSuffix(op, "PutItem") })
	p := w.process(t, nil, g.Wrap)
	done := make(chan error)
	go func() {
		_, err := p.RetractTarget(context.Background(), "bob", feed.Ref{Kind: "photo", ID: "1"})
		done <- err
	}()
	<-g.came
	require.Equal(t, notify.Full, p.outcome(t, w.like("later")))
	close(g.gone)
	require.NoError(t, <-done)
	w.pass(time.Second)
	res, created, err := p.Notify(t.Context(), w.like("after"))
	require.NoError(t, err)
	require.True(t, created, res.Outcome)
}
