package message_test

import (
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/plaza-sdk/plaza/internal/dynamotest/wire"
)

// gate holds up the first write of ann's entry until it opens.
type gate struct {
	aws.HTTPClient
	first       sync.Once
	writes      atomic.Int64
	begun, open chan struct{}
}

func (g *gate) Do(r *http.Request) (*http.Response, error) {
	req, err := wire.Read(r)
	if err != nil {
		return nil, err
	}
	if req.Op == "UpdateItem" && strings.Contains(string(req.Body), `"U#ann"`) {
		g.writes.Add(1)
		g.first.Do(func() {
			close(g.begun)
			<-g.open
		})
	}
	return g.HTTPClient.Do(req.Again())
}

func TestOneWriteRaisesAnEntryToAllThatWait(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	g := &gate{begun: make(chan struct{}), open: make(chan struct{})}
	p := w.process(t, nil, func(next aws.HTTPClient) aws.HTTPClient { g.HTTPClient = next; return g })
	var all errgroup.Group
	sends := func() { all.Go(func() error { return failed(p.Send(t.Context(), p.says(pair, "ann", "text"))) }) }
	sends()
	<-g.begun
	for range 9 {
		sends()
	}
	for p.Waiting(of("ann", pair)) < 10 {
		runtime.Gosched()
	}
	close(g.open)
	require.NoError(t, all.Wait())
	require.EqualValues(t, 2, g.writes.Load())
	require.EqualValues(t, 10, w.entry(t, pair, "ann").Read)
	require.EqualValues(t, 10, w.unreadOf(t, "ben").Messages)
	require.Zero(t, p.Waiting(of("ann", pair)))
}
