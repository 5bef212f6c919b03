// Package localmeter measures what calls to an engine on this machine would cost on AWS.
package localmeter

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/smithy-go"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/dynamotest/wire"
	"github.com/plaza-sdk/plaza/meter"
)

// Local counts in a meter what passes through it, and lets answers report what AWS bills.
// It takes the units that the engine reports, and corrects them where it differs from AWS:
// transactions, failed conditions, empty reads and deletes of nothing.
//
// Put it nearest to the engine, before an injector of faults. Concurrent writes of
// the same items may be priced wrong.
type Local struct {
	counts  *meter.Meter
	side    http.RoundTripper // for requests of its own
	options Options

	mu       sync.Mutex
	unpriced bool
	tables   map[string]table
}

// Options of New. The zero value works.
type Options struct {
	// Observe is called after each request. Defaults to nothing.
	Observe func(context.Context, meter.Call)

	// Price says which requests are priced, by their context. Defaults to all.
	Price func(context.Context) bool
}

// New adds costs to m. It sends requests of its own through side, uncounted. opts may be
// nil.
func New(m *meter.Meter, side http.RoundTripper, opts *Options) *Local {
	var o Options
	if opts != nil {
		o = *opts
	}
	return &Local{counts: m, side: side, options: o, tables: make(map[string]table)}
}

// Price sets whether requests are priced or only counted. To price one, Local may
// read each item that it writes, before and after.
func (l *Local) Price(on bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.unpriced = !on
}

func (l *Local) isPricing(ctx context.Context) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.unpriced && (l.options.Price == nil || l.options.Price(ctx))
}

// Wrap counts the requests to DynamoDB that go to next.
func (l *Local) Wrap(next aws.HTTPClient) aws.HTTPClient { return counted{l, next} }

type counted struct {
	*Local
	next aws.HTTPClient
}

func (c counted) Do(r *http.Request) (*http.Response, error) {
	if !strings.HasPrefix(r.Header.Get("X-Amz-Target"), "DynamoDB_") {
		return c.next.Do(r) // a stream, or another service
	}
	req, err := wire.Read(r)
	if err != nil {
		return nil, err
	}
	operation := plaza.Operation(r.Context())
	c.counts.Add(operation, meter.Cost{Requests: 1})
	call := &call{local: c.Local, next: c.next, req: req}
	var res *http.Response
	var cost meter.Cost
	if price, ok := prices[req.Op]; ok && c.isPricing(r.Context()) {
		res, cost, err = call.price(price)
	} else {
		res, err = call.send(req.Again())
	}
	c.counts.Add(operation, cost)
	if c.options.Observe != nil {
		cost.Requests = 1
		c.options.Observe(r.Context(), meter.Call{
			Operation: operation, Action: req.Op, Table: call.firstTable(), Cost: cost, Duration: call.took, Err: failure(res, err),
		})
	}
	return res, err
}

// failure returns why a request failed, or nil.
func failure(res *http.Response, err error) error {
	if err != nil || res.StatusCode == http.StatusOK {
		return err
	}
	answer, err := wire.Body(res)
	if err != nil {
		return err
	}
	wire.SetBody(res, answer)
	var refused struct {
		Type    string `json:"__type"`
		Message string
	}
	if err := json.Unmarshal(answer, &refused); err != nil {
		return fmt.Errorf("localmeter: HTTP status %d: %w", res.StatusCode, err)
	}
	return &smithy.GenericAPIError{Code: refused.Type[strings.LastIndexByte(refused.Type, '#')+1:], Message: refused.Message}
}
