package pagetest

import (
	"context"
	"slices"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/internal/faults"
)

const endless = 100 // pages; no walk here has as many

// probe reads a list and checks what holds for every page.
type probe[T any] struct {
	List[T]
	ctx   context.Context // of one check
	t     require.TestingT
	items *[]string // of the list, newest first, if it is only filled
	size  int       // of most lists: a multiple of no limit tried but 1
}

func newProbe[T any](ctx context.Context, t require.TestingT, l List[T], items *[]string) probe[T] {
	if l.MaxLimit == 0 {
		l.MaxLimit = cursor.MaxLimit
	}
	return probe[T]{l, ctx, t, items, faults.Size(23, 8)}
}

// fill adds items until the list has n. It returns all, newest first.
func (p probe[T]) fill(n int) []string {
	if more := n - len(*p.items); more > 0 {
		*p.items = slices.Concat(p.add(more), *p.items)
	}
	return slices.Clone(*p.items)
}

// add returns the new items newest first, as a list shows them.
func (p probe[T]) add(n int) []string {
	ids := p.Add(p.ctx, n)
	require.Len(p.t, ids, n, "List.Add must give the identity of each item")
	slices.Reverse(ids)
	return ids
}

func (p probe[T]) remove(ids ...string) {
	for _, id := range ids {
		p.Remove(p.ctx, id)
	}
}

func (p probe[T]) hide(ids ...string) {
	for _, id := range ids {
		p.Hide(p.ctx, id)
	}
}

func (p probe[T]) page(c cursor.Cursor, limit int) (ids []string, page cursor.Page[T]) {
	page, err := p.Page(p.ctx, cursor.PageRequest{Cursor: c, Limit: limit})
	require.NoError(p.t, err)
	require.NotNil(p.t, page.Items, "items would be null in JSON")
	ids = p.ids(page.Items)
	require.LessOrEqual(p.t, len(ids), limit, "a page has more items than its limit")
	if len(ids) > 0 {
		require.NotEmpty(p.t, page.Prev, "a page with items has no Prev")
	}
	return ids, page
}

func (p probe[T]) ids(items []T) []string {
	ids := make([]string, 0, len(items))
	for _, item := range items {
		ids = append(ids, p.ID(item))
	}
	return ids
}

// down reads to the end of the list.
func (p probe[T]) down(c cursor.Cursor, limit int) []string {
	return slices.Concat(p.downPages(c, limit, nil)...)
}

// downPages reads to the end of the list, and calls meanwhile between pages.
func (p probe[T]) downPages(c cursor.Cursor, limit int, meanwhile func(seen []string)) [][]string {
	var pages [][]string
	var seen []string
	for {
		ids, page := p.page(c, limit)
		pages = append(pages, ids)
		seen = append(seen, ids...)
		if page.Next == "" {
			return pages
		}
		require.Less(p.t, len(pages), endless, "the list does not end")
		c = page.Next
		if meanwhile != nil {
			meanwhile(seen)
		}
	}
}

// readUp reads up, past empty pages too, until a page repeats its gap. It returns the
// items, newest first, and the last cursor.
func (p probe[T]) readUp(c cursor.Cursor, limit int, meanwhile func(seen []string)) ([]string, cursor.Cursor) {
	var seen []string
	for range endless {
		ids, page := p.page(c, limit)
		require.NotEmpty(p.t, page.Prev, "a page up has no Prev")
		if len(ids) == 0 && page.Prev == c {
			break
		}
		seen = slices.Concat(ids, seen)
		c = page.Prev
		if meanwhile != nil {
			meanwhile(seen)
		}
	}
	return seen, c
}

// withoutRequests makes a call that must send no request.
func (p probe[T]) withoutRequests(call func()) {
	if p.Requests == nil {
		call()
		return
	}
	before := p.Requests()
	call()
	require.Equal(p.t, before, p.Requests(), "a request was sent")
}

func (p probe[T]) refuses(c cursor.Cursor, what string) {
	p.withoutRequests(func() {
		page, err := p.Page(p.ctx, cursor.PageRequest{Cursor: c, Limit: 5})
		require.ErrorIs(p.t, err, cursor.ErrInvalid, what)
		require.Zero(p.t, len(page.Items), what)
	})
}

func without(ids, removed []string) []string {
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return slices.Contains(removed, id) })
}
