package faults

import (
	"encoding/json"

	"github.com/plaza-sdk/plaza/internal/dynamotest/wire"
)

// operations are the operations that can have faults. The value is true for writes.
var operations = map[string]bool{
	"GetItem": false, "BatchGetItem": false, "Query": false, "Scan": false, "TransactGetItems": false,
	"PutItem": true, "UpdateItem": true, "DeleteItem": true, "BatchWriteItem": true, "TransactWriteItems": true,
}

// decision is a fault and the random number that it uses.
type decision struct {
	Fault
	chance uint64
}

// decide draws equally often for every request, so that a fault depends only on
// the seed and the request's place in the sequence.
func (in *Injector) decide(req wire.Request) decision {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.off {
		return decision{}
	}
	if in.dead {
		return decision{Fault: Fault{Kind: KilledBefore}}
	}
	writes, ok := operations[req.Op]
	if !ok {
		return decision{}
	}
	in.requests++
	if writes {
		in.writes++
	}
	u := in.random.Float64()
	d := decision{chance: in.random.Uint64()}
	switch {
	case writes && in.writes == in.killAt:
		d.Kind = in.killKind
	case in.script != nil:
		d.Fault = in.script(req.Op, req.Body, in.requests)
	}
	if d.Kind == None {
		d.Kind = in.draw(u, req)
	} else if !d.Kind.fits(req) {
		in.t.Errorf("faults: scripted %v cannot happen to %s", d.Kind, req.Op)
		d.Kind = None
	}
	in.counts[d.Kind]++
	in.dead = d.Kind == KilledBefore || d.Kind == KilledAfter
	return d
}

func (in *Injector) draw(u float64, req wire.Request) Kind {
	for k := LostBefore; k < kinds; k++ {
		rate := in.rates.of(k)
		if rate == 0 || !k.fits(req) {
			continue
		}
		// If DynamoDB can process no part of a batch, it refuses the batch.
		if k == Unprocessed && batchSize(req) < 2 {
			continue
		}
		if u < rate {
			return k
		}
		u -= rate
	}
	return None
}

// fits reports whether the request can have this fault.
func (k Kind) fits(req wire.Request) bool {
	switch k {
	case Conflict:
		switch req.Op {
		case "PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems", "TransactGetItems":
			return true
		}
		return false
	case InProgress:
		return req.Op == "TransactWriteItems"
	case Unprocessed:
		return batchSize(req) > 0
	case Stale:
		return stalable(req)
	}
	return true
}

// stalable reports whether a replica that lags may answer the read.
func stalable(req wire.Request) bool {
	var in struct {
		ConsistentRead bool
		RequestItems   map[string]struct{ ConsistentRead bool }
	}
	switch req.Op {
	case "GetItem", "Query", "Scan":
		return json.Unmarshal(req.Body, &in) == nil && !in.ConsistentRead
	case "BatchGetItem":
		if json.Unmarshal(req.Body, &in) != nil {
			return false
		}
		for _, table := range in.RequestItems {
			if !table.ConsistentRead {
				return true
			}
		}
	}
	return false
}
