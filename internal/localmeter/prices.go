package localmeter

import "github.com/plaza-sdk/plaza/meter"

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
		return meter.Cost{Read: max(c.reported(), leastRead(c.in.ConsistentRead))}
	}
}

func batchGet(c *call) func(bool) meter.Cost {
	return func(ok bool) meter.Cost {
		if !ok {
			return meter.Cost{}
		}
		sum := c.reported()
		var found map[string][]attributes
		c.decode(c.out.Responses, &found)
		for table, raw := range c.in.RequestItems {
			var asked keysOfTable
			c.decode(raw, &asked)
			missing := len(asked.Keys) - len(c.out.UnprocessedKeys[table].Keys) - len(found[table])
			sum += float64(missing) * leastRead(asked.ConsistentRead)
		}
		return meter.Cost{Read: sum}
	}
}

func transactGet(c *call) func(bool) meter.Cost {
	return func(ok bool) meter.Cost {
		if !ok && !c.failedWith("TransactionCanceledException") {
			return meter.Cost{}
		}
		return meter.Cost{Read: transactRead(c.sizes(c.transactPlaces()))}
	}
}

func write(c *call) func(bool) meter.Cost {
	return func(ok bool) meter.Cost {
		switch {
		case ok:
			return meter.Cost{Write: c.reported()}
		case c.failedWith("ConditionalCheckFailedException"):
			return meter.Cost{Write: meter.WriteUnits(c.size(c.place(c.in)))}
		}
		return meter.Cost{}
	}
}

// batchWrite corrects a delete of nothing: DynamoDB Local reports two units, AWS
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
	excess := 0.0
	for _, size := range c.sizes(deleted) {
		if size == 0 {
			excess++
		}
	}
	return func(ok bool) meter.Cost {
		if !ok {
			return meter.Cost{}
		}
		return meter.Cost{Write: c.reported() - excess}
	}
}

// transactWrite bills each item twice, even if the transaction is cancelled.
// A repeated token that was applied before is billed as a read.
func transactWrite(c *call) func(bool) meter.Cost {
	places := c.transactPlaces()
	before := c.sizes(places)
	return func(ok bool) meter.Cost {
		if !ok && !c.failedWith("TransactionCanceledException") {
			return meter.Cost{}
		}
		if ok && c.local.repeated(c.in.ClientRequestToken) {
			return meter.Cost{Read: transactRead(before)}
		}
		var cost meter.Cost
		for i, after := range c.transactSizes(places, ok) {
			cost.Write += 2 * meter.WriteUnits(max(before[i], after))
		}
		return cost
	}
}

// transactSizes returns the sizes after a transaction. Only those of updates must be read.
func (c *call) transactSizes(places []place, applied bool) []int {
	sizes := make([]int, len(places))
	if !applied {
		return sizes
	}
	var at []int
	var updated []place
	for i, entry := range c.in.TransactItems {
		if _, ok := entry["Update"]; ok {
			at, updated = append(at, i), append(updated, places[i])
		}
		sizes[i] = c.itemSize(entry["Put"].Item)
	}
	for i, size := range c.sizes(updated) {
		sizes[at[i]] = size
	}
	return sizes
}

func (l *Local) repeated(token string) bool {
	if token == "" {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	was := l.done[token]
	l.done[token] = true
	return was
}

func transactRead(sizes []int) float64 {
	sum := 0.0
	for _, size := range sizes {
		sum += 2 * meter.ReadUnits(size)
	}
	return sum
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
