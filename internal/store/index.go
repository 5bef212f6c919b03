package store

import (
	"cmp"
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
)

// Index is a second order of a table's items. Items that have the attribute Sort
// are in it, in its order; it is binary, or text where Text is set. The index is
// global, for items that have the text attribute Partition, or local where
// Partition is empty: then it orders each partition of the table, and can be read
// consistently. It holds Sort, Partition, the item's key and what it includes.
type Index struct {
	Name, Partition, Sort string
	Text                  bool
	Include               []string
}

// local reports whether the index orders the table's own partitions.
func (i Index) local() bool { return i.Partition == "" }

func (i Index) partition() string { return cmp.Or(i.Partition, pk) }

// Schema is the schema of a table that has the index.
func (i Index) Schema(table string) *dynamodb.CreateTableInput {
	in := Schema(table)
	sortType := types.ScalarAttributeTypeB
	if i.Text {
		sortType = types.ScalarAttributeTypeS
	}
	projection := &types.Projection{ProjectionType: types.ProjectionTypeKeysOnly}
	if len(i.Include) > 0 {
		projection = &types.Projection{ProjectionType: types.ProjectionTypeInclude, NonKeyAttributes: i.Include}
	}
	define := func(name string, kind types.ScalarAttributeType) {
		in.AttributeDefinitions = append(in.AttributeDefinitions, types.AttributeDefinition{AttributeName: &name, AttributeType: kind})
	}
	keys := []types.KeySchemaElement{
		{AttributeName: aws.String(i.partition()), KeyType: types.KeyTypeHash},
		{AttributeName: &i.Sort, KeyType: types.KeyTypeRange},
	}
	if i.local() {
		in.LocalSecondaryIndexes = []types.LocalSecondaryIndex{{IndexName: &i.Name, KeySchema: keys, Projection: projection}}
	} else {
		define(i.Partition, types.ScalarAttributeTypeS)
		in.GlobalSecondaryIndexes = []types.GlobalSecondaryIndex{{IndexName: &i.Name, KeySchema: keys, Projection: projection}}
	}
	define(i.Sort, sortType)
	return in
}

// IndexSpan is a part of an index's partition, as Span is of a table's.
type IndexSpan struct {
	Partition  string
	From, To   []byte
	Ascending  bool
	Limit      int      // 0: everything
	Consistent bool     // of a local index
	Only       []string // the attributes to read; empty: all
}

// QueryIndex reads the rows of a span of an index, as Query does.
func QueryIndex[R any](ctx context.Context, t *Table, i Index, s IndexSpan) ([]R, error) {
	items, _, err := t.query(ctx, s.query(t, i), s.Limit, true)
	if err != nil {
		return nil, err
	}
	return decodeAll[R](t, items), nil
}

// ReadIndex is QueryIndex for a List, as Read is Query.
func ReadIndex[R any](ctx context.Context, t *Table, i Index, s IndexSpan) (rows []R, rest string, err error) {
	items, more, err := t.query(ctx, s.query(t, i), s.Limit, false)
	if err != nil {
		return nil, "", err
	}
	if more {
		rest = i.sortIn(items[len(items)-1])
		if s.Ascending {
			rest += after
		}
	}
	return decodeAll[R](t, items), rest, nil
}

// sortIn is the item's sort key in the index.
func (i Index) sortIn(item dynamo.Item) string {
	switch at := item[i.Sort].(type) {
	case *types.AttributeValueMemberS:
		return at.Value
	case *types.AttributeValueMemberB:
		return string(at.Value)
	}
	return ""
}

// CountIndex counts the rows of a span of an index and ignores its Limit. It
// costs the units of reading them.
func (t *Table) CountIndex(ctx context.Context, i Index, s IndexSpan) (int64, error) {
	in := s.query(t, i)
	in.Select = types.SelectCount
	// No request returns as many rows, because 1 MB has fewer. Without a limit DynamoDB
	// Local looks at all rows for each request.
	in.Limit = aws.Int32(20_000)
	var n int64
	for {
		out, err := ask(ctx, t, t.db.Client().Query, in)
		if err != nil {
			return 0, err
		}
		n += int64(out.Count)
		if len(out.LastEvaluatedKey) == 0 {
			return n, nil
		}
		in.ExclusiveStartKey = out.LastEvaluatedKey
	}
}

func (s IndexSpan) query(t *Table, i Index) *dynamodb.QueryInput {
	var in *dynamodb.QueryInput
	if i.Text {
		in = within(t, i.partition(), s.Partition, i.Sort, string(s.From), string(s.To))
	} else {
		in = within(t, i.partition(), s.Partition, i.Sort, s.From, s.To)
	}
	in.IndexName, in.ScanIndexForward, in.ConsistentRead = &i.Name, &s.Ascending, &s.Consistent
	project(in, s.Only)
	return in
}
