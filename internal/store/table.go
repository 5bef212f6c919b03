// Package store is the only package that talks to DynamoDB: guarded writes and
// transactions, batches, pages and retries.
//
// Only the SDK retries throttling of a whole request. This package retries what
// the SDK does not, with jitter and a bound: transactions that were cancelled
// for passing reasons or are still under way, conflicts of single writes with a
// transaction, and unprocessed entries of batches.
package store

import (
	"cmp"
	"context"
	"iter"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
)

// The names of the key pair and the expiry attribute of every table.
const (
	pk  = "pk"
	sk  = "sk"
	ttl = "ttl"
)

// Key addresses an item.
type Key struct{ PK, SK string }

func (k Key) item() dynamo.Item {
	texts := &[2]types.AttributeValueMemberS{{Value: k.PK}, {Value: k.SK}} // allocated at once
	return dynamo.Item{pk: &texts[0], sk: &texts[1]}
}

// KeyOf returns the key of item.
func KeyOf(item dynamo.Item) Key {
	text := func(name string) string {
		s, _ := item[name].(*types.AttributeValueMemberS)
		if s == nil {
			return ""
		}
		return s.Value
	}
	return Key{text(pk), text(sk)}
}

// Schema is a table with the key pair that every table has, billed by request.
func Schema(table string) *dynamodb.CreateTableInput {
	return &dynamodb.CreateTableInput{
		TableName:   &table,
		BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{
			{AttributeName: aws.String(pk), AttributeType: types.ScalarAttributeTypeS},
			{AttributeName: aws.String(sk), AttributeType: types.ScalarAttributeTypeS},
		},
		KeySchema: []types.KeySchemaElement{
			{AttributeName: aws.String(pk), KeyType: types.KeyTypeHash},
			{AttributeName: aws.String(sk), KeyType: types.KeyTypeRange},
		},
	}
}

// TTL switches on the expiry attribute of a table.
func TTL(table string) *dynamodb.UpdateTimeToLiveInput {
	return &dynamodb.UpdateTimeToLiveInput{
		TableName: &table,
		TimeToLiveSpecification: &types.TimeToLiveSpecification{
			AttributeName: aws.String(ttl),
			Enabled:       aws.Bool(true),
		},
	}
}

// Table is a DynamoDB table that has Schema's key pair.
type Table struct {
	db        *dynamo.DB
	name      string
	onCorrupt func(*plaza.CorruptError)
	clock     *clock // nil: it is trusted
	dates     *clock // of a Dated table
}

// Open refuses a nil db and an empty name. It does no I/O. OnCorrupt may be nil;
// it is called with each damaged item that an answer leaves out. If trustClock is set,
// CheckClock returns nil.
func Open(db *dynamo.DB, table string, onCorrupt func(*plaza.CorruptError), trustClock bool) (*Table, error) {
	switch {
	case db == nil:
		return nil, &plaza.InvalidError{Field: "db", Reason: "is nil"}
	case table == "":
		return nil, &plaza.InvalidError{Field: "table", Reason: "is empty"}
	}
	if onCorrupt == nil {
		onCorrupt = func(*plaza.CorruptError) {}
	}
	t := &Table{db: db, name: table, onCorrupt: onCorrupt}
	if !trustClock {
		t.clock = newClock(table, systemClock())
	}
	return t, nil
}

// Name is the table's name.
func (t *Table) Name() string { return t.name }

// Get reads one item into out. An absent item is plaza.ErrNotFound, a damaged one
// plaza.ErrCorrupt.
func (t *Table) Get(ctx context.Context, key Key, consistent bool, out any) error {
	found, err := ask(ctx, t, t.db.Client().GetItem, &dynamodb.GetItemInput{TableName: &t.name, Key: key.item(), ConsistentRead: &consistent})
	switch {
	case err != nil:
		return err
	case found.Item == nil:
		return plaza.ErrNotFound
	}
	return t.Decode(found.Item, out)
}

// Span is a part of a partition: the sort keys not below From and below To. An
// empty From or To leaves that end open.
type Span struct {
	PK         string
	From, To   string
	Ascending  bool // the default is newest first
	Limit      int  // 0: everything
	Consistent bool
	Only       []string // the attributes to read, the key among them; empty: all
}

// Query reads the rows of a span and leaves out damaged ones. It sends another
// request where one ends at 1 MB.
func Query[R any](ctx context.Context, t *Table, s Span) ([]R, error) {
	items, _, err := t.query(ctx, s.query(t), s.Limit, true)
	if err != nil {
		return nil, err
	}
	return decodeAll[R](t, items), nil
}

// Read is Query for a List: a span with a Limit by one request. Rest is the gap at which
// it ended, "" if there are no more rows.
func Read[R any](ctx context.Context, t *Table, s Span) (rows []R, rest string, err error) {
	items, more, err := t.query(ctx, s.query(t), s.Limit, false)
	if err != nil {
		return nil, "", err
	}
	if more {
		rest = KeyOf(items[len(items)-1]).SK
		if s.Ascending {
			rest += after
		}
	}
	return decodeAll[R](t, items), rest, nil
}

// Pages reads all rows of a span, Limit at a time, each page as Read does. Limit defaults
// to 1,000. An error comes last.
func Pages[R any](ctx context.Context, t *Table, s Span) iter.Seq2[[]R, error] {
	return func(yield func([]R, error) bool) {
		next := s
		next.Limit = cmp.Or(s.Limit, 1000)
		for {
			rows, rest, err := Read[R](ctx, t, next)
			if !yield(rows, err) || rest == "" {
				return
			}
			if s.Ascending {
				next.From = rest
			} else {
				next.To = rest
			}
		}
	}
}

// after appended to a sort key is the next greater key.
const after = "\x00"

func (s Span) query(t *Table) *dynamodb.QueryInput {
	in := within(t, pk, s.PK, sk, s.From, s.To)
	in.ScanIndexForward, in.ConsistentRead = &s.Ascending, &s.Consistent
	project(in, s.Only)
	return in
}

// project makes a query read only these attributes, or all if there are none.
func project(in *dynamodb.QueryInput, only []string) {
	if len(only) == 0 {
		return
	}
	if in.ExpressionAttributeNames == nil {
		in.ExpressionAttributeNames = make(map[string]string, len(only))
	}
	names := make([]string, len(only))
	for i, name := range only {
		names[i] = "#only" + strconv.Itoa(i)
		in.ExpressionAttributeNames[names[i]] = name
	}
	in.ProjectionExpression = aws.String(strings.Join(names, ", "))
}

// within queries the rows of a partition that lie in a span of their sort keys.
func within[K string | []byte](t *Table, partition, name, sort string, from, to K) *dynamodb.QueryInput {
	var e expression
	e.condition = e.fill(e.begin(nil, ""), "$ = ?", []any{partition, name})
	switch {
	case len(from) > 0 && len(to) > 0: // DynamoDB has no half-open range, so no item may have the key to
		e.condition = e.fill(e.condition, " AND $ BETWEEN ? AND ?", []any{sort, from, to})
	case len(from) > 0:
		e.condition = e.fill(e.condition, " AND $ >= ?", []any{sort, from})
	case len(to) > 0:
		e.condition = e.fill(e.condition, " AND $ < ?", []any{sort, to})
	}
	return &dynamodb.QueryInput{
		TableName:                 &t.name,
		KeyConditionExpression:    e.conditions(),
		ExpressionAttributeNames:  e.called(),
		ExpressionAttributeValues: e.given(),
	}
}

// query also reports whether there may be more rows. Where a request ends at 1 MB
// it sends another one if whole is set, or if there is no limit.
func (t *Table) query(ctx context.Context, in *dynamodb.QueryInput, limit int, whole bool) (items []dynamo.Item, more bool, err error) {
	for {
		if limit > 0 {
			in.Limit = aws.Int32(int32(limit - len(items)))
		}
		out, err := ask(ctx, t, t.db.Client().Query, in)
		if err != nil {
			return nil, false, err
		}
		if items == nil {
			items = out.Items
		} else {
			items = append(items, out.Items...)
		}
		switch full := limit > 0 && len(items) >= limit; {
		case full || len(out.LastEvaluatedKey) == 0:
			return items, full, nil
		case !whole && limit > 0 && len(items) > 0:
			return items, true, nil
		}
		in.ExclusiveStartKey = out.LastEvaluatedKey
	}
}

// ask sends a request that writes nothing.
func ask[In, Out any](ctx context.Context, t *Table, send func(context.Context, *In, ...option) (*Out, error), in *In) (*Out, error) {
	seen := tries{dates: t.dates}
	out, err := send(ctx, in, seen.note)
	if err != nil {
		return nil, t.failed(ctx, err, &seen, false)
	}
	return out, nil
}
