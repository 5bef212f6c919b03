package meter

// prices holds the operations that cost units. Each function looks up what it needs
// before the request is sent, and returns one that computes the rest afterwards.
var prices = map[string]func(*call) func(ok bool) Cost{
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

// units returns the units of one item, at least one.
func units(size, unit int) float64 {
	return float64(max(1, (size+unit-1)/unit))
}

const (
	readUnit  = 4096
	writeUnit = 1024
)

func leastRead(consistent bool) float64 {
	if consistent {
		return 1
	}
	return 0.5
}

func read(c *call) func(bool) Cost {
	return func(ok bool) Cost {
		if !ok {
			return Cost{}
		}
		return Cost{Read: max(c.reported(), leastRead(c.in.ConsistentRead))}
	}
}

func batchGet(c *call) func(bool) Cost {
	return func(ok bool) Cost {
		if !ok {
			return Cost{}
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
		return Cost{Read: sum}
	}
}

func transactGet(c *call) func(bool) Cost {
	return func(ok bool) Cost {
		if !ok && !c.failedWith("TransactionCanceledException") {
			return Cost{}
		}
		return Cost{Read: c.transactRead()}
	}
}

func write(c *call) func(bool) Cost {
	return func(ok bool) Cost {
		switch {
		case ok:
			return Cost{Write: c.reported()}
		case c.failedWith("ConditionalCheckFailedException"):
			return Cost{Write: units(c.size(c.in.TableName, c.in.keyIn(c, c.in.TableName)), writeUnit)}
		}
		return Cost{}
	}
}

// keyIn returns the key of one write.
func (in input) keyIn(c *call, table string) attributes {
	if in.Key != nil {
		return in.Key
	}
	return c.key(table, in.Item)
}

// batchWrite corrects a delete of nothing: DynamoDB Local reports two units, AWS
// bills one.
func batchWrite(c *call) func(bool) Cost {
	excess := 0.0
	for table, raw := range c.in.RequestItems {
		var requests []struct{ DeleteRequest *input }
		c.decode(raw, &requests)
		for _, r := range requests {
			if r.DeleteRequest != nil && c.size(table, r.DeleteRequest.Key) == 0 {
				excess++
			}
		}
	}
	return func(ok bool) Cost {
		if !ok {
			return Cost{}
		}
		return Cost{Write: c.reported() - excess}
	}
}

// transactWrite bills each item twice, even if the transaction is cancelled.
// A repeated token that was applied before is billed as a read.
func transactWrite(c *call) func(bool) Cost {
	before := c.transactSizes()
	return func(ok bool) Cost {
		if !ok && !c.failedWith("TransactionCanceledException") {
			return Cost{}
		}
		if ok && c.meter.repeated(c.in.ClientRequestToken) {
			return Cost{Read: c.transactRead()}
		}
		var cost Cost
		for i, after := range c.transactSizes() {
			cost.Write += 2 * units(max(before[i], after), writeUnit)
		}
		return cost
	}
}

func (m *Meter) repeated(token string) bool {
	if token == "" {
		return false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	was := m.done[token]
	m.done[token] = true
	return was
}

func (c *call) transactRead() float64 {
	sum := 0.0
	for _, size := range c.transactSizes() {
		sum += 2 * units(size, readUnit)
	}
	return sum
}

func (c *call) transactSizes() []int {
	var sizes []int
	for _, entry := range c.in.TransactItems {
		for _, action := range entry { // one: Put, Update, Delete, ConditionCheck or Get
			sizes = append(sizes, c.size(action.TableName, action.keyIn(c, action.TableName)))
		}
	}
	return sizes
}
