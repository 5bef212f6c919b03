package localmeter

import (
	"encoding/json"
	"slices"

	"github.com/plaza-sdk/plaza/internal/engine"
	"github.com/plaza-sdk/plaza/meter"
)

// prices holds the actions that cost units. Each function looks up what it needs
// before the request is sent, and returns one that computes the rest afterwards.
var prices = map[string]func(*call) func(ok bool) meter.Cost{
	"GetItem":            read,
	"Query":              read,
	"Scan":               read,
	"BatchGetItem":       batchGet,
	"TransactGetItems":   transactGet,
	"PutItem":            write,
	"UpdateItem":         write,
	"DeleteItem":         write,
	"BatchWriteItem":     batchWrite,
	"TransactWriteItems": transactWrite,
}

// consumed is what a request used of one table.
type consumed struct {
	TableName          string
	CapacityUnits      float64
	ReadCapacityUnits  float64 `json:",omitempty"` // of transactions
	WriteCapacityUnits float64 `json:",omitempty"`

	// These stay as the engine reports them.
	Table                  json.RawMessage `json:",omitempty"`
	GlobalSecondaryIndexes json.RawMessage `json:",omitempty"`
	LocalSecondaryIndexes  json.RawMessage `json:",omitempty"`
}

// of returns what was used of a table.
func (c *call) of(table string) *consumed {
	i := slices.IndexFunc(c.used, func(u *consumed) bool { return u.TableName == table })
	if i < 0 {
		i = len(c.used)
		c.used = append(c.used, &consumed{TableName: table})
	}
	return c.used[i]
}

// sum returns what was used of all tables.
func (c *call) sum() float64 {
	sum := 0.0
	for _, u := range c.used {
		sum += u.CapacityUnits
	}
	return sum
}

func leastRead(consistent bool) float64 {
	if consistent {
		return 1
	}
	return 0.5
}

func read(c *call) func(bool) meter.Cost {
	return func(ok bool) meter.Cost {
		if !ok {
			return meter.Cost{}
		}
		used := c.of(c.in.TableName)
		used.CapacityUnits = max(used.CapacityUnits, leastRead(c.in.ConsistentRead))
		return meter.Cost{Read: c.sum()}
	}
}

func batchGet(c *call) func(bool) meter.Cost {
	return func(ok bool) meter.Cost {
		if !ok {
			return meter.Cost{}
		}
		var found map[string][]attributes
		c.decode(c.out.Responses, &found)
		for table, raw := range c.in.RequestItems {
			if c.kind != engine.DynamoDBLocal {
				break // others report missing keys
			}
			var asked keysOfTable
			c.decode(raw, &asked)
			missing := len(asked.Keys) - len(c.out.UnprocessedKeys[table].Keys) - len(found[table])
			c.of(table).CapacityUnits += float64(missing) * leastRead(asked.ConsistentRead)
		}
		return meter.Cost{Read: c.sum()}
	}
}

func transactGet(c *call) func(bool) meter.Cost {
	return func(ok bool) meter.Cost {
		if !ok && !c.failedWith("TransactionCanceledException") {
			return meter.Cost{}
		}
		places := c.transactPlaces()
		return c.transactRead(places, c.items(places))
	}
}

func write(c *call) func(bool) meter.Cost {
	return func(ok bool) meter.Cost {
		switch {
		case ok:
			return meter.Cost{Write: c.sum()}
		case c.failedWith("ConditionalCheckFailedException"):
			return meter.Cost{Write: meter.WriteUnits(meter.ItemSize(c.items([]place{c.place(c.in)})[0]))}
		}
		return meter.Cost{}
	}
}

// batchWrite corrects a delete of nothing, of which DynamoDB Local reports two units and AWS
// bills one.
func batchWrite(c *call) func(bool) meter.Cost {
	var deleted []place
	for table, raw := range c.in.RequestItems {
		var requests []struct{ DeleteRequest *input }
		c.decode(raw, &requests)
		for _, r := range requests {
			if r.DeleteRequest != nil {
				deleted = append(deleted, place{table, r.DeleteRequest.Key})
			}
		}
	}
	before := c.items(deleted)
	return func(ok bool) meter.Cost {
		if !ok {
			return meter.Cost{}
		}
		for i, item := range before {
			if item == nil && c.kind == engine.DynamoDBLocal {
				c.of(deleted[i].table).CapacityUnits--
			}
		}
		return meter.Cost{Write: c.sum()}
	}
}

// transactWrite bills each item twice, even if the transaction is cancelled, and what
// changes in indexes once. No engine reports both. A transaction that is repeated
// with its token is billed as a read.
func transactWrite(c *call) func(bool) meter.Cost {
	places := c.transactPlaces()
	before := c.items(places)
	return func(ok bool) meter.Cost {
		if !ok && !c.failedWith("TransactionCanceledException") {
			return meter.Cost{}
		}
		if slices.ContainsFunc(c.used, func(u *consumed) bool { return u.ReadCapacityUnits > 0 }) {
			return c.transactRead(places, before)
		}
		c.used = nil
		for i, after := range c.items(places) {
			used := c.of(places[i].table)
			used.CapacityUnits += 2 * meter.WriteUnits(max(meter.ItemSize(before[i]), meter.ItemSize(after)))
			used.CapacityUnits += c.table(places[i].table).indexWrites(before[i], after)
			used.WriteCapacityUnits = used.CapacityUnits
		}
		return meter.Cost{Write: c.sum()}
	}
}

func (c *call) transactRead(places []place, items []item) meter.Cost {
	c.used = nil
	for i, item := range items {
		used := c.of(places[i].table)
		used.CapacityUnits += 2 * meter.ReadUnits(meter.ItemSize(item))
		used.ReadCapacityUnits = used.CapacityUnits
	}
	return meter.Cost{Read: c.sum()}
}

func (c *call) transactPlaces() []place {
	var places []place
	for _, entry := range c.in.TransactItems {
		for _, action := range entry { // one: Put, Update, Delete, ConditionCheck or Get
			places = append(places, c.place(action))
		}
	}
	return places
}
