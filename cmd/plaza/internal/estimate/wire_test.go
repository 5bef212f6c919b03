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
	c.costs.Add(operation, meter.Cost(cost))
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
	type item = map[string]struct{ S string }
	type action struct {
		TableName                 string
		Key, Item                 item
		ExpressionAttributeValues map[string]struct{ S string }
		IndexName                 string
		KeyConditionExpression    string
	}
	var in struct {
		action
		RequestItems  map[string]json.RawMessage
		TransactItems []map[string]action
	}
	if err := json.Unmarshal(req.Body, &in); err != nil {
		panic(err)
	}
	type place struct{ table, pk, sk string }
	var places []place
	add := func(table string, a action) {
		switch {
		case a.Key != nil:
			places = append(places, place{table, a.Key["pk"].S, a.Key["sk"].S})
		case a.Item != nil:
			places = append(places, place{table, a.Item["pk"].S, a.Item["sk"].S})
		default:
			pk := a.ExpressionAttributeValues[strings.Fields(a.KeyConditionExpression)[2]].S // partition = ?
			if a.IndexName == "ranking" {
				pk = "ranking " + pk
			}
			places = append(places, place{table, pk, ""})
		}
	}
	switch {
	case in.TransactItems != nil:
		for _, entry := range in.TransactItems {
			for _, a := range entry {
				add(a.TableName, a)
			}
		}
	case in.RequestItems != nil:
		for table, raw := range in.RequestItems {
			var keys struct{ Keys []item }
			var writes []struct{ PutRequest, DeleteRequest *action }
			if json.Unmarshal(raw, &keys) == nil {
				for _, key := range keys.Keys {
					add(table, action{Key: key})
				}
			} else if err := json.Unmarshal(raw, &writes); err == nil {
				for _, write := range writes {
					if write.PutRequest != nil {
						add(table, *write.PutRequest)
					} else {
						add(table, *write.DeleteRequest)
					}
				}
			}
		}
	default:
		add(in.TableName, in.action)
	}
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
