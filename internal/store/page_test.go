package store_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/pagetest"
	"github.com/plaza-sdk/plaza/internal/store"
)

func rowID(r row) ids.ID {
	id, _ := ids.Parse(r.SK)
	return id
}

// listOf returns the list of partition pk without its hidden rows.
func listOf(table *store.Table, pk string) store.List[row, row] {
	return store.List[row, row]{
		Codec: cursor.Plain(),
		Scope: cursor.Scope{List: "rows", Partition: pk},
		Order: store.ByID(rowID),
		Item:  func(r row) row { return r },
		Read: func(ctx context.Context, reach store.Reach) ([]row, string, error) {
			span := reach.Span(pk)
			span.Consistent = true
			return store.Read[row](ctx, table, span)
		},
	}
}

func visible(_ context.Context, rows []row) ([]row, error) {
	return slices.DeleteFunc(rows, func(r row) bool { return r.Hidden }), nil
}

func TestListsArePagedExactly(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		hides  bool
		oldest bool
	}{
		"plain":                          {},
		"with hidden rows":               {hides: true},
		"oldest first":                   {oldest: true},
		"oldest first, with hidden rows": {hides: true, oldest: true},
	} {
		if !c.hides && !faults.Full() {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			table, in := newTable(t)
			n, next := 1_000_000, 1000
			if c.oldest {
				next = -next
			}
			add := func(ctx context.Context, pk string, count int) []string {
				rows := make([]row, count)
				for i := range rows {
					n += next
					rows[i] = row{PK: pk, SK: ids.ID(n).String()}
				}
				require.NoError(t, table.PutAll(ctx, items(t, rows), 2))
				added := make([]string, count)
				for i, r := range rows {
					added[i] = r.SK
				}
				return added
			}
			add(t.Context(), "other", 2)
			pagetest.Run(t, func(t *testing.T) pagetest.List[row] {
				list := listOf(table, t.Name())
				list.Oldest = c.oldest
				l := pagetest.List[row]{
					ID:  func(r row) string { return r.SK },
					Add: func(ctx context.Context, n int) []string { return add(ctx, t.Name(), n) },
					Remove: func(ctx context.Context, id string) {
						require.NoError(t, table.Run(ctx, table.Delete(store.Key{PK: t.Name(), SK: id})))
					},
					Others:   []pagetest.Other{pagetest.Foreign("another partition", listOf(table, "other").Page)},
					Requests: in.Requests,
				}
				if c.hides {
					list.Show = visible
					l.Hide = func(ctx context.Context, id string) {
						require.NoError(t, table.Run(ctx, table.Update(store.Key{PK: t.Name(), SK: id}).Set("hidden", true)))
					}
				}
				l.Page = list.Page
				return l
			})
		})
	}
}

// endless returns a list that never ends, and the reaches that were read. show selects
// the visible rows.
func endless(show func(row) bool) (store.List[row, row], *[]store.Reach) {
	reaches := new([]store.Reach)
	list := listOf(nil, "p")
	list.Read = func(_ context.Context, reach store.Reach) ([]row, string, error) {
		*reaches = append(*reaches, reach)
		at := ids.ID(1 << 40)
		if reach.Gap != "" {
			at, _ = ids.Parse(reach.Gap)
		}
		rows := make([]row, reach.Limit)
		for i := range rows {
			if reach.Up {
				rows[i].SK = (at + ids.ID(i)).String()
			} else {
				rows[i].SK = (at - ids.ID(i) - 1).String()
			}
		}
		return rows, list.Order.Rest(reach, rows), nil
	}
	list.Show = func(_ context.Context, rows []row) ([]row, error) {
		return slices.DeleteFunc(rows, func(r row) bool { return !show(r) }), nil
	}
	return list, reaches
}

func TestAPageOfHiddenRowsEndsWithANextAfterSixReads(t *testing.T) {
	list, reaches := endless(func(row) bool { return false })
	down, err := list.Page(t.Context(), cursor.PageRequest{Limit: 9})
	require.NoError(t, err)
	require.Empty(t, down.Items)
	require.NotEmpty(t, down.Next)

	shown, _ := endless(func(row) bool { return true })
	first, err := shown.Page(t.Context(), cursor.PageRequest{Limit: 9})
	require.NoError(t, err)
	up, err := list.Page(t.Context(), cursor.PageRequest{Limit: 9, Cursor: first.Prev})
	require.NoError(t, err)
	require.Empty(t, up.Items)
	require.NotEqual(t, first.Prev, up.Prev, "polling goes on past what was hidden")
	_, err = list.Page(t.Context(), cursor.PageRequest{Limit: 9, Cursor: down.Next})
	require.NoError(t, err)

	var limits []int
	for _, r := range *reaches {
		limits = append(limits, r.Limit)
	}
	bounded := []int{10, 20, 40, 80, 160, 320}
	require.Equal(t, slices.Concat(bounded, bounded, bounded), limits)

	for i, r := range *reaches {
		if i%6 > 0 {
			require.NotEqual(t, (*reaches)[i-1].Gap, r.Gap, "no row is read twice")
		}
	}
	gap := (ids.ID(1<<40) - 630).String()
	require.Equal(t, gap, (*reaches)[12].Gap, "the next page goes on where the last read ended")
}

func TestAPageReadsNoMoreThanNeeded(t *testing.T) {
	list, reaches := endless(func(r row) bool { return rowID(r)%4 == 0 })
	page, err := list.Page(t.Context(), cursor.PageRequest{Limit: 7})
	require.NoError(t, err)
	require.Len(t, page.Items, 7)
	require.Len(t, *reaches, 3) // 8, 16 and 32 rows; every fourth shows
	again, err := list.Page(t.Context(), cursor.PageRequest{Limit: 7, Cursor: page.Next})
	require.NoError(t, err)
	require.Equal(t, rowID(page.Items[6])-4, rowID(again.Items[0]))
}

func TestAReachCoversTheRowsOfItsSpan(t *testing.T) {
	t.Parallel()
	table, _ := newTable(t)
	rows := make([]row, 9)
	for i := range rows {
		rows[i] = row{PK: "p", SK: ids.ID(i + 1).String()}
	}
	require.NoError(t, table.PutAll(t.Context(), items(t, rows), 1))
	for _, oldest := range []bool{false, true} {
		list := listOf(table, "p")
		list.Oldest = oldest
		read := list.Read
		list.Read = func(ctx context.Context, reach store.Reach) ([]row, string, error) {
			reach.Limit = 0
			found, _, err := read(ctx, reach)
			covered := slices.DeleteFunc(slices.Clone(rows), func(r row) bool { return !reach.Covers(r.SK) })
			require.ElementsMatch(t, covered, found)
			require.Equal(t, reach.Ascending(), slices.IsSortedFunc(found, func(a, b row) int { return cmp.Compare(a.SK, b.SK) }))
			found = found[:min(len(found), 5)]
			reach.Limit = 5
			return found, list.Order.Rest(reach, found), err
		}
		first, err := list.Page(t.Context(), cursor.PageRequest{Limit: 4})
		require.NoError(t, err)
		second, err := list.Page(t.Context(), cursor.PageRequest{Limit: 4, Cursor: first.Next})
		require.NoError(t, err)
		back, err := list.Page(t.Context(), cursor.PageRequest{Limit: 4, Cursor: second.Prev})
		require.NoError(t, err)
		require.Equal(t, first.Items, back.Items)
	}
}

func TestAListEndsAtItsDepth(t *testing.T) {
	list, _ := endless(func(r row) bool { return rowID(r)%2 == 0 })
	list.Depth = 7
	var walk [][]row
	var last cursor.Page[row]
	for req := (cursor.PageRequest{Limit: 3}); ; req.Cursor = last.Next {
		var err error
		last, err = list.Page(t.Context(), req)
		require.NoError(t, err)
		walk = append(walk, last.Items)
		if last.Next == "" {
			break
		}
	}
	require.Len(t, walk, 3, "the page that reaches the depth is the last")
	require.Len(t, slices.Concat(walk...), 7)

	// On the way back the depth falls, so the list ends with the same rows again.
	up, err := list.Page(t.Context(), cursor.PageRequest{Limit: 3, Cursor: last.Prev})
	require.NoError(t, err)
	require.Equal(t, walk[1], up.Items)
	again, err := list.Page(t.Context(), cursor.PageRequest{Limit: 3, Cursor: up.Next})
	require.NoError(t, err)
	require.Equal(t, walk[2], again.Items)
	require.Empty(t, again.Next)
	top, err := list.Page(t.Context(), cursor.PageRequest{Limit: 3, Cursor: up.Prev})
	require.NoError(t, err)
	require.Equal(t, walk[0], top.Items)
	below, err := list.Page(t.Context(), cursor.PageRequest{Limit: 3, Cursor: top.Next})
	require.NoError(t, err)
	require.Equal(t, walk[1], below.Items)
	require.NotEmpty(t, below.Next)
}

func TestForgedGapsAreRefusedWithoutARead(t *testing.T) {
	list, reaches := endless(func(row) bool { return true })
	genuine := ids.ID(7).String()
	for _, pos := range []string{
		"", "d", "u", genuine, "x" + genuine, "D" + genuine, "d" + genuine[1:], "u" + genuine + "0",
		"d~", "d8" + genuine[1:], "d" + "0000000000000000", "u\x00", "dabcdefghijklm",
	} {
		_, err := list.Page(t.Context(), cursor.PageRequest{Cursor: list.Codec.Encode(list.Scope, []byte(pos))})
		require.ErrorIs(t, err, cursor.ErrInvalid, "%q", pos)
	}
	require.Empty(t, *reaches)
	_, err := list.Page(t.Context(), cursor.PageRequest{Cursor: list.Codec.Encode(list.Scope, []byte("d"+genuine))})
	require.NoError(t, err)
}

func TestErrorsOfReadAndShowEndThePage(t *testing.T) {
	boom := fmt.Errorf("boom")
	list, _ := endless(func(row) bool { return true })
	list.Show = func(context.Context, []row) ([]row, error) { return nil, boom }
	_, err := list.Page(t.Context(), cursor.PageRequest{})
	require.ErrorIs(t, err, boom)
	list.Read = func(context.Context, store.Reach) ([]row, string, error) { return nil, "", boom }
	_, err = list.Page(t.Context(), cursor.PageRequest{})
	require.ErrorIs(t, err, boom)
}

func TestACursorKeepsItsListsNote(t *testing.T) {
	plain, _ := endless(func(row) bool { return true })
	noting := plain
	noting.Note = new(bool)
	want, err := plain.Page(t.Context(), cursor.PageRequest{Limit: 3})
	require.NoError(t, err)
	page, err := noting.Page(t.Context(), cursor.PageRequest{Limit: 3})
	require.NoError(t, err)
	require.Equal(t, want, page, "without a note a cursor is what it was")
	_, err = noting.Page(t.Context(), cursor.PageRequest{Cursor: page.Next})
	require.NoError(t, err)
	require.False(t, *noting.Note)

	*noting.Note = true
	page, err = noting.Page(t.Context(), cursor.PageRequest{Limit: 3})
	require.NoError(t, err)
	for _, c := range []cursor.Cursor{page.Next, page.Prev} {
		*noting.Note = false
		_, err = noting.Page(t.Context(), cursor.PageRequest{Cursor: c})
		require.NoError(t, err)
		require.True(t, *noting.Note)
		_, err = plain.Page(t.Context(), cursor.PageRequest{Cursor: c})
		require.ErrorIs(t, err, cursor.ErrInvalid, "a list without a Note")
	}
}
