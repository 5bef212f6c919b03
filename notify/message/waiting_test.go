package message_test

import (
	"fmt"
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
	"github.com/plaza-sdk/plaza/notify/message"
)

// gate holds up the first write of each entry until it opens.
type gate struct {
	aws.HTTPClient
	first       [2]sync.Once
	writes      [2]atomic.Int64
	begun, open chan struct{}
}

func (g *gate) Do(r *http.Request) (*http.Response, error) {
	req, err := wire.Read(r)
	if err != nil {
		return nil, err
	}
	for i, user := range []string{"ann", "ben"} {
		if req.Op == "UpdateItem" && strings.Contains(string(req.Body), `"U#`+user+`"`) {
			g.writes[i].Add(1)
			g.first[i].Do(func() { g.begun <- struct{}{}; <-g.open })
		}
	}
	return g.HTTPClient.Do(req.Again())
}

func TestOneWriteRaisesAnEntryToAllThatWait(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	g := &gate{begun: make(chan struct{}), open: make(chan struct{})}
	p := w.process(t, nil, func(next aws.HTTPClient) aws.HTTPClient { g.HTTPClient = next; return g })
	var sends errgroup.Group
	send := func(i int) {
		sends.Go(func() error {
			_, _, err := p.Send(t.Context(), p.says(pair, "ann", fmt.Sprint("text ", i)))
			return err
		})
	}
	send(0)
	<-g.begun
	<-g.begun
	for i := range 9 {
		send(i + 1)
	}
	for _, user := range []string{"ann", "ben"} {
		for p.Waiting(message.In{Conversation: pair, User: user}) < 10 {
			runtime.Gosched()
		}
	}
	close(g.open)
	require.NoError(t, sends.Wait())
	require.EqualValues(t, 2, g.writes[0].Load())
	require.EqualValues(t, 2, g.writes[1].Load())
	require.EqualValues(t, 10, w.entry(t, pair, "ann").Read)
	require.EqualValues(t, 10, w.unreadOf(t, "ben").Messages)
	require.Zero(t, p.Waiting(message.In{Conversation: pair, User: "ann"}))
}
