package faults

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/plaza-sdk/plaza/internal/dynamotest/wire"
)

// Late holds back the requests for which Holds is true and resets their
// connections. Then the SDK repeats them, or the caller gives up.
type Late struct {
	Holds func(op string, body []byte) bool

	mu   sync.Mutex
	next aws.HTTPClient
	kept []wire.Request
}

// Wrap puts l before next. It wraps only one client.
func (l *Late) Wrap(next aws.HTTPClient) aws.HTTPClient {
	l.next = next
	return lateClient{l}
}

type lateClient struct{ *Late }

func (l lateClient) Do(r *http.Request) (*http.Response, error) {
	req, err := wire.Read(r)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	held := l.Holds(req.Op, req.Body)
	if held {
		l.kept = append(l.kept, req)
	}
	l.mu.Unlock()
	if held {
		return nil, reset(req)
	}
	return l.next.Do(req.Again())
}

// Arrive sends the requests that were held back and returns how many of them were
// applied. Transactions are sent without their tokens, since DynamoDB forgets
// these after ten minutes.
func (l *Late) Arrive(t testing.TB) (applied int) {
	t.Helper()
	l.mu.Lock()
	kept := l.kept
	l.kept = nil
	l.mu.Unlock()
	if len(kept) == 0 {
		t.Fatal("faults: no request was held back")
	}
	for _, req := range kept {
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(req.Body, &fields); err != nil {
			t.Fatal(err)
		}
		delete(fields, "ClientRequestToken")
		body, err := json.Marshal(fields)
		if err != nil {
			t.Fatal(err)
		}
		res, err := l.next.Do(req.As(req.Op, body).WithContext(context.WithoutCancel(req.HTTP.Context())))
		if err != nil {
			t.Fatal(err)
		}
		if err := res.Body.Close(); err != nil {
			t.Fatal(err)
		}
		if res.StatusCode == http.StatusOK {
			applied++
		}
	}
	return applied
}
