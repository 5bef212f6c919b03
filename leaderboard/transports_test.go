package leaderboard_test

import (
	"context"
	"net/http"
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
