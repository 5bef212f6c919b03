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
	"github.com/plaza-sdk/plaza/internal/engine"
	"github.com/plaza-sdk/plaza/meter"
)

// call is one request. While it is priced it keeps its first error.
type call struct {
	local *Local
	next  aws.HTTPClient
	req   wire.Request
	took  time.Duration // by the engine
	kind  engine.Kind

	in   input
	out  output
	used []*consumed // by table: the engine's units, and then AWS's
	err  error
}

// price sends a request, works out its units and writes them into the answer.
func (c *call) price(of func(*call) func(ok bool) meter.Cost) (res *http.Response, cost meter.Cost, err error) {
	var fields map[string]json.RawMessage
	c.decode(c.req.Body, &fields)
	c.decode(c.req.Body, &c.in)
	fields["ReturnConsumedCapacity"] = json.RawMessage(`"INDEXES"`)
	done := of(c)
	if res, err = c.send(c.req.As(c.req.Op, c.encode(fields))); err != nil {
		return nil, cost, err
	}
	answer, err := wire.Body(res)
	if err != nil {
		return nil, cost, err
	}
	c.decode(answer, &c.out)
	if res.StatusCode == http.StatusOK {
		answer = c.corrected(answer, func() { cost = done(true) })
	} else {
		cost = done(false)
	}
	wire.SetBody(res, answer)
	if c.err != nil {
		return nil, cost, fmt.Errorf("localmeter: %s: %w", c.req.Op, c.err)
	}
	return res, cost, nil
}

// corrected returns an answer with what correct makes of the units in it, if the caller
// asked for them: an object if the request names one table, or an array.
func (c *call) corrected(answer []byte, correct func()) []byte {
	single := c.in.TableName != ""
	switch {
	case len(c.out.ConsumedCapacity) == 0: // nothing was used
	case single:
		c.decode(c.out.ConsumedCapacity, c.of(c.in.TableName))
	default:
		c.decode(c.out.ConsumedCapacity, &c.used)
	}
	correct()
	var fields map[string]json.RawMessage
	c.decode(answer, &fields)
	switch {
	case !slices.Contains([]string{"TOTAL", "INDEXES"}, c.in.ReturnConsumedCapacity):
		delete(fields, "ConsumedCapacity")
	case single:
		fields["ConsumedCapacity"] = c.encode(c.of(c.in.TableName))
	default:
		fields["ConsumedCapacity"] = c.encode(c.used)
	}
	return c.encode(fields)
}

func (c *call) send(r *http.Request) (*http.Response, error) {
	began := time.Now()
	res, err := c.next.Do(r)
	c.took = time.Since(began)
	if err == nil {
		c.kind = engine.KindOf(res.Header)
	}
	return res, err
}

// firstTable returns the first of a request's tables by name.
func (c *call) firstTable() string {
	on, err := c.req.Accesses()
	if err != nil {
		return "" // the engine refuses it
	}
	return slices.MinFunc(on, func(a, b wire.Access) int { return strings.Compare(a.Table, b.Table) }).Table
}

type attributes = map[string]json.RawMessage

type input struct {
	TableName              string
	Key                    attributes
	Item                   json.RawMessage
	ConsistentRead         bool
	RequestItems           map[string]json.RawMessage // BatchGetItem and BatchWriteItem differ
	TransactItems          []map[string]input
	ReturnConsumedCapacity string
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

func (c *call) encode(v any) json.RawMessage {
	data, err := json.Marshal(v)
	if err != nil {
		c.keep(err)
	}
	return data
}

func (c *call) failedWith(name string) bool {
	return strings.HasSuffix(c.out.Type, "#"+name)
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
	for _, name := range c.table(in.TableName).KeySchema.names() {
		if v, ok := item[name]; ok {
			key[name] = v
		}
	}
	return place{in.TableName, key}
}

func (c *call) table(name string) table {
	c.local.mu.Lock()
	t := c.local.tables[name]
	c.local.mu.Unlock()
	if t.KeySchema != nil {
		return t
	}
	var out struct{ Table table }
	c.ask("DescribeTable", map[string]any{"TableName": name}, &out)
	c.local.mu.Lock()
	defer c.local.mu.Unlock()
	c.local.tables[name] = out.Table
	return out.Table
}

// items returns the stored items, nil for each that is not there.
func (c *call) items(places []place) []item {
	asked := map[string]keysOfTable{}
	for _, p := range places {
		asked[p.table] = keysOfTable{append(asked[p.table].Keys, p.key), true}
	}
	found := map[string]item{} // by table and key
	for len(asked) > 0 {
		var out struct {
			Responses       map[string][]json.RawMessage
			UnprocessedKeys map[string]keysOfTable
		}
		c.ask("BatchGetItem", map[string]any{"RequestItems": asked}, &out)
		for table, items := range out.Responses {
			for _, raw := range items {
				var values attributes
				c.decode(raw, &values)
				item, err := attributevalue.UnmarshalMapJSON(raw)
				if err != nil {
					c.keep(err)
				}
				found[c.name(table, values)] = item
			}
		}
		asked = out.UnprocessedKeys
	}
	items := make([]item, len(places))
	for i, p := range places {
		items[i] = found[c.name(p.table, p.key)]
	}
	return items
}

// name is the same for the same item, given whole or by its key.
func (c *call) name(table string, item attributes) string {
	parts := []string{table}
	for _, name := range c.table(table).KeySchema.names() {
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
	return string(c.encode(parts))
}

// ask sends a request to the engine, uncounted. If the engine refuses it, out stays
// as it is: the item does not exist, or the metered call is invalid.
func (c *call) ask(op string, in, out any) {
	ctx := context.WithoutCancel(c.req.HTTP.Context())
	res, err := c.local.side.RoundTrip(c.req.As(op, c.encode(in)).WithContext(ctx))
	if err != nil {
		c.keep(err)
		return
	}
	body, err := wire.Body(res)
	if err == nil && res.StatusCode == http.StatusOK {
		err = json.NewDecoder(bytes.NewReader(body)).Decode(out)
	}
	if err != nil {
		c.keep(err)
	}
}
