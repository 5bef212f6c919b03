package localmeter

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"

	"github.com/plaza-sdk/plaza/internal/dynamotest/wire"
	"github.com/plaza-sdk/plaza/meter"
)

// call is one request. While it is priced it keeps its first error.
type call struct {
	local *Local
	next  aws.HTTPClient
	req   wire.Request
	took  time.Duration // by the engine

	in  input
	out output
	err error
}

// count sends a request that is not priced, and remembers its token.
func (c *call) count() (*http.Response, meter.Cost, error) {
	res, err := c.send(c.req.Again())
	if err == nil && c.req.Op == "TransactWriteItems" && res.StatusCode == http.StatusOK {
		var in struct{ ClientRequestToken string }
		if json.Unmarshal(c.req.Body, &in) == nil {
			c.local.repeated(in.ClientRequestToken)
		}
	}
	return res, meter.Cost{}, err
}

// price sends a request and works out its units.
func (c *call) price(of func(*call) func(ok bool) meter.Cost) (res *http.Response, cost meter.Cost, err error) {
	var fields map[string]json.RawMessage
	c.decode(c.req.Body, &fields)
	c.decode(c.req.Body, &c.in)
	fields["ReturnConsumedCapacity"] = json.RawMessage(`"INDEXES"`)
	body, err := json.Marshal(fields)
	if err != nil {
		return nil, cost, err
	}
	done := of(c)
	if res, err = c.send(c.req.As(c.req.Op, body)); err != nil {
		return nil, cost, err
	}
	answer, err := wire.Body(res)
	if err != nil {
		return nil, cost, err
	}
	wire.SetBody(res, answer)
	c.decode(answer, &c.out)
	cost = done(res.StatusCode == http.StatusOK)
	if c.err != nil {
		return nil, cost, fmt.Errorf("localmeter: %s: %w", c.req.Op, c.err)
	}
	return res, cost, nil
}

func (c *call) send(r *http.Request) (*http.Response, error) {
	began := time.Now()
	defer func() { c.took = time.Since(began) }()
	return c.next.Do(r)
}

// table returns the first of a request's tables by name.
func (c *call) table() string {
	on, err := c.req.Accesses()
	if err != nil {
		return "" // the engine refuses it
	}
	return slices.MinFunc(on, func(a, b wire.Access) int { return strings.Compare(a.Table, b.Table) }).Table
}

type attributes = map[string]json.RawMessage

type input struct {
	TableName          string
	Key                attributes
	Item               json.RawMessage
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

func (c *call) keep(err error) {
	if c.err == nil {
		c.err = err
	}
}

func (c *call) decode(data []byte, v any) {
	if err := json.Unmarshal(data, v); err != nil {
		c.keep(err)
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

// place is where an item is or would be.
type place struct {
	table string
	key   attributes
}

// place returns the place of a write or read.
func (c *call) place(in input) place {
	if in.Key != nil {
		return place{in.TableName, in.Key}
	}
	var item attributes
	c.decode(in.Item, &item)
	key := attributes{}
	for _, name := range c.keyNames(in.TableName) {
		if v, ok := item[name]; ok {
			key[name] = v
		}
	}
	return place{in.TableName, key}
}

func (c *call) keyNames(table string) []string {
	c.local.mu.Lock()
	names := c.local.keys[table]
	c.local.mu.Unlock()
	if names != nil {
		return names
	}
	var out struct {
		Table struct {
			KeySchema []struct{ AttributeName string }
		}
	}
	c.ask("DescribeTable", map[string]any{"TableName": table}, &out)
	for _, k := range out.Table.KeySchema {
		names = append(names, k.AttributeName)
	}
	c.local.mu.Lock()
	c.local.keys[table] = names
	c.local.mu.Unlock()
	return names
}

func (c *call) itemSize(item json.RawMessage) int {
	if len(item) == 0 {
		return 0
	}
	values, err := attributevalue.UnmarshalMapJSON(item)
	if err != nil {
		c.keep(err)
	}
	return meter.ItemSize(values)
}

// sizes returns the sizes of the stored items, 0 for each that is not there.
func (c *call) sizes(places []place) []int {
	asked := map[string]keysOfTable{}
	for _, p := range places {
		asked[p.table] = keysOfTable{append(asked[p.table].Keys, p.key), true}
	}
	found := map[string]int{} // by table and key
	for len(asked) > 0 {
		var out struct {
			Responses       map[string][]json.RawMessage
			UnprocessedKeys map[string]keysOfTable
		}
		c.ask("BatchGetItem", map[string]any{"RequestItems": asked}, &out)
		for table, items := range out.Responses {
			for _, item := range items {
				var values attributes
				c.decode(item, &values)
				found[c.name(table, values)] = c.itemSize(item)
			}
		}
		asked = out.UnprocessedKeys
	}
	sizes := make([]int, len(places))
	for i, p := range places {
		sizes[i] = found[c.name(p.table, p.key)]
	}
	return sizes
}

func (c *call) size(p place) int { return c.sizes([]place{p})[0] }

// name is the same for the same item, given whole or by its key.
func (c *call) name(table string, item attributes) string {
	parts := []string{table}
	for _, name := range c.keyNames(table) {
		var v struct{ S, N, B *string }
		c.decode(item[name], &v)
		switch {
		case v.S != nil:
			parts = append(parts, *v.S)
		case v.N != nil: // the engine may write a number in another way
			if n, ok := new(big.Rat).SetString(*v.N); ok {
				parts = append(parts, n.String())
			}
		case v.B != nil:
			parts = append(parts, *v.B)
		}
	}
	name, err := json.Marshal(parts)
	if err != nil {
		c.keep(err)
	}
	return string(name)
}

// ask sends a request to the engine, uncounted. If the engine refuses it, out stays
// as it is: the item does not exist, or the metered call is invalid.
func (c *call) ask(op string, in, out any) {
	body, err := json.Marshal(in)
	if err != nil {
		c.keep(err)
		return
	}
	ctx := context.WithoutCancel(c.req.HTTP.Context())
	res, err := c.local.side.RoundTrip(c.req.As(op, body).WithContext(ctx))
	if err != nil {
		c.keep(err)
		return
	}
	body, err = wire.Body(res)
	if err == nil && res.StatusCode == http.StatusOK {
		err = json.NewDecoder(bytes.NewReader(body)).Decode(out)
	}
	if err != nil {
		c.keep(err)
	}
}
