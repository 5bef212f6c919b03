package pagetest

import (
	"slices"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/faults"
)

func hiddenItemsEndNothing[T any](p probe[T]) {
	whole := p.add(p.size)
	_, first := p.page("", p.size-1)
	_, last := p.page(first.Next, 1)

	// Hide items at the front, in the middle and at the end.
	hidden := slices.Concat(whole[:p.size/3], whole[p.size/2-1:p.size*2/3], whole[p.size-p.size/5:])
	p.hide(hidden...)
	shown := without(whole, hidden)
	for _, limit := range faults.Some(1, 2, 1, 4, p.size) {
		require.Equal(p.t, shown, p.down("", limit), "limit %d", limit)
		seen, _ := p.readUp(last.Prev, limit, nil)
		require.Equal(p.t, shown, seen, "up, limit %d", limit)
	}
}

func whollyHiddenLeadsOn[T any](p probe[T]) {
	whole := p.add(9)
	_, first := p.page("", 8)
	_, last := p.page(first.Next, 1)

	p.hide(whole...)
	require.Empty(p.t, p.down("", 2))
	require.Empty(p.t, p.down(first.Next, 2))
	_, start := p.page("", 2)
	seen, at := p.readUp(last.Prev, 2, nil)
	require.Empty(p.t, seen)
	seen, top := p.readUp(first.Prev, 2, nil)
	require.Empty(p.t, seen)

	added := p.add(5)
	require.Equal(p.t, added, p.down("", 2))
	seen, _ = p.readUp(at, 2, nil)
	require.Equal(p.t, added, seen, "up from where the hidden items ended")
	seen, _ = p.readUp(top, 2, nil)
	require.Equal(p.t, added, seen, "up from the top")
	seen, _ = p.readUp(last.Prev, 2, nil)
	require.Equal(p.t, added, seen, "up past the hidden items")
	if start.Prev != "" {
		seen, _ = p.readUp(start.Prev, 2, nil)
		require.Equal(p.t, added, seen, "Prev of a first page with everything hidden")
	}
}
