package store_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/store"
)

// rowsOf returns n rows of pk "p", in order, each with a text of the given size.
func rowsOf(n, bytes int) []row {
	rows := make([]row, n)
	for i := range rows {
		rows[i] = row{PK: "p", SK: fmt.Sprintf("%04d", i), Text: strings.Repeat("x", bytes)}
	}
	return rows
}

func TestUnprocessedEntriesAreWrittenLater(t *testing.T) {
	t.Parallel()
	table, in := newTable(t)
	rows := rowsOf(25, 0)
	sent := next(in, 3, faults.Fault{Kind: faults.Unprocessed, Entries: 5})
	require.NoError(t, table.PutAll(t.Context(), items(t, rows), 1))
	require.Equal(t, 4, sent())
	require.Equal(t, rows, stored(t, table, "p"))

	sent = next(in, 3, faults.Fault{Kind: faults.Unprocessed, Entries: 5})
	require.NoError(t, table.DeleteAll(t.Context(), keysOf(rows)))
	require.Equal(t, 4, sent())
	require.Empty(t, stored(t, table, "p"))
}

func TestABatchThatIsNeverDoneIsBusy(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ rows, parallel, most int }{
		"one request":       {25, 1, 10},
		"one after another": {60, 1, 10},
		"several at once":   {110, 3, 30},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			simulated(t, func(t *testing.T, table *store.Table, in *faults.Injector) {
				sent := next(in, always, faults.Fault{Kind: faults.Unprocessed, Entries: 5})
				require.ErrorIs(t, table.PutAll(t.Context(), items(t, rowsOf(c.rows, 0)), c.parallel), plaza.ErrBusy)
				require.LessOrEqual(t, sent(), c.most)
				in.Off()
				require.LessOrEqual(t, len(stored(t, table, "p")), c.rows-5+1)
			})
		})
	}
}

func TestBatchWritesOverManyRequests(t *testing.T) {
	t.Parallel()
	table, in := newTable(t)
	rows := rowsOf(260, 0)
	require.NoError(t, table.PutAll(t.Context(), items(t, rows), 4))
	require.Equal(t, 11, in.Requests())
	require.Equal(t, rows, stored(t, table, "p"))
	require.NoError(t, table.DeleteAll(t.Context(), keysOf(rows[:255])))
	require.Equal(t, rows[255:], stored(t, table, "p"))
	require.NoError(t, table.PutAll(t.Context(), nil, 4))
}

func TestErasedIsAWholePartition(t *testing.T) {
	t.Parallel()
	table, in := newTable(t)
	all := append(items(t, rowsOf(1000, 0)), item(t, map[string]any{"pk": "p", "sk": "damaged", "n": "x"}))
	require.NoError(t, table.PutAll(t.Context(), append(all, item(t, row{PK: "q", SK: "a"})), 4))
	before := in.Requests()
	require.NoError(t, table.Erase(t.Context(), "p"))
	require.Equal(t, 2+40+1, in.Requests()-before, "two pages, and 25 items a request")
	require.Len(t, stored(t, table, "q"), 1)
	left, err := store.Query[dynamo.Item](t.Context(), table, store.Span{PK: "p", Consistent: true})
	require.NoError(t, err)
	require.Empty(t, left)
	require.NoError(t, table.Erase(t.Context(), "p"))
}

func TestGetAllReadsEverything(t *testing.T) {
	t.Parallel()
	for name, c := range faults.Sample(2, map[string]struct {
		rows, bytes, requests int
		absent                []store.Key
	}{
		"nothing":           {0, 0, 0, nil},
		"one request":       {99, 0, 1, []store.Key{{PK: "p", SK: "absent"}}},
		"over 100 keys":     {230, 0, 3, nil},
		"over 16 MB a page": {50, 390_000, 2, nil},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			table, in := newTable(t)
			rows := rowsOf(c.rows, c.bytes)
			require.NoError(t, table.PutAll(t.Context(), items(t, rows), 2))
			before := in.Requests()
			found, err := table.GetAll(t.Context(), append(keysOf(rows), c.absent...), true, 1)
			require.NoError(t, err)
			require.Equal(t, c.requests, in.Requests()-before)
			require.Len(t, found, len(rows))
			for _, r := range rows {
				require.Equal(t, item(t, r), found[r.key()])
			}
		})
	}
}

func TestUnprocessedKeysAreReadLater(t *testing.T) {
	t.Parallel()
	table, in := newTable(t)
	rows := rowsOf(25, 0)
	require.NoError(t, table.PutAll(t.Context(), items(t, rows), 1))

	sent := next(in, 3, faults.Fault{Kind: faults.Unprocessed, Entries: 5})
	found, err := table.GetAll(t.Context(), keysOf(rows), true, 1)
	require.NoError(t, err)
	require.Len(t, found, 25)
	require.Equal(t, 4, sent())

	// As with answers that end at 16 MB, a request that returns a row is progress. Only
	// requests without a row are counted.
	before := in.Requests()
	in.Script(func(_ string, _ []byte, n int) faults.Fault {
		if left := len(rows) - (n-before)/2; left > 0 {
			return faults.Fault{Kind: faults.Unprocessed, Entries: left}
		}
		return faults.Fault{}
	})
	found, err = table.GetAll(t.Context(), keysOf(rows), true, 1)
	require.NoError(t, err)
	require.Len(t, found, 25)
	require.Equal(t, 50, in.Requests()-before)

	sent = next(in, always, faults.Fault{Kind: faults.Unprocessed, Entries: 25})
	_, err = table.GetAll(t.Context(), keysOf(rows), true, 1)
	require.ErrorIs(t, err, plaza.ErrBusy)
	require.Equal(t, 10, sent())
}
