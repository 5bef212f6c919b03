package store_test

import (
	"context"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/store"
)

func TestOpenRefusesMissingArguments(t *testing.T) {
	t.Parallel()
	db := dynamo.NewFromIface(nil)
	for field, c := range map[string]struct {
		db    *dynamo.DB
		table string
	}{"db": {nil, "x"}, "table": {db, ""}} {
		_, err := store.Open(c.db, c.table, nil, true)
		var invalid *plaza.InvalidError
		require.ErrorAs(t, err, &invalid)
		require.Equal(t, field, invalid.Field)
	}
}

// others are all requests other than single writes: reads and batches.
var others = map[string]func(context.Context, *store.Table) error{
	"get": func(ctx context.Context, table *store.Table) error {
		return table.Get(ctx, store.Key{PK: "p", SK: "a"}, false, new(row))
	},
	"query": func(ctx context.Context, table *store.Table) error {
		_, err := store.Query[row](ctx, table, store.Span{PK: "p"})
		return err
	},
	"range query": func(ctx context.Context, table *store.Table) error {
		_, err := store.Query[row](ctx, table, store.Span{PK: "p", To: "b", Limit: 3})
		return err
	},
	"batch get": func(ctx context.Context, table *store.Table) error {
		_, err := table.GetAll(ctx, []store.Key{{PK: "p", SK: "a"}}, false, 1)
		return err
	},
	"batch put": func(ctx context.Context, table *store.Table) error {
		put, err := dynamo.MarshalItem(row{PK: "p", SK: "a"})
		if err != nil {
			return err
		}
		return table.PutAll(ctx, []dynamo.Item{put}, 1)
	},
	"batch delete": func(ctx context.Context, table *store.Table) error {
		return table.DeleteAll(ctx, []store.Key{{PK: "p", SK: "a"}})
	},
}

func TestMissingTableAndOtherSchemaAreErrTable(t *testing.T) {
	t.Parallel()
	calls := calls(t)
	calls["transaction of one update"] = func(ctx context.Context, table *store.Table) error {
		return table.Run(ctx, table.Tx().Update(table.Update(store.Key{PK: "p", SK: "a"}).Add("n", 1)))
	}
	missing, err := store.Open(dynamotest.DB(t), "no-such-table", nil, true)
	require.NoError(t, err)
	tables := map[string]*store.Table{"missing": missing}
	for name, schema := range map[string]func(*dynamodb.CreateTableInput){
		"no sort key":      func(in *dynamodb.CreateTableInput) { in.KeySchema = in.KeySchema[:1] },
		"other names":      func(in *dynamodb.CreateTableInput) { rename(in, 0, "PK"); rename(in, 1, "SK") },
		"other sort key":   func(in *dynamodb.CreateTableInput) { rename(in, 1, "sort") },
		"number sort key":  func(in *dynamodb.CreateTableInput) { in.AttributeDefinitions[1].AttributeType = "N" },
		"binary partition": func(in *dynamodb.CreateTableInput) { in.AttributeDefinitions[0].AttributeType = "B" },
	} {
		tables[name], _ = newTableOf(t, func(name string) *dynamodb.CreateTableInput {
			in := store.Schema(name)
			schema(in)
			if len(in.KeySchema) == 1 {
				in.AttributeDefinitions = in.AttributeDefinitions[:1]
			}
			return in
		})
	}
	// A scan, a query by the partition alone, and a put of a whole item work on these tables.
	cannotTell := map[string][]string{
		"no sort key":      {"query", "put", "batch put", "scan"},
		"other names":      {"scan"},
		"other sort key":   {"query", "scan"},
		"number sort key":  {"query", "scan"},
		"binary partition": {"scan"},
	}
	if dynamotest.Differs(t, "compares a transaction's items before their keys") {
		cannotTell["no sort key"] = append(cannotTell["no sort key"], "transaction")
	}
	for what, table := range tables {
		for name, call := range calls {
			if slices.Contains(cannotTell[what], name) {
				continue
			}
			err := call(t.Context(), table)
			require.ErrorIs(t, err, plaza.ErrTable, "%s: %s", what, name)
			require.NotErrorIs(t, err, plaza.ErrUnknownOutcome, "%s: %s", what, name)
		}
	}
}

func rename(in *dynamodb.CreateTableInput, i int, name string) {
	in.AttributeDefinitions[i].AttributeName = aws.String(name)
	in.KeySchema[i].AttributeName = aws.String(name)
}

func TestGetOfAnAbsentItemIsNotFound(t *testing.T) {
	t.Parallel()
	table, in := newWritten(t)
	require.ErrorIs(t, table.Get(t.Context(), store.Key{PK: "p", SK: "x"}, true, new(row)), plaza.ErrNotFound)

	in.Script(func(string, []byte, int) faults.Fault { return faults.Fault{Kind: faults.Stale} })
	err := table.Get(t.Context(), store.Key{PK: "p", SK: "a"}, false, new(row))
	require.ErrorIs(t, err, plaza.ErrNotFound, "eventually consistent")
	in.Script(nil)
	require.NoError(t, table.Get(t.Context(), store.Key{PK: "p", SK: "a"}, true, new(row)))
}

func TestQueryReadsSpans(t *testing.T) {
	t.Parallel()
	table, in := newTable(t)
	rows := rowsOf(40, 50_000) // two megabytes
	require.NoError(t, table.PutAll(t.Context(), items(t, rows), 1))
	require.NoError(t, table.Run(t.Context(), table.Put(row{PK: "q", SK: "0001"})))
	for name, c := range map[string]struct {
		span        store.Span
		first, last int // the expected rows, in order
		most        int // the most requests
	}{
		"all, newest first":       {store.Span{}, 39, 0, 3},
		"all, ascending":          {store.Span{Ascending: true}, 0, 39, 3},
		"limit past 1 MB":         {store.Span{Limit: 30}, 39, 10, 2},
		"limit on the end":        {store.Span{Limit: 40}, 39, 0, 2},
		"limit within 1 MB":       {store.Span{Limit: 5}, 39, 35, 1},
		"limit 1":                 {store.Span{Ascending: true, Limit: 1}, 0, 0, 1},
		"from on":                 {store.Span{Ascending: true, From: "0035"}, 35, 39, 1},
		"below to":                {store.Span{To: "0005"}, 4, 0, 1},
		"below to, ascending":     {store.Span{To: "0005", Ascending: true, Limit: 2}, 0, 1, 1},
		"between":                 {store.Span{From: "0010", To: "0012x"}, 12, 10, 1},
		"from past 1 MB, limited": {store.Span{From: "0003", Ascending: true, Limit: 33}, 3, 35, 2},
	} {
		span := c.span
		span.PK, span.Consistent = "p", true
		before := in.Requests()
		got, err := store.Query[row](t.Context(), table, span)
		require.NoError(t, err, name)
		require.LessOrEqual(t, in.Requests()-before, c.most, name)
		var want []row
		for _, i := range between(c.first, c.last) {
			want = append(want, rows[i])
		}
		require.Equal(t, want, got, name)
		if span.Limit == 0 {
			got, rest, err := store.Read[row](t.Context(), table, span)
			require.NoError(t, err, name)
			require.Equal(t, want, got, "%s: Read without a limit reads on too", name)
			require.Empty(t, rest, name)
		}
	}
	got, err := store.Query[row](t.Context(), table, store.Span{PK: "nobody"})
	require.NoError(t, err)
	require.Empty(t, got)
}

func TestAReadMaySelectAttributes(t *testing.T) {
	t.Parallel()
	table, _ := newTable(t)
	require.NoError(t, table.PutAll(t.Context(), items(t, []row{{PK: "p", SK: "a", Hidden: true}, {PK: "p", SK: "b"}}), 1))
	rows, rest, err := store.Read[row](t.Context(), table, store.Span{PK: "p", From: "a", To: "c", Limit: 1, Ascending: true, Only: []string{"pk", "sk"}})
	require.NoError(t, err)
	require.Equal(t, []row{{PK: "p", SK: "a"}}, rows)
	require.Equal(t, "a\x00", rest)
}
