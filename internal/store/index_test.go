package store_test

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/store"
)

var places = store.Index{Name: "places", Partition: "place", Sort: "rank", Include: []string{"name"}}

type placed struct {
	row
	Place string `dynamo:"place,omitempty"`
	Rank  []byte `dynamo:"rank,omitempty"`
	Name  string `dynamo:"name,omitempty"`
}

// newPlaced returns a table of n rows of 50 KB each, ranked from 0. It also has a
// row for each partition and attribute that the index must leave out.
func newPlaced(t *testing.T, n int) *store.Table {
	t.Helper()
	table, _ := newTableOf(t, places.Schema)
	name := strings.Repeat("n", 50_000)
	for i := range n {
		p := placed{row{PK: fmt.Sprint(i), SK: "a", Text: "not carried"}, "here", []byte{0xff, byte(i)}, name}
		require.NoError(t, table.Run(t.Context(), table.Put(p)))
	}
	require.NoError(t, table.Run(t.Context(), table.Put(placed{row{PK: "x", SK: "elsewhere"}, "there", []byte{0xff, 1}, ""})))
	require.NoError(t, table.Run(t.Context(), table.Put(placed{row{PK: "x", SK: "nowhere"}, "", nil, ""})))
	return table
}

func TestAnIndexIsReadAndCountedBySpans(t *testing.T) {
	t.Parallel()
	table := newPlaced(t, 40) // two megabytes
	key := func(i byte) []byte { return []byte{0xff, i} }
	for name, c := range map[string]struct {
		span        store.IndexSpan
		first, last int // the expected rows, in order
	}{
		"all, last first":   {store.IndexSpan{}, 39, 0},
		"all, ascending":    {store.IndexSpan{Ascending: true}, 0, 39},
		"from on":           {store.IndexSpan{From: key(35), Ascending: true}, 35, 39},
		"below to":          {store.IndexSpan{To: key(5)}, 4, 0},
		"between":           {store.IndexSpan{From: key(10), To: append(key(12), 0)}, 12, 10},
		"limit past 1 MB":   {store.IndexSpan{Limit: 30}, 39, 10},
		"from, limited":     {store.IndexSpan{From: key(3), Ascending: true, Limit: 33}, 3, 35},
		"to, limited":       {store.IndexSpan{To: key(9), Ascending: true, Limit: 1}, 0, 0},
		"the first of them": {store.IndexSpan{Ascending: true, Limit: 1}, 0, 0},
	} {
		c.span.Partition = "here"
		want := between(c.first, c.last)
		rows, err := store.QueryIndex[placed](t.Context(), table, places, c.span)
		require.NoError(t, err, name)
		got := make([]int, len(rows))
		for i, r := range rows {
			got[i] = int(r.Rank[1])
			require.Len(t, r.Name, 50_000, name)
			require.Equal(t, row{PK: fmt.Sprint(got[i]), SK: "a"}, r.row, name)
		}
		require.Equal(t, want, got, name)

		if c.span.Limit == 0 {
			n, err := table.CountIndex(t.Context(), places, c.span)
			require.NoError(t, err, name)
			require.EqualValues(t, len(want), n, name)
		}
	}
}

// between returns the numbers from first to last, up or down.
func between(first, last int) []int {
	n := []int{first}
	for i := first; i != last; n = append(n, i) {
		i += cmp.Compare(last, first)
	}
	return n
}

func TestAMissingIndexIsErrTable(t *testing.T) {
	t.Parallel()
	table, _ := newTable(t)
	_, err := store.QueryIndex[placed](t.Context(), table, places, store.IndexSpan{Partition: "here"})
	require.ErrorIs(t, err, plaza.ErrTable)
	_, err = table.CountIndex(t.Context(), places, store.IndexSpan{Partition: "here"})
	require.ErrorIs(t, err, plaza.ErrTable)
}

func TestAnIndexMaySortTextAndCarryOnlyKeys(t *testing.T) {
	t.Parallel()
	names := store.Index{Name: "names", Partition: "place", Sort: "name", Text: true}
	table, _ := newTableOf(t, names.Schema)
	for _, name := range []string{"ann", "bob", "cat", "dan"} {
		p := placed{row{PK: name, SK: "a", Text: "not carried"}, "here", []byte{1}, name}
		require.NoError(t, table.Run(t.Context(), table.Put(p)))
	}
	span := store.IndexSpan{Partition: "here", From: []byte("b"), To: []byte("d"), Ascending: true}
	rows, err := store.QueryIndex[placed](t.Context(), table, names, span)
	require.NoError(t, err)
	require.Equal(t, []placed{
		{row{PK: "bob", SK: "a"}, "here", nil, "bob"},
		{row{PK: "cat", SK: "a"}, "here", nil, "cat"},
	}, rows)
	n, err := table.CountIndex(t.Context(), names, store.IndexSpan{Partition: "here", To: []byte("bob")})
	require.NoError(t, err)
	require.EqualValues(t, 1, n)
}

func TestAnIndexReadMaySelectAttributes(t *testing.T) {
	t.Parallel()
	table := newPlaced(t, 3)
	span := store.IndexSpan{Partition: "here", From: []byte{0xff, 1}, Ascending: true, Only: []string{"rank", "pk"}}
	rows, err := store.QueryIndex[placed](t.Context(), table, places, span)
	require.NoError(t, err)
	require.Equal(t, []placed{
		{row{PK: "1"}, "", []byte{0xff, 1}, ""},
		{row{PK: "2"}, "", []byte{0xff, 2}, ""},
	}, rows)
}

func TestALocalIndexOrdersAPartitionAndIsReadConsistently(t *testing.T) {
	t.Parallel()
	names := store.Index{Name: "names", Sort: "name", Text: true}
	meter := dynamotest.NewMeter().Price()
	table, err := store.Open(dynamotest.DB(t, meter.Wrap), dynamotest.Table(t, names.Schema), nil, true)
	require.NoError(t, err)
	for i, name := range []string{"cat", "ann", "bob", ""} {
		p := placed{row{PK: "here", SK: fmt.Sprint(i), Text: "not carried"}, "", []byte{1}, name}
		require.NoError(t, table.Run(t.Context(), table.Put(p)))
	}
	require.NoError(t, table.Run(t.Context(), table.Put(placed{row{PK: "there", SK: "0"}, "", nil, "dan"})))
	for consistent, units := range map[bool]float64{true: 1, false: 0.5} {
		meter.Take()
		rows, err := store.QueryIndex[placed](t.Context(), table, names, store.IndexSpan{Partition: "here", Consistent: consistent})
		require.NoError(t, err)
		require.Equal(t, []placed{
			{row{PK: "here", SK: "0"}, "", nil, "cat"},
			{row{PK: "here", SK: "2"}, "", nil, "bob"},
			{row{PK: "here", SK: "1"}, "", nil, "ann"},
		}, rows)
		require.Equal(t, dynamotest.Cost{Requests: 1, Read: units}, meter.Take())
	}
}
