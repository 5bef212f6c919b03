package leaderboard_test

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/internal/dynamotest/wire"
)

var page1 = cursor.PageRequest{Limit: 1}

// delayedWrite holds one write back, makes its caller give up, and delivers it later.
type delayedWrite struct {
	skip    int    // writes to let pass first
	cancel  func() // cancels the caller; while it is nil, everything passes
	request *http.Request
	next    aws.HTTPClient
}

func (h *delayedWrite) wrap(next aws.HTTPClient) aws.HTTPClient {
	h.next = next
	return h
}

func (h *delayedWrite) Do(r *http.Request) (*http.Response, error) {
	req, err := wire.Read(r)
	if err != nil {
		return nil, err
	}
	if h.cancel == nil || req.Op != "UpdateItem" && req.Op != "PutItem" && req.Op != "DeleteItem" {
		return h.next.Do(req.Again())
	}
	if h.skip--; h.skip >= 0 {
		return h.next.Do(req.Again())
	}
	h.request = req.Again().WithContext(context.WithoutCancel(r.Context()))
	h.cancel()
	return nil, context.Canceled
}

func (h *delayedWrite) deliver(t *testing.T) {
	t.Helper()
	res, err := h.next.Do(h.request)
	require.NoError(t, err)
	_, err = wire.Body(res)
	require.NoError(t, err)
}

// partCounter counts successful updates by the index partition of their entry.
type partCounter struct {
	mu    sync.Mutex
	parts map[string]int
}

func newPartCounter() *partCounter { return &partCounter{parts: map[string]int{}} }

func (c *partCounter) wrap(next aws.HTTPClient) aws.HTTPClient { return counting{c, next} }

// counts returns the updates of the hottest partition and of all partitions.
func (c *partCounter) counts() (hottest, sum int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, n := range c.parts {
		hottest, sum = max(hottest, n), sum+n
	}
	return hottest, sum
}

type counting struct {
	*partCounter
	next aws.HTTPClient
}

func (c counting) Do(r *http.Request) (*http.Response, error) {
	req, err := wire.Read(r)
	if err != nil {
		return nil, err
	}
	res, err := c.next.Do(req.Again())
	if err != nil || req.Op != "UpdateItem" {
		return res, err
	}
	body, err := wire.Body(res)
	if err != nil {
		return nil, err
	}
	wire.SetBody(res, body)
	var answer struct {
		Attributes struct{ Part struct{ S string } }
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.parts[answer.Attributes.Part.S]++
	return res, nil
}
