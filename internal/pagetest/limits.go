package pagetest

import (
	"context"
	"math"
	"slices"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/internal/faults"
)

func emptyListEndsAtOnce[T any](p probe[T]) {
	ids, page := p.page("", 5)
	require.Empty(p.t, ids)
	require.Empty(p.t, page.Next)

	added := p.add(3)
	require.Equal(p.t, added, p.down("", 5))
	if page.Prev != "" {
		seen, _ := p.readUp(page.Prev, 5, nil)
		require.Equal(p.t, added, seen, "Prev of the empty list does not lead to what came")
	}
}

func everyLimitGivesTheWhole[T any](p probe[T]) {
	whole := p.fill(p.size)
	for _, limit := range faults.Some(4, 1, 3, p.size-1, p.size, 2, 7, p.size+1) {
		pages := p.downPages("", limit, nil)
		require.Equal(p.t, whole, slices.Concat(pages...), "limit %d", limit)
		require.Len(p.t, pages, (p.size+limit-1)/limit, "limit %d: nothing is hidden, so all pages but the last are full", limit)
	}
}

func fullLastPageEnds[T any](p probe[T]) {
	whole := p.add(6)
	for _, limit := range faults.Some(2, 3, 6, 1, 2) {
		pages := p.downPages("", limit, nil)
		require.Equal(p.t, whole, slices.Concat(pages...), "limit %d", limit)
		require.Len(p.t, pages, 6/limit, "limit %d: the last page must have no Next", limit)
	}
}

func limitHasDefaultAndMaximum[T any](p probe[T]) {
	whole := p.fill(p.MaxLimit + 1)
	for limit, want := range map[int]int{
		0:              cursor.DefaultLimit,
		p.MaxLimit - 1: p.MaxLimit - 1,
		p.MaxLimit:     p.MaxLimit,
		p.MaxLimit + 1: p.MaxLimit,
		1e9:            p.MaxLimit,
		math.MaxInt:    p.MaxLimit,
	} {
		page, err := p.Page(p.ctx, cursor.PageRequest{Limit: limit})
		require.NoError(p.t, err)
		require.Equal(p.t, whole[:want], p.ids(page.Items), "limit %d", limit)
		require.NotEmpty(p.t, page.Next, "limit %d", limit)
	}
}

func negativeLimitIsRefused[T any](p probe[T]) {
	p.fill(3)
	_, first := p.page("", 1)
	for _, c := range []cursor.Cursor{"", first.Next, first.Prev} {
		for _, limit := range []int{-1, -25, math.MinInt} {
			p.withoutRequests(func() {
				page, err := p.Page(p.ctx, cursor.PageRequest{Cursor: c, Limit: limit})
				require.ErrorIs(p.t, err, plaza.ErrInvalid, "limit %d", limit)
				require.Zero(p.t, len(page.Items))
			})
		}
	}
}

func allGivesTheWhole[T any](p probe[T]) {
	whole := p.fill(p.size)
	for _, limit := range []int{4, cursor.MaxLimit} {
		var seen []T
		pages := 0
		for item, err := range cursor.All(p.ctx, func(ctx context.Context, r cursor.PageRequest) (cursor.Page[T], error) {
			pages++
			require.Less(p.t, pages, endless, "the list does not end")
			r.Limit = limit
			return p.Page(ctx, r)
		}) {
			require.NoError(p.t, err)
			seen = append(seen, item)
		}
		require.Equal(p.t, whole, p.ids(seen))
	}
}

func cancelledContextGivesNoItems[T any](p probe[T]) {
	p.fill(3)
	_, first := p.page("", 1)
	ctx, cancel := context.WithCancel(p.ctx)
	cancel()
	for _, c := range []cursor.Cursor{"", first.Next, first.Prev} {
		page, err := p.Page(ctx, cursor.PageRequest{Cursor: c, Limit: 2})
		require.ErrorIs(p.t, err, context.Canceled)
		require.Zero(p.t, len(page.Items))
	}
}
