package pagetest

import (
	"slices"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
)

func addedMeanwhile[T any](p probe[T]) {
	whole := p.add(p.size)
	var added []string
	pages := p.downPages("", 3, func([]string) { added = slices.Concat(p.add(2), added) })
	require.Equal(p.t, whole, slices.Concat(pages...))
	require.Equal(p.t, slices.Concat(added, whole), p.down("", 10), "afterwards")
}

func removedMeanwhile[T any](p probe[T]) {
	whole := p.add(p.size)
	var removed []string
	pages := p.downPages("", 3, func(seen []string) {
		if len(seen) == 0 {
			return
		}
		// The item at the cursor, one seen before it, and one not seen yet.
		at := slices.Index(whole, seen[len(seen)-1])
		for _, i := range []int{at, at - 2, at + 2} {
			if i >= 0 && i < p.size && !slices.Contains(removed, whole[i]) {
				removed = append(removed, whole[i])
				p.remove(whole[i])
			}
		}
	})
	seen := slices.Concat(pages...)
	there := without(whole, removed)
	require.Equal(p.t, there, without(seen, removed), "items that were never removed")
	require.Equal(p.t, slices.DeleteFunc(slices.Clone(whole), func(id string) bool { return !slices.Contains(seen, id) }), seen, "an item shows twice or out of order")
	require.Equal(p.t, there, p.down("", 10), "afterwards")
}

func cursorOutlivesItems[T any](p probe[T]) {
	whole := p.add(12)
	_, first := p.page("", 4)
	_, second := p.page(first.Next, 4)

	// Remove the items beside each cursor, and their neighbours.
	p.remove(whole[2:6]...)
	require.Equal(p.t, whole[6:], p.down(first.Next, 3))
	require.Equal(p.t, whole[8:], p.down(second.Next, 3))
	seen, _ := p.readUp(second.Prev, 3, nil)
	require.Equal(p.t, whole[:2], seen)

	p.remove(whole[6:]...)
	require.Empty(p.t, p.down(first.Next, 3), "all below was removed")
	require.Empty(p.t, p.down(second.Next, 3), "all below was removed")
	if _, gone := p.page(second.Next, 3); gone.Prev != "" {
		seen, _ = p.readUp(gone.Prev, 3, nil)
		require.Equal(p.t, whole[:2], seen, "an empty last page does not lead back")
	}

	p.remove(whole[:2]...)
	require.Empty(p.t, p.down("", 3), "all was removed")
	added := p.add(2)
	for _, prev := range []cursor.Cursor{first.Prev, second.Prev} {
		seen, _ = p.readUp(prev, 3, nil)
		require.Equal(p.t, added, seen, "Prev of a page whose items are gone")
	}
}
