package reaction_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed/reaction"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/edge/edgetest"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// TestKindsWithOneIDAreListedOnce pages over reactions with equal ids: a caller
// may use one id for several kinds.
func TestKindsWithOneIDAreListedOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, &reaction.Options{Kinds: kinds, Consistent: true})
	var all []reaction.Reaction
	for range 3 {
		id := w.id(t)
		for _, kind := range kinds {
			a, _, err := w.React(t.Context(), reaction.Reaction{User: "jack", Object: id.String(), Kind: kind, ID: id})
			require.NoError(t, err)
			all = append(all, a)
			_, _, err = w.React(t.Context(), reaction.Reaction{User: id.String(), Object: "photo", Kind: kind, ID: id})
			require.NoError(t, err)
		}
	}
	want := newestFirst(all)
	for _, limit := range faults.Some(2, 3, 5, 1, 2, 4) { // pages end among the kinds of an id
		require.Equal(t, want, seeAll(read(t, w.ByUser, "jack", "", limit)), "limit %d", limit)
		require.Len(t, read(t, w.ByObject, "photo", "", limit), len(all), "limit %d", limit)

		// Then back from the end.
		page, err := w.ByUser(t.Context(), "jack", "", cursor.PageRequest{Limit: 11})
		require.NoError(t, err)
		page, err = w.ByUser(t.Context(), "jack", "", cursor.PageRequest{Cursor: page.Next, Limit: 11})
		require.NoError(t, err)
		up := seeAll(page.Items)
		for len(page.Items) > 0 {
			page, err = w.ByUser(t.Context(), "jack", "", cursor.PageRequest{Cursor: page.Prev, Limit: limit})
			require.NoError(t, err)
			up = append(seeAll(page.Items), up...)
		}
		require.Equal(t, want, up, "limit %d", limit)
	}
}

// TestVersionsOfCountsRise lets an object be forgotten in between.
func TestVersionsOfCountsRise(t *testing.T) {
	t.Parallel()
	for _, shards := range []int{1, 8} {
		w := newWorld(t, options(shards))
		_, last, err := w.VersionedCounts(t.Context(), "photo")
		require.NoError(t, err)
		require.Zero(t, last)
		rises := func(likes int64) {
			t.Helper()
			counts, version, err := w.VersionedCounts(t.Context(), "photo")
			require.NoError(t, err)
			require.Equal(t, likes, counts["like"])
			require.Greater(t, version, last)
			last = version
		}
		for round := range 3 {
			for i := range int64(faults.Size(5, 2)) {
				w.react(t, fmt.Sprint("user ", i), "photo", "like")
				rises(i + 1)
			}
			_, err := w.Unreact(t.Context(), reaction.Reaction{User: "user 0", Object: "photo", Kind: "like"})
			require.NoError(t, err)
			rises(int64(faults.Size(5, 2)) - 1)
			require.NoError(t, w.EraseObject(t.Context(), "photo"))
			if round == 1 { // its mark expires
				edgetest.NewHand(t, w.table).Remove(edgetest.Key{"C#photo#0", "C"})
			}
		}
	}
}

func TestJSON(t *testing.T) {
	t.Parallel()
	id, err := ids.Parse("3ZZZZZZZZZZZZ")
	require.NoError(t, err)
	a := reaction.Reaction{User: "anna", Object: "photo:1", Kind: "like", ID: id}
	text, err := json.Marshal(a)
	require.NoError(t, err)
	require.JSONEq(t, `{"user":"anna","object":"photo:1","kind":"like","id":"3ZZZZZZZZZZZZ"}`, string(text))
	var got reaction.Reaction
	require.NoError(t, json.Unmarshal(text, &got))
	require.Equal(t, a, got)
}
