package store_test

import (
	"net/http"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/store"
)

// damaged returns a table with rows 1 to n of partition p, of which those named
// by bad cannot be decoded, and the calls of the table's hook.
func damaged(t *testing.T, n int, bad func(i int) bool) (*store.Table, *[]*plaza.CorruptError) {
	t.Helper()
	reported := new([]*plaza.CorruptError)
	table, err := store.Open(dynamotest.DB(t), dynamotest.Table(t, store.Schema), func(e *plaza.CorruptError) {
		*reported = append(*reported, e)
	}, true)
	require.NoError(t, err)
	rows := make([]dynamo.Item, n)
	for i := range rows {
		rows[i] = item(t, row{PK: "p", SK: ids.ID(i + 1).String()})
		if bad(i + 1) {
			rows[i]["n"] = &types.AttributeValueMemberS{Value: "no number"}
		}
	}
	require.NoError(t, table.PutAll(t.Context(), rows, 1))
	return table, reported
}

func TestADamagedItemIsAnErrorThatNamesIt(t *testing.T) {
	t.Parallel()
	table, _ := damaged(t, 1, func(int) bool { return true })
	var out row
	err := table.Get(t.Context(), store.Key{PK: "p", SK: ids.ID(1).String()}, true, &out)
	require.ErrorIs(t, err, plaza.ErrCorrupt)
	require.NotErrorIs(t, err, plaza.ErrInvalid)
	var corrupt *plaza.CorruptError
	require.ErrorAs(t, err, &corrupt)
	require.Equal(t, "p", corrupt.PK)
	require.Equal(t, ids.ID(1).String(), corrupt.SK)
	require.NotEmpty(t, corrupt.Table)
}

func TestAListLeavesDamagedItemsOutAndReportsThem(t *testing.T) {
	t.Parallel()
	const n = 150
	for name, bad := range faults.Sample(8, map[string]func(int) bool{
		"one":                    func(i int) bool { return i == 7 },
		"every other":            func(i int) bool { return i%2 == 0 },
		"a page and more":        func(i int) bool { return i > 5 && i < 18 },
		"the first":              func(i int) bool { return i > n-5 },
		"the last":               func(i int) bool { return i < 5 },
		"all but one":            func(i int) bool { return i != 11 },
		"what a read ends":       func(i int) bool { return i%4 == 1 },
		"more than a page reads": func(i int) bool { return i > 1 && i < n },
	}, "what a read ends", "all but one") {
		for _, oldest := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				table, reported := damaged(t, n, bad)
				list := listOf(table, "p")
				list.Oldest = oldest
				var want []string
				for i := range n {
					if !bad(i + 1) {
						want = append(want, ids.ID(i+1).String())
					}
				}
				for _, size := range faults.Some(2, 3, 20, 1) {
					var got []string
					req := cursor.PageRequest{Limit: size}
					for pages := 0; ; pages++ {
						require.LessOrEqual(t, pages, n)
						page, err := list.Page(t.Context(), req)
						require.NoError(t, err)
						for _, r := range page.Items {
							got = append(got, r.SK)
						}
						if req.Cursor = page.Next; req.Cursor == "" {
							break
						}
					}
					require.ElementsMatch(t, want, got)
				}
				require.NotEmpty(t, *reported)
			})
		}
	}
}

func TestPagesHaveEachRowOnce(t *testing.T) {
	t.Parallel()
	const n = 7
	table, reported := damaged(t, n, func(i int) bool { return i%3 == 0 })
	for _, ascending := range []bool{false, true} {
		for limit := 1; limit <= n; limit++ {
			*reported = nil
			pages := store.Pages[row](t.Context(), table, store.Span{PK: "p", Ascending: ascending, Limit: limit, Consistent: true})
			var got []string
			reads := 0
			for rows, err := range pages {
				require.NoError(t, err)
				require.LessOrEqual(t, reads, n, "the rows do not end")
				reads++
				for _, r := range rows {
					got = append(got, r.SK)
				}
			}
			require.Equal(t, n/limit+1, reads)
			for _, e := range *reported {
				got = append(got, e.SK)
			}
			var want []string
			for i := range n {
				want = append(want, ids.ID(i+1).String())
			}
			require.ElementsMatch(t, want, got, "each once, by %d", limit)
		}
	}
}

// The updated item has a text where it should have a number.
func TestAValueOfAWrongTypeIsDamage(t *testing.T) {
	t.Parallel()
	name := dynamotest.Table(t, store.Schema)
	require.NoError(t, dynamotest.DB(t).Table(name).Put(map[string]any{"pk": "a", "sk": "b", "n": "x"}).Run(t.Context()))
	for kind, c := range map[string]struct {
		wrap  []func(aws.HTTPClient) aws.HTTPClient
		write func(*store.Table, store.Key) store.Write
	}{
		"single": {nil, func(table *store.Table, key store.Key) store.Write { return table.Update(key).Add("n", 1) }},
		"transaction": {nil, func(table *store.Table, key store.Key) store.Write {
			return table.Tx().Update(table.Update(key).Add("n", 1))
		}},
		"the second of a transaction": {
			[]func(aws.HTTPClient) aws.HTTPClient{spoiled(answer(http.StatusBadRequest,
				`{"__type":"com.amazonaws.dynamodb.v20120810#TransactionCanceledException","Message":"cancelled",`+
					`"CancellationReasons":[{"Code":"None"},{"Code":"ValidationError","Message":"An operand in the update expression has an incorrect data type"}]}`))},
			func(table *store.Table, key store.Key) store.Write {
				return table.Tx().Update(table.Update(store.Key{PK: "a", SK: "c"}).Add("n", 1)).Update(table.Update(key).Add("n", 1))
			},
		},
	} {
		table, err := store.Open(dynamotest.DB(t, c.wrap...), name, nil, true)
		require.NoError(t, err)
		err = table.Run(t.Context(), c.write(table, store.Key{PK: "a", SK: "b"}))
		var corrupt *plaza.CorruptError
		require.ErrorAs(t, err, &corrupt, kind)
		requireClass(t, nil, err)
		require.Equal(t, []string{name, "a", "b"}, []string{corrupt.Table, corrupt.PK, corrupt.SK}, kind)
	}
}

func TestARowAfterADamagedOneStartsEmpty(t *testing.T) {
	t.Parallel()
	table, _ := damaged(t, 0, nil)
	require.NoError(t, table.PutAll(t.Context(), []dynamo.Item{
		{"pk": &types.AttributeValueMemberS{Value: "p"}, "sk": &types.AttributeValueMemberS{Value: "1"}, "text": &types.AttributeValueMemberS{Value: "of 1"}, "wrong": &types.AttributeValueMemberBOOL{}},
		{"pk": &types.AttributeValueMemberS{Value: "p"}, "sk": &types.AttributeValueMemberS{Value: "2"}},
	}, 1))
	rows, err := store.Query[halfDamaged](t.Context(), table, store.Span{PK: "p", Ascending: true})
	require.NoError(t, err)
	require.Equal(t, []halfDamaged{{}}, rows)
}

// halfDamaged is set before its damage is found.
type halfDamaged struct {
	Text  string `dynamo:"text"`
	Wrong string `dynamo:"wrong"`
}
