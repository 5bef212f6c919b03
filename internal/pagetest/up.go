package pagetest

import (
	"slices"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/internal/faults"
)

func prevCanBePolled[T any](p probe[T]) {
	whole := p.add(7)
	_, first := p.page("", 5)
	at := first.Prev
	for range faults.Size(3, 2) {
		ids, page := p.page(at, 5)
		require.Empty(p.t, ids, "nothing is newer")
		require.NotEmpty(p.t, page.Prev, "an empty page up must repeat its gap")
		require.NotEmpty(p.t, page.Next, "an empty page up must lead down again")
		require.Equal(p.t, whole, p.down(page.Next, 4), "down from an empty page up")
		at = page.Prev
	}
	newer := p.add(2)
	for _, c := range []cursor.Cursor{first.Prev, at} {
		ids, _ := p.page(c, 5)
		require.Equal(p.t, newer, ids)
	}
}

func upGivesNewerNearestFirst[T any](p probe[T]) {
	old := p.add(4)
	_, first := p.page("", 3)
	newer := p.add(faults.Size(10, 6))
	whole := slices.Concat(newer, old)

	for _, limit := range faults.Some(2, 4, 11, 5, 1, 10) {
		at := first.Prev
		for end := len(newer); end > 0; {
			ids, page := p.page(at, limit)
			start := max(0, end-limit)
			require.Equal(p.t, newer[start:end], ids, "limit %d", limit)
			require.NotEmpty(p.t, page.Next, "older items lie below")
			require.Equal(p.t, whole[end:], p.down(page.Next, 7), "limit %d: down again", limit)
			at, end = page.Prev, start
		}
		ids, _ := p.page(at, limit)
		require.Empty(p.t, ids, "limit %d: past the top", limit)
	}
}

func prevAndNextUndoEachOther[T any](p probe[T]) {
	const limit = 3
	whole := p.fill(p.size)
	var pages []cursor.Page[T]
	for c := cursor.Cursor(""); len(pages) == 0 || c != ""; {
		_, page := p.page(c, limit)
		pages = append(pages, page)
		require.Less(p.t, len(pages), endless, "the list does not end")
		c = page.Next
	}
	for i := len(pages) - 1; i > 0; i-- {
		here, above := p.ids(pages[i].Items), p.ids(pages[i-1].Items)
		ids, back := p.page(pages[i].Prev, limit)
		require.Equal(p.t, above, ids, "Prev of page %d", i+1)
		require.NotEmpty(p.t, back.Next, "Next after Prev of page %d", i+1)
		ids, forth := p.page(back.Next, limit)
		require.Equal(p.t, here, ids, "Next after Prev of page %d", i+1)
		ids, _ = p.page(forth.Prev, limit)
		require.Equal(p.t, above, ids, "Prev after Next after Prev of page %d", i+1)
	}

	second := pages[1]
	ids, _ := p.page(second.Prev, 2)
	require.Equal(p.t, whole[1:3], ids, "a smaller limit gives the nearest")
	ids, top := p.page(second.Prev, 7)
	require.Equal(p.t, whole[:3], ids, "a greater limit gives no more than there is")
	ids, _ = p.page(top.Prev, 7)
	require.Empty(p.t, ids)

	seen, _ := p.readUp(pages[len(pages)-1].Prev, 5, nil)
	require.Equal(p.t, whole[:len(seen)], seen, "up from the last page")
	require.Len(p.t, seen, p.size-len(pages[len(pages)-1].Items), "up from the last page")
}

func upUnderWriters[T any](p probe[T]) {
	whole := p.add(p.size)
	_, bottom := p.page("", p.size-2)
	ids, last := p.page(bottom.Next, 2)
	require.Equal(p.t, whole[p.size-2:], ids)

	var added, removed []string
	turn := 0
	seen, _ := p.readUp(last.Prev, 3, func(seen []string) {
		if turn++; turn > 6 || len(seen) == 0 {
			return
		}
		added = slices.Concat(p.add(1), added)
		at := slices.Index(whole, seen[0])
		for _, i := range []int{at, at - 2} {
			if i >= 0 && !slices.Contains(removed, whole[i]) {
				removed = append(removed, whole[i])
				p.remove(whole[i])
			}
		}
	})
	require.NotEmpty(p.t, added)
	want := slices.Concat(added, whole[:p.size-2])
	require.Equal(p.t, without(want, removed), without(seen, removed), "items that were never removed")
	require.Equal(p.t, slices.DeleteFunc(want, func(id string) bool { return !slices.Contains(seen, id) }), seen, "an item shows twice or out of order")
}
