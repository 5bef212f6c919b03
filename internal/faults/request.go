package faults

import (
	"cmp"
	"encoding/json"
	"regexp"

	"github.com/plaza-sdk/plaza/internal/dynamotest/wire"
)

// request is the body of a request for one item or one query.
type request struct {
	TableName, IndexName      string
	Key, Item                 map[string]json.RawMessage
	ConsistentRead            bool
	KeyConditionExpression    string
	UpdateExpression          string
	ExpressionAttributeNames  map[string]string
	ExpressionAttributeValues map[string]json.RawMessage
}

// key has the attribute from the item of a put, or from the key of another request.
func (r request) key(name string) json.RawMessage {
	if r.Item != nil {
		return r.Item[name]
	}
	return r.Key[name]
}

// set is an attribute that an update sets, perhaps unless it exists.
var set = regexp.MustCompile(`([#\w]+) = (?:if_not_exists\([#\w]+, )?(:\w+)`)

// written has the attribute that a put stores or an update sets.
func (r request) written(name string) json.RawMessage {
	for _, m := range set.FindAllStringSubmatch(r.UpdateExpression, -1) {
		if cmp.Or(r.ExpressionAttributeNames[m[1]], m[1]) == name {
			return r.ExpressionAttributeValues[m[2]]
		}
	}
	return r.Item[name]
}

// part is one entry of a batch or transaction, or a whole request.
type part struct {
	request
	index int    // among the request's parts
	op    string // PutItem, or ConditionCheck; of a batch the batch's own
	size  int    // in bytes of JSON
}

// parts returns a request's parts, none if it is not one of operations.
func parts(req wire.Request) (out []part) {
	add := func(op, table string, body json.RawMessage) {
		p := part{op: op, index: len(out), size: len(body)}
		if json.Unmarshal(body, &p.request) == nil {
			if table != "" {
				p.TableName = table
			}
			out = append(out, p)
		}
	}
	switch req.Op {
	case "GetItem", "Query", "Scan", "PutItem", "UpdateItem", "DeleteItem":
		add(req.Op, "", req.Body)
	case "TransactWriteItems", "TransactGetItems":
		var in struct{ TransactItems []map[string]json.RawMessage }
		_ = json.Unmarshal(req.Body, &in)
		for _, actions := range in.TransactItems {
			for name, body := range actions { // one
				add(name, "", body)
			}
		}
	case "BatchWriteItem":
		b, _ := parseBatch(req)
		for _, t := range b.tables {
			for _, entry := range t.entries {
				var write struct{ PutRequest, DeleteRequest json.RawMessage }
				_ = json.Unmarshal(entry, &write)
				if write.PutRequest != nil {
					add(req.Op, t.name, write.PutRequest)
				} else {
					add(req.Op, t.name, write.DeleteRequest)
				}
			}
		}
	case "BatchGetItem":
		b, _ := parseBatch(req)
		for _, t := range b.tables {
			consistent := t.options["ConsistentRead"]
			for _, key := range t.entries {
				body, _ := json.Marshal(map[string]json.RawMessage{"Key": key, "ConsistentRead": orFalse(consistent)})
				add(req.Op, t.name, body)
			}
		}
	}
	return out
}

func orFalse(v json.RawMessage) json.RawMessage {
	if v == nil {
		return json.RawMessage("false")
	}
	return v
}
