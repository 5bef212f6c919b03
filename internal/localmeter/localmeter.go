// Package localmeter measures what calls to DynamoDB Local would cost on AWS.
package localmeter

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/dynamotest/wire"
	"github.com/plaza-sdk/plaza/meter"
)

// Local counts in a meter what passes through it. Units are those that the engine
// reports. It computes them where DynamoDB Local differs from AWS: transactions, empty
// reads, failed conditions and batch deletes of nothing. It does not count a
// transaction's writes to an index.
//
// Put it nearest to the engine, before an injector of faults. Concurrent writes of
// the same items may be priced wrong.
type Local struct {
	counts *meter.Meter
	side   http.RoundTripper // for requests of its own

	mu       sync.Mutex
	unpriced bool
	done     map[string]bool     // client tokens of transactions that were applied
	keys     map[string][]string // from table to its key attributes
}

// New adds costs to m. It sends requests of its own through side, uncounted.
func New(m *meter.Meter, side http.RoundTripper) *Local {
	return &Local{counts: m, side: side, done: make(map[string]bool), keys: make(map[string][]string)}
}

// Price sets whether requests are priced or only counted. To price one, Local may
// read each item that it writes, before and after.
func (l *Local) Price(on bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.unpriced = !on
}

func (l *Local) isPricing() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.unpriced
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
	price, ok := prices[req.Op]
	if !ok {
		return c.next.Do(req.Again())
	}
	if !c.isPricing() {
		return c.count(req)
	}

	call := &call{local: c.Local, req: req}
	var fields map[string]json.RawMessage
	call.decode(req.Body, &fields)
	call.decode(req.Body, &call.in)
	fields["ReturnConsumedCapacity"] = json.RawMessage(`"INDEXES"`)
	body, err := json.Marshal(fields)
	if err != nil {
		return nil, err
	}
	done := price(call)
	res, err := c.next.Do(req.As(req.Op, body))
	if err != nil {
		return nil, err
	}
	answer, err := wire.Body(res)
	if err != nil {
		return nil, err
	}
	wire.SetBody(res, answer)
	call.decode(answer, &call.out)
	c.counts.Add(operation, done(res.StatusCode == http.StatusOK))
	if call.err != nil {
		return nil, fmt.Errorf("localmeter: %s: %w", req.Op, call.err)
	}
	return res, nil
}

// count sends a request that is not priced, and remembers its token.
func (c counted) count(req wire.Request) (*http.Response, error) {
	res, err := c.next.Do(req.Again())
	if err == nil && req.Op == "TransactWriteItems" && res.StatusCode == http.StatusOK {
		var in struct{ ClientRequestToken string }
		if json.Unmarshal(req.Body, &in) == nil {
			c.repeated(in.ClientRequestToken)
		}
	}
	return res, err
}
