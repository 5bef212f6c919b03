package wire

import (
	"encoding/json"
	"net/http"
)

// Access is an IAM action and its resource.
type Access struct {
	Action string // e.g. "GetItem"
	Table  string // a table's name, or a stream's ARN or iterator
	Index  string
}

// Accesses returns what IAM must allow for r; for a transaction, the actions of its
// parts.
func (r Request) Accesses() ([]Access, error) {
	var in struct {
		TableName, IndexName string
		StreamArn            string
		ShardIterator        string
		TransactItems        []map[string]struct{ TableName string }
		RequestItems         map[string]json.RawMessage
	}
	if len(r.Body) > 0 {
		if err := json.Unmarshal(r.Body, &in); err != nil {
			return nil, err
		}
	}
	var out []Access
	for _, item := range in.TransactItems {
		for part, on := range item {
			out = append(out, Access{Action: part + "Item", Table: on.TableName})
		}
	}
	for table := range in.RequestItems {
		out = append(out, Access{Action: r.Op, Table: table})
	}
	if out == nil {
		out = []Access{{r.Op, in.TableName + in.StreamArn + in.ShardIterator, in.IndexName}}
	}
	return out, nil
}

// Denied is IAM's refusal of r.
func (r Request) Denied(a Access) *http.Response {
	body, _ := json.Marshal(map[string]string{ // strings always marshal
		"__type":  "com.amazon.coral.service#AccessDeniedException",
		"Message": "not authorized to perform dynamodb:" + a.Action,
	})
	return r.Answer(http.StatusBadRequest, body)
}
