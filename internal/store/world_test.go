package store_test

import (
	"math"
	"testing"
	"testing/synctest"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/store"
)

type row struct {
	PK     string `dynamo:"pk"`
	SK     string `dynamo:"sk"`
	N      int    `dynamo:"n,omitempty"`
	Text   string `dynamo:"text,omitempty"`
	Hidden bool   `dynamo:"hidden,omitempty"`
}

func (r row) key() store.Key { return store.Key{PK: r.PK, SK: r.SK} }

// newTable returns a fresh table behind an injector that does nothing yet.
func newTable(t *testing.T) (*store.Table, *faults.Injector) {
	t.Helper()
	return newTableOf(t, store.Schema)
}

func newTableOf(t *testing.T, schema func(string) *dynamodb.CreateTableInput) (*store.Table, *faults.Injector) {
	t.Helper()
	in := faults.New(t, 1, faults.Rates{})
	table, err := store.Open(dynamotest.DB(t, in.Wrap), dynamotest.Table(t, schema), nil, true)
	require.NoError(t, err)
	return table, in
}

// simulated runs f in a bubble, where pauses take no time, on a table in which pk "p" has
// row "a". Requests are real.
func simulated(t *testing.T, f func(t *testing.T, table *store.Table, in *faults.Injector), wrap ...func(aws.HTTPClient) aws.HTTPClient) {
	t.Helper()
	name := dynamotest.Table(t, store.Schema)
	send := dynamotest.Outside(t, func(next aws.HTTPClient) aws.HTTPClient { return next })
	synctest.Test(t, func(t *testing.T) {
		in := faults.New(t, 1, faults.Rates{})
		table, err := store.Open(dynamotest.DB(t, append([]func(aws.HTTPClient) aws.HTTPClient{send, in.Wrap}, wrap...)...), name, nil, true)
		require.NoError(t, err)
		require.NoError(t, table.Run(t.Context(), table.Put(row{PK: "p", SK: "a"})))
		f(t, table, in)
	})
}

const always = math.MaxInt32

// next applies fault to the next k requests. The function that it returns counts
// the requests since then.
func next(in *faults.Injector, k int, fault faults.Fault) (sent func() int) {
	before := in.Requests()
	in.Script(func(_ string, _ []byte, n int) faults.Fault {
		if n <= before+k {
			return fault
		}
		return faults.Fault{}
	})
	return func() int { return in.Requests() - before }
}

func item(t *testing.T, v any) dynamo.Item {
	t.Helper()
	out, err := dynamo.MarshalItem(v)
	require.NoError(t, err)
	return out
}

func items(t *testing.T, rows []row) []dynamo.Item {
	t.Helper()
	out := make([]dynamo.Item, len(rows))
	for i, r := range rows {
		out[i] = item(t, r)
	}
	return out
}

func keysOf(rows []row) []store.Key {
	out := make([]store.Key, len(rows))
	for i, r := range rows {
		out[i] = r.key()
	}
	return out
}

// stored returns every row of partition pk.
func stored(t *testing.T, table *store.Table, pk string) []row {
	t.Helper()
	rows, err := store.Query[row](t.Context(), table, store.Span{PK: pk, Ascending: true, Consistent: true})
	require.NoError(t, err)
	return rows
}
