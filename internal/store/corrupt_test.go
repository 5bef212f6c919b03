package store_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/store"
)

// damaged are rows 1 to n of partition p of which those that bad names cannot
// be decoded, and what the table's hook is called with.
func damaged(t *testing.T, n int, bad func(i int) bool) (*store.Table, *[]*plaza.CorruptError) {
	t.Helper()
	reported := new([]*plaza.CorruptError)
	table, err := store.Open(dynamotest.DB(t), dynamotest.Table(t, store.Schema), func(e *plaza.CorruptError) {
		*reported = append(*reported, e)
	})
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
	for name, bad := range map[string]func(int) bool{
		"one":                    func(i int) bool { return i == 7 },
		"every other":            func(i int) bool { return i%2 == 0 },
		"a page and more":        func(i int) bool { return i > 5 && i < 18 },
		"the first":              func(i int) bool { return i > n-5 },
		"the last":               func(i int) bool { return i < 5 },
		"all but one":            func(i int) bool { return i != 11 },
		"what a read ends":       func(i int) bool { return i%4 == 1 },
		"more than a page reads": func(i int) bool { return i > 1 && i < n },
	} {
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
				for _, size := range []int{1, 3, 20} {
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
