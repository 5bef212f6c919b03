// Package meter measures at the HTTP layer what calls to DynamoDB cost. It does not
// depend on testing, so that examples can use it too.
package meter

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/plaza-sdk/plaza/internal/dynamotest/wire"
)

// Meter counts the requests that pass through it. Units are those that the engine
// reports. It computes them where DynamoDB Local differs from AWS: transactions,
// empty reads, failed conditions and batch deletes of nothing. It does not count a
// transaction's writes to an index.
//
// Put it nearest to the engine, before an injector of faults. Concurrent writes of
// the same items may be priced wrong.
type Meter struct {
	side http.RoundTripper // for the meter's own requests

	mu       sync.Mutex
	cost     Cost
	unpriced bool
	done     map[string]bool     // client tokens of transactions that were applied
	keys     map[string][]string // from table to its key attributes
}

// Cost is the cost of some calls: HTTP requests, and capacity units as AWS bills
// them.
type Cost struct {
	Requests    int
	Read, Write float64
}

func (c Cost) String() string {
	return fmt.Sprintf("%d requests, %g RCU, %g WCU", c.Requests, c.Read, c.Write)
}

// New returns a meter that reads zero. It sends requests of its own through side,
// uncounted.
func New(side http.RoundTripper) *Meter {
	return &Meter{side: side, done: make(map[string]bool), keys: make(map[string][]string)}
}

// Price sets whether requests are priced or only counted. To price one, the meter may
// read each item that it writes, before and after.
func (m *Meter) Price(on bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.unpriced = !on
}

// Take returns the cost since the last Take.
func (m *Meter) Take() Cost {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := m.cost
	m.cost = Cost{}
	return c
}

func (m *Meter) isPricing() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return !m.unpriced
}

func (m *Meter) add(c Cost) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.cost.Requests += c.Requests
	m.cost.Read += c.Read
	m.cost.Write += c.Write
}

// Wrap counts the requests that go to next.
func (m *Meter) Wrap(next aws.HTTPClient) aws.HTTPClient {
	return metered{m, next}
}

type metered struct {
	meter *Meter
	next  aws.HTTPClient
}

func (c metered) Do(r *http.Request) (*http.Response, error) {
	req, err := wire.Read(r)
	if err != nil {
		return nil, err
	}
	c.meter.add(Cost{Requests: 1})
	price, ok := prices[req.Op]
	if !ok {
		return c.next.Do(req.Again())
	}
	if !c.meter.isPricing() {
		return c.count(req)
	}

	call := &call{meter: c.meter, req: req}
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
	c.meter.add(done(res.StatusCode == http.StatusOK))
	if call.err != nil {
		return nil, fmt.Errorf("meter: %s: %w", req.Op, call.err)
	}
	return res, nil
}

// count sends a request that is not priced, and remembers its token.
func (c metered) count(req wire.Request) (*http.Response, error) {
	res, err := c.next.Do(req.Again())
	if err == nil && req.Op == "TransactWriteItems" && res.StatusCode == http.StatusOK {
		var in struct{ ClientRequestToken string }
		if json.Unmarshal(req.Body, &in) == nil {
			c.meter.repeated(in.ClientRequestToken)
		}
	}
	return res, err
}

// call is one request being priced. It keeps its first error.
type call struct {
	meter *Meter
	req   wire.Request
	in    input
	out   output
	err   error
}

type attributes = map[string]json.RawMessage

type input struct {
	TableName          string
	Key, Item          attributes
	ConsistentRead     bool
	RequestItems       map[string]json.RawMessage // BatchGetItem and BatchWriteItem differ
	TransactItems      []map[string]input
	ClientRequestToken string
}

type output struct {
	Type             string `json:"__type"`
	ConsumedCapacity json.RawMessage
	Responses        json.RawMessage // BatchGetItem and TransactGetItems differ
	UnprocessedKeys  map[string]keysOfTable
}

type keysOfTable struct {
	Keys           []attributes
	ConsistentRead bool
}

func (c *call) decode(data []byte, v any) {
	if err := json.Unmarshal(data, v); err != nil && c.err == nil {
		c.err = err
	}
}

func (c *call) failedWith(name string) bool {
	return strings.HasSuffix(c.out.Type, "#"+name)
}

// reported returns the engine's units, summed over tables and indexes.
func (c *call) reported() float64 {
	type consumed struct{ CapacityUnits float64 }
	switch {
	case len(c.out.ConsumedCapacity) == 0:
		return 0
	case c.out.ConsumedCapacity[0] != '[':
		var one consumed
		c.decode(c.out.ConsumedCapacity, &one)
		return one.CapacityUnits
	}
	var tables []consumed
	c.decode(c.out.ConsumedCapacity, &tables)
	sum := 0.0
	for _, t := range tables {
		sum += t.CapacityUnits
	}
	return sum
}

// size returns the size of the stored item, or 0 if there is none.
func (c *call) size(table string, key attributes) int {
	var out struct{ Item attributes }
	c.ask("GetItem", map[string]any{"TableName": table, "Key": key, "ConsistentRead": true}, &out)
	n, err := itemSize(out.Item)
	if err != nil && c.err == nil {
		c.err = err
	}
	return n
}

// key returns the key attributes of an item.
func (c *call) key(table string, item attributes) attributes {
	c.meter.mu.Lock()
	names := c.meter.keys[table]
	c.meter.mu.Unlock()
	if names == nil {
		var out struct {
			Table struct {
				KeySchema []struct{ AttributeName string }
			}
		}
		c.ask("DescribeTable", map[string]any{"TableName": table}, &out)
		for _, k := range out.Table.KeySchema {
			names = append(names, k.AttributeName)
		}
		c.meter.mu.Lock()
		c.meter.keys[table] = names
		c.meter.mu.Unlock()
	}
	key := make(attributes, len(names))
	for _, name := range names {
		if v, ok := item[name]; ok {
			key[name] = v
		}
	}
	return key
}

// ask sends a request to the engine, uncounted. If the engine refuses it, out stays
// as it is: the item does not exist, or the metered call is invalid.
func (c *call) ask(op string, in, out any) {
	body, err := json.Marshal(in)
	if err == nil {
		var res *http.Response
		ctx := context.WithoutCancel(c.req.HTTP.Context())
		if res, err = c.meter.side.RoundTrip(c.req.As(op, body).WithContext(ctx)); err == nil {
			if body, err = wire.Body(res); err == nil && res.StatusCode == http.StatusOK {
				err = json.Unmarshal(body, out)
			}
		}
	}
	if err != nil && c.err == nil {
		c.err = err
	}
}
