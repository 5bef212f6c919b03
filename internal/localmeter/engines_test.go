package localmeter_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/engine"
	"github.com/plaza-sdk/plaza/internal/localmeter"
	"github.com/plaza-sdk/plaza/meter"
)

// world is an engine with a table of two indexes: by-author has an attribute text, too, and by-time only keys.
type world struct {
	endpoint string
	client   interface {
		Do(*http.Request) (*http.Response, error)
	}
	cost *meter.Meter
}

const schema = `{"TableName": "table", "BillingMode": "PAY_PER_REQUEST",
	"AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "sk", "AttributeType": "S"},
		{"AttributeName": "at", "AttributeType": "S"}, {"AttributeName": "by", "AttributeType": "S"}],
	"KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
	"GlobalSecondaryIndexes": [{"IndexName": "by-author", "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["text"]},
		"KeySchema": [{"AttributeName": "by", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}]}],
	"LocalSecondaryIndexes": [{"IndexName": "by-time", "Projection": {"ProjectionType": "KEYS_ONLY"},
		"KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "at", "KeyType": "RANGE"}]}]}`

func newWorld(t *testing.T, name string) world {
	t.Helper()
	e, err := engine.Start(t.Context(), &engine.Options{Name: name})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	m := meter.New()
	w := world{e.Endpoint, localmeter.New(m, http.DefaultTransport, nil).Wrap(http.DefaultClient), m}
	w.cost.Reset()
	created := w.send(t, "CreateTable", schema)
	require.Equal(t, http.StatusOK, created.status, created.Message)
	return w
}

type answer struct {
	status           int
	Message          string
	ConsumedCapacity json.RawMessage
}

func (w world) send(t *testing.T, action, body string) (out answer) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.endpoint, strings.NewReader(body))
	require.NoError(t, err)
	r.Header.Set("X-Amz-Target", "DynamoDB_20120810."+action)
	r.Header.Set("X-Amz-Date", "20000101T000000Z")
	r.Header.Set("Content-Type", "application/x-amz-json-1.0")
	r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=a/20000101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0")
	res, err := w.client.Do(r)
	require.NoError(t, err)
	defer func() { require.NoError(t, res.Body.Close()) }()
	out.status = res.StatusCode
	require.NoError(t, json.NewDecoder(res.Body).Decode(&out))
	return out
}

// reported is the sum of the units in an answer.
func (a answer) reported(t *testing.T) (sum float64) {
	t.Helper()
	type consumed struct{ CapacityUnits float64 }
	var all []consumed
	if strings.HasPrefix(string(a.ConsumedCapacity), "{") {
		all = make([]consumed, 1)
		require.NoError(t, json.Unmarshal(a.ConsumedCapacity, &all[0]))
	} else if a.ConsumedCapacity != nil {
		require.NoError(t, json.Unmarshal(a.ConsumedCapacity, &all))
	}
	for _, c := range all {
		sum += c.CapacityUnits
	}
	return sum
}

const (
	table  = `"TableName": "table", `
	absent = `"ConditionExpression": "attribute_not_exists(pk)", `
	stored = `"ConditionExpression": "attribute_exists(pk)", `
	strong = `"ConsistentRead": true, `
	none   = `"FilterExpression": "attribute_exists(nothing)", `
)

func key(sk string) string { return fmt.Sprintf(`{"pk": {"S": "p"}, "sk": {"S": %q}}`, sk) }

// item has a text of a size, and what places it in the indexes, "" for neither.
func item(sk string, size int, at, by string) string {
	more := ""
	if at != "" {
		more += fmt.Sprintf(`, "at": {"S": %q}`, at)
	}
	if by != "" {
		more += fmt.Sprintf(`, "by": {"S": %q}`, by)
	}
	return fmt.Sprintf(`{"pk": {"S": "p"}, "sk": {"S": %q}, "text": {"S": %q}%s}`, sk, strings.Repeat("x", size), more)
}

func update(sk, expression, value string) string {
	return fmt.Sprintf(`"Key": %s, "UpdateExpression": %q, "ExpressionAttributeNames": {"#a": "at"}, "ExpressionAttributeValues": {":v": {"S": %q}}`,
		key(sk), expression, value)
}

func query(index, attribute, value string) string {
	if index != "" {
		index = fmt.Sprintf(`"IndexName": %q, `, index)
	}
	return fmt.Sprintf(`%s"KeyConditionExpression": "#k = :v", "ExpressionAttributeNames": {"#k": %q}, "ExpressionAttributeValues": {":v": {"S": %q}}`,
		index, attribute, value)
}

func batchGet(with string, keys ...string) string {
	for i, k := range keys {
		keys[i] = key(k)
	}
	return fmt.Sprintf(`"RequestItems": {"table": {%s"Keys": [%s]}}`, with, strings.Join(keys, ", "))
}

func transaction(actions ...string) string {
	return fmt.Sprintf(`"TransactItems": [%s]`, strings.Join(actions, ", "))
}

func action(name, fields string) string {
	return fmt.Sprintf(`{%q: {"TableName": "table", %s}}`, name, fields)
}

func TestBothEnginesCostWhatAWSBills(t *testing.T) {
	t.Parallel()
	const set, leave = "SET #a = :v", "REMOVE #a SET word = :v"
	written := transaction(
		action("Put", absent+`"Item": `+item("f", 10, "1", "x")), action("Update", update("a", set, "1")),
		action("Delete", `"Key": `+key("d")), action("ConditionCheck", stored+`"Key": `+key("b")),
	)
	calls := []struct {
		name, action, body string
		units              float64
	}{
		{"nothing", "GetItem", table + `"Key": ` + key("a"), 0.5},
		{"nothing, consistent", "GetItem", table + strong + `"Key": ` + key("a"), 1},
		{"nothing", "Query", table + query("", "pk", "p"), 0.5},
		{"nothing, consistent", "Query", table + strong + query("", "pk", "p"), 1},
		{"nothing in an index", "Query", table + query("by-author", "by", "x"), 0.5},
		{"nothing", "Scan", `"TableName": "table"`, 0.5},
		{"nothing", "BatchGetItem", batchGet("", "a", "b", "c"), 1.5},
		{"nothing, consistent", "BatchGetItem", batchGet(strong, "a", "b", "c"), 3},
		{"nothing", "TransactGetItems", transaction(action("Get", `"Key": `+key("a")), action("Get", `"Key": `+key("b"))), 4},
		{"nothing", "DeleteItem", table + `"Key": ` + key("a"), 1},
		{"nothing, refused", "DeleteItem", table + stored + `"Key": ` + key("a"), 1},
		{"nothing, refused", "UpdateItem", table + stored + update("a", set, "1"), 1},
		{"deletes nothing", "BatchWriteItem", `"RequestItems": {"table": [{"DeleteRequest": {"Key": ` + key("a") + `}}]}`, 1},
		{"deletes nothing", "TransactWriteItems", transaction(action("Delete", `"Key": `+key("a"))), 2},
		{"nothing, refused", "TransactWriteItems", transaction(action("ConditionCheck", stored+`"Key": `+key("a")), action("Put", `"Item": `+item("b", 10, "", ""))), 4},

		{"new", "PutItem", table + absent + `"Item": ` + item("a", 10, "", ""), 1},
		{"a larger one, refused", "PutItem", table + absent + `"Item": ` + item("a", 3000, "", ""), 1},
		{"a larger one", "PutItem", table + stored + `"Item": ` + item("a", 3000, "", ""), 3},
		{"a smaller one, refused", "PutItem", table + absent + `"Item": ` + item("a", 10, "", ""), 3},
		{"a smaller one", "PutItem", table + `"Item": ` + item("a", 10, "", ""), 3},
		{"into both indexes", "PutItem", table + `"Item": ` + item("b", 10, "1", "x"), 3},
		{"the same", "PutItem", table + `"Item": ` + item("b", 10, "1", "x"), 1},
		{"what the index has, too", "PutItem", table + `"Item": ` + item("b", 1500, "1", "x"), 4},
		{"elsewhere in both indexes", "PutItem", table + `"Item": ` + item("b", 10, "2", "y"), 7},
		{"out of both indexes", "PutItem", table + `"Item": ` + item("b", 10, "", ""), 3},
		{"into an index", "UpdateItem", table + update("b", set, "1"), 2},
		{"elsewhere in an index", "UpdateItem", table + update("b", set, "2"), 3},
		{"the same", "UpdateItem", table + update("b", set, "2"), 1},
		{"out of an index", "UpdateItem", table + update("b", leave, "2"), 2},
		{"new", "UpdateItem", table + update("c", set, "1"), 2},
		{"beyond ASCII", "UpdateItem", table + update("c", set, "€ 弹幕"), 3},
		{
			"puts and deletes", "BatchWriteItem", `"RequestItems": {"table": [{"PutRequest": {"Item": ` + item("d", 5000, "3", "x") +
				`}}, {"PutRequest": {"Item": ` + item("e", 10, "", "") + `}}, {"DeleteRequest": {"Key": ` + key("c") +
				`}}, {"DeleteRequest": {"Key": ` + key("none") + `}}]}`, 5 + 1 + 5 + 1 + 2 + 1,
		},

		{"small", "GetItem", table + `"Key": ` + key("a"), 0.5},
		{"large", "GetItem", table + `"Key": ` + key("d"), 1},
		{"large, consistent", "GetItem", table + strong + `"Key": ` + key("d"), 2},
		{"a key of a large one", "GetItem", table + strong + `"ProjectionExpression": "pk", "Key": ` + key("d"), 2},
		{"all", "Query", table + query("", "pk", "p"), 1},
		{"all, consistent", "Query", table + strong + query("", "pk", "p"), 2},
		{"all, filtered", "Query", table + none + strong + query("", "pk", "p"), 2},
		{"an index with texts", "Query", table + query("by-author", "by", "x"), 1},
		{"an index of keys", "Query", table + strong + query("by-time", "pk", "p"), 1},
		{"all", "Scan", `"TableName": "table"`, 1},
		{"all, filtered", "Scan", none + `"TableName": "table"`, 1},
		{"some and nothing", "BatchGetItem", batchGet("", "a", "b", "d", "none"), 2.5},
		{"some and nothing, consistent", "BatchGetItem", batchGet(strong, "a", "b", "d", "none"), 5},
		{
			"some and nothing", "TransactGetItems",
			transaction(action("Get", `"Key": `+key("a")), action("Get", `"Key": `+key("d")), action("Get", `"Key": `+key("none"))), 8,
		},

		{"all four", "TransactWriteItems", `"ClientRequestToken": "once", ` + written, 2 + 2 + 2 + 1 + 10 + 5 + 1 + 2},
		{"repeated", "TransactWriteItems", `"ClientRequestToken": "once", ` + written, 2 + 2 + 2 + 2},
		{
			"refused", "TransactWriteItems",
			transaction(action("Put", absent+`"Item": `+item("f", 10, "1", "x")), action("Update", update("b", set, "1"))), 4,
		},
		{"out of both indexes", "DeleteItem", table + stored + `"Key": ` + key("f"), 3},
	}
	for _, name := range []string{"dynamodb-local", "dynoxide"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, name)
			for _, c := range calls {
				w.cost.Reset()
				out := w.send(t, c.action, `{"ReturnConsumedCapacity": "TOTAL", `+c.body+`}`)
				require.Contains(t, []int{http.StatusOK, http.StatusBadRequest}, out.status)
				used := meter.Sum(w.cost.Reset())
				if got := used.Read + used.Write; got != c.units {
					t.Errorf("%s, %s: %v units, want %v", c.action, c.name, got, c.units)
				}
				if out.status == http.StatusOK && out.reported(t) != c.units {
					t.Errorf("%s, %s: the answer says %v units, want %v", c.action, c.name, out.reported(t), c.units)
				}
			}
		})
	}
}
