package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/store"
)

func TestAMergeGoesOnFromTheItemThatRefusedIt(t *testing.T) {
	t.Parallel()
	table, _ := newTable(t)
	key := store.Key{PK: "p", SK: "a"}
	others := []store.Write{table.Put(row{PK: "p", SK: "a", N: 1}), table.Put(row{PK: "p", SK: "a"}), table.Delete(key)}
	var saw []row
	changed, err := store.Merge(t.Context(), table, key, nil, func(seen *row) (store.Write, error) {
		if saw = append(saw, *seen); len(saw) > len(others) {
			return nil, store.ErrSame
		}
		return table.Delete(key).If("n < ?", 0), table.Run(t.Context(), others[len(saw)-1])
	})
	require.NoError(t, err)
	require.False(t, changed)
	require.Equal(t, []row{{}, {PK: "p", SK: "a", N: 1}, {PK: "p", SK: "a"}, {}}, saw)
}

func TestAMergeEndsAfter20Tries(t *testing.T) {
	t.Parallel()
	table, _ := newTable(t)
	key := store.Key{PK: "p", SK: "a"}
	tries := 0
	_, err := store.Merge(t.Context(), table, key, nil, func(*row) (store.Write, error) {
		tries++
		return table.Delete(key).If("attribute_exists(pk)"), nil
	})
	require.ErrorIs(t, err, plaza.ErrBusy)
	require.Equal(t, 20, tries)
}
