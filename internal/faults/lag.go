package faults

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/dynamotest/wire"
)

// Lag lets the indexes of tables lag as DynamoDB's do: an eventually consistent read of an
// index finds a table's writes up to some moment, in their order, and none after it. A write
// arrives there after 1 to 20 more requests, or 2 s.
//
// It keeps a copy of each table beside it, to which it repeats the writes, and which it
// lets answer. Wrap it nearest to the engine, around all clients of a test, before the
// first write.
type Lag struct {
	t testing.TB

	mu      sync.Mutex
	random  *rand.Rand
	now     int             // requests
	copies  map[string]bool // by table: whether it has indexes, and so a copy
	waiting []lagging       // in the order in which they were written
	reads   int
	next    aws.HTTPClient
	last    wire.Request // has a signature
}

// lagging is an item that its table's copy lacks.
type lagging struct {
	table string
	key   map[string]json.RawMessage
	item  json.RawMessage // nil: deleted
	due   int
	until time.Time
}

// NewLag returns a Lag whose copies are deleted when the test ends.
func NewLag(t testing.TB, seed uint64) *Lag {
	l := &Lag{t: t, random: rand.New(rand.NewPCG(seed, 0)), copies: make(map[string]bool)}
	t.Cleanup(l.free)
	return l
}

// Reads counts the reads that lacked a write of their table.
func (l *Lag) Reads() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.reads
}

// Wrap puts l before next.
func (l *Lag) Wrap(next aws.HTTPClient) aws.HTTPClient {
	l.next = next
	return behind{l, next}
}

type behind struct {
	*Lag
	next aws.HTTPClient
}

func (c behind) Do(r *http.Request) (*http.Response, error) {
	req, err := wire.Read(r)
	if err != nil {
		return nil, err
	}
	if operations[req.Op] {
		return c.write(req)
	}
	var in struct {
		TableName, IndexName string
		ConsistentRead       bool
	}
	if err := json.Unmarshal(req.Body, &in); err != nil || in.IndexName == "" || in.ConsistentRead {
		return c.next.Do(req.Again())
	}
	return c.read(req, in.TableName)
}

func (c behind) read(req wire.Request, table string) (*http.Response, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if has, err := c.copied(req, table); err != nil {
		return nil, err
	} else if !has {
		return nil, fmt.Errorf("faults: table %s has no index", table)
	}
	if err := c.arrive(req); err != nil {
		return nil, err
	}
	for _, w := range c.waiting {
		if w.table == table {
			c.reads++
			break
		}
	}
	var fields map[string]any
	if err := json.Unmarshal(req.Body, &fields); err != nil {
		return nil, err
	}
	fields["TableName"] = copyOf(table)
	body, err := json.Marshal(fields)
	if err != nil {
		return nil, err
	}
	return c.next.Do(req.As(req.Op, body))
}

// write applies a write and notes what is stored then: a later read of a key finds a later
// item, so that the items of a key are noted in their order.
func (c behind) write(req wire.Request) (*http.Response, error) {
	items := written(req)
	c.mu.Lock()
	for _, w := range items {
		if _, err := c.copied(req, w.table); err != nil {
			c.mu.Unlock()
			return nil, err
		}
	}
	c.mu.Unlock()
	res, err := c.next.Do(req.Again())
	if err != nil || res.StatusCode != http.StatusOK {
		return res, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, w := range items {
		if !c.copies[w.table] {
			continue
		}
		var out struct{ Item json.RawMessage }
		if err := c.ask(req, "GetItem", map[string]any{"TableName": w.table, "Key": w.key, "ConsistentRead": true}, &out); err != nil {
			return nil, err
		}
		w.item, w.due, w.until = out.Item, c.now+1+c.random.IntN(20), time.Now().Add(2*time.Second)
		c.waiting = append(c.waiting, w)
	}
	return res, c.arrive(req)
}

// arrive repeats the writes that are due, the oldest first, and none before an older one.
func (c behind) arrive(req wire.Request) error {
	c.now++
	c.last = req
	for len(c.waiting) > 0 {
		w := c.waiting[0]
		if w.due > c.now && time.Now().Before(w.until) {
			return nil
		}
		op, in := "PutItem", map[string]any{"TableName": copyOf(w.table), "Item": w.item}
		if w.item == nil {
			op, in = "DeleteItem", map[string]any{"TableName": copyOf(w.table), "Key": w.key}
		}
		if err := c.ask(req, op, in, nil); err != nil {
			return err
		}
		c.waiting = c.waiting[1:]
	}
	return nil
}

func copyOf(table string) string { return table[:min(len(table), 250)] + ".lag" }

// copied creates the copy of a table that has indexes.
func (c behind) copied(req wire.Request, table string) (bool, error) {
	if has, ok := c.copies[table]; ok {
		return has, nil
	}
	var out struct{ Table map[string]any }
	if err := c.ask(req, "DescribeTable", map[string]any{"TableName": table}, &out); err != nil {
		return false, err
	}
	in := map[string]any{"TableName": copyOf(table), "BillingMode": "PAY_PER_REQUEST"}
	for _, field := range []string{"AttributeDefinitions", "KeySchema"} {
		in[field] = out.Table[field]
	}
	has := false
	for _, field := range []string{"GlobalSecondaryIndexes", "LocalSecondaryIndexes"} {
		var list []map[string]any
		indexes, _ := out.Table[field].([]any)
		for _, i := range indexes {
			index := i.(map[string]any)
			list = append(list, map[string]any{"IndexName": index["IndexName"], "KeySchema": index["KeySchema"], "Projection": index["Projection"]})
		}
		if list != nil {
			in[field], has = list, true
		}
	}
	if has {
		if err := c.ask(req, "CreateTable", in, nil); err != nil {
			return false, err
		}
	}
	c.copies[table] = has
	return has, nil
}

// ask sends a request of its own, which is nobody's operation, as like carries a signature.
func (c behind) ask(like wire.Request, op string, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	ctx := plaza.WithOperation(context.WithoutCancel(like.HTTP.Context()), "")
	res, err := c.next.Do(like.As(op, body).WithContext(ctx))
	if err != nil {
		return err
	}
	answer, err := wire.Body(res)
	switch {
	case err != nil:
		return err
	case res.StatusCode != http.StatusOK:
		return fmt.Errorf("faults: %s of a lagging index: %s", op, answer)
	case out == nil:
		return nil
	}
	return json.Unmarshal(answer, out)
}

// free deletes the copies.
func (l *Lag) free() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for table, has := range l.copies {
		if !has {
			continue
		}
		if err := (behind{l, l.next}).ask(l.last, "DeleteTable", map[string]any{"TableName": copyOf(table)}, nil); err != nil {
			l.t.Error(err)
		}
	}
}

// written returns the items that a request writes. Those of Plaza have the keys pk and sk.
func written(req wire.Request) (out []lagging) {
	for _, p := range parts(req) {
		if p.op != "ConditionCheck" {
			out = append(out, lagging{table: p.TableName, key: map[string]json.RawMessage{"pk": p.key("pk"), "sk": p.key("sk")}})
		}
	}
	return out
}
