package estimate

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/dynamotest/wire"
	"github.com/plaza-sdk/plaza/meter"
)

// wireMeter counts what crosses the wire, by operation and by partition key.
type wireMeter struct {
	tables map[string]string // from a table's full name to its feature

	mu    sync.Mutex
	free  []*dynamotest.Meter // each prices one request at a time
	calls map[string]int
	costs *meter.Meter
	keys  map[string]map[string]Units // by feature and partition key
}

func newWireMeter() *wireMeter {
	return &wireMeter{tables: map[string]string{}, calls: map[string]int{}, costs: meter.New(), keys: map[string]map[string]Units{}}
}

func (w *wireMeter) call(operation string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls[operation]++
}

func (w *wireMeter) Wrap(next aws.HTTPClient) aws.HTTPClient { return counted{w, next} }

type counted struct {
	*wireMeter
	next aws.HTTPClient
}

func (c counted) Do(r *http.Request) (*http.Response, error) {
	operation := plaza.Operation(r.Context())
	if operation == prepared {
		return c.next.Do(r)
	}
	req, err := wire.Read(r)
	if err != nil {
		return nil, err
	}
	m := c.borrow()
	res, err := m.Wrap(c.next).Do(req.Again())
	cost := m.Take()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.free = append(c.free, m)
	c.costs.Add(operation, cost)
	c.count(req, Units{float64(cost.Requests), cost.Read, cost.Write})
	return res, err
}

func (c counted) borrow() *dynamotest.Meter {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := len(c.free); n > 0 {
		m := c.free[n-1]
		c.free = c.free[:n-1]
		return m
	}
	return dynamotest.NewMeter().Price()
}

// count shares the cost of a request out evenly among the items that it names.
func (w *wireMeter) count(req wire.Request, cost Units) {
	places := placesOf(req)
	for _, p := range places {
		feature := w.tables[p.table]
		each := cost.times(1 / float64(len(places)))
		switch board, ok := strings.CutPrefix(p.sk, "LB#"); {
		case ok && each.Write > 1: // an entry, and its place in the index
			w.heat(feature, "ranking "+board+"#0", Units{Write: each.Write - 1})
			each.Write = 1
		case feature == "danmu":
			each.Write = min(each.Write, 1) // the rest is the index of users
		}
		w.heat(feature, p.pk, each)
	}
}

// place is an item, or a partition that is queried.
type place struct{ table, pk, sk string }

type item map[string]struct{ S string }

// action is one read or write.
type action struct {
	TableName                 string
	Key, Item                 item
	ExpressionAttributeValues item
	IndexName                 string
	KeyConditionExpression    string
}

func (a action) place(table string) place {
	if a.Key == nil {
		a.Key = a.Item
	}
	if a.Key != nil {
		return place{table, a.Key["pk"].S, a.Key["sk"].S}
	}
	pk := a.ExpressionAttributeValues[strings.Fields(a.KeyConditionExpression)[2]].S // partition = ?
	if a.IndexName == "ranking" {
		pk = "ranking " + pk
	}
	return place{table, pk, ""}
}

func placesOf(req wire.Request) (places []place) {
	var in struct {
		action
		RequestItems  map[string]json.RawMessage // keys, or writes
		TransactItems []map[string]action
	}
	decode := func(data []byte, to any) {
		if err := json.Unmarshal(data, to); err != nil {
			panic(err)
		}
	}
	decode(req.Body, &in)
	for _, entry := range in.TransactItems {
		for _, a := range entry {
			places = append(places, a.place(a.TableName))
		}
	}
	for table, raw := range in.RequestItems {
		if req.Op == "BatchGetItem" {
			var asked struct{ Keys []item }
			decode(raw, &asked)
			for _, key := range asked.Keys {
				places = append(places, action{Key: key}.place(table))
			}
			continue
		}
		var writes []map[string]action
		decode(raw, &writes)
		for _, write := range writes {
			for _, a := range write {
				places = append(places, a.place(table))
			}
		}
	}
	if len(places) == 0 {
		places = append(places, in.place(in.TableName))
	}
	return places
}

func (w *wireMeter) heat(feature, pk string, u Units) {
	if w.keys[feature] == nil {
		w.keys[feature] = map[string]Units{}
	}
	w.keys[feature][pk] = w.keys[feature][pk].plus(u)
}

// hottest returns the most writes and the most reads of a key of a table.
func (w *wireMeter) hottest(table string) Units { return w.hottestOf(table, "") }

// hottestOf is hottest among keys that begin as a model's key does.
func (w *wireMeter) hottestOf(table, key string) Units {
	prefix, _, _ := strings.Cut(key, " ")
	var most Units
	for pk, u := range w.keys[table] {
		if strings.HasPrefix(pk, prefix) {
			most.Write, most.Read = max(most.Write, u.Write), max(most.Read, u.Read)
		}
	}
	return most
}
