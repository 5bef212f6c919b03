package cursor_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
)

type scripted struct {
	pages    map[cursor.Cursor]cursor.Page[int]
	fail     map[cursor.Cursor]error
	requests []cursor.PageRequest
}

func (s *scripted) list(_ context.Context, r cursor.PageRequest) (cursor.Page[int], error) {
	s.requests = append(s.requests, r)
	return s.pages[r.Cursor], s.fail[r.Cursor]
}

func threePages() *scripted {
	return &scripted{pages: map[cursor.Cursor]cursor.Page[int]{
		"":  {Items: []int{1, 2}, Next: "b", Prev: "up"},
		"b": {Next: "c"},
		"c": {Items: []int{3}, Next: "d"},
		"d": {},
	}}
}

func collect(ctx context.Context, s *scripted) (items []int, failed []error) {
	for item, err := range cursor.All(ctx, s.list) {
		if err != nil {
			failed = append(failed, err)
			continue
		}
		items = append(items, item)
	}
	return items, failed
}

func TestAllContinuesPastShortAndEmptyPages(t *testing.T) {
	s := threePages()
	items, failed := collect(t.Context(), s)
	assert.Empty(t, failed)
	assert.Equal(t, []int{1, 2, 3}, items)
	assert.Equal(t, []cursor.PageRequest{
		{Cursor: "", Limit: 100}, {Cursor: "b", Limit: 100}, {Cursor: "c", Limit: 100}, {Cursor: "d", Limit: 100},
	}, s.requests)
}

func TestAllOfAnEmptyListIsOneRequest(t *testing.T) {
	s := &scripted{}
	items, failed := collect(t.Context(), s)
	assert.Empty(t, items)
	assert.Empty(t, failed)
	assert.Len(t, s.requests, 1)
}

func TestAllYieldsAnErrorOnceAndStops(t *testing.T) {
	broken := errors.New("broken")
	for at, want := range map[cursor.Cursor][]int{"": nil, "b": {1, 2}, "c": {1, 2}, "d": {1, 2, 3}} {
		s := threePages()
		s.fail = map[cursor.Cursor]error{at: broken}
		items, failed := collect(t.Context(), s)
		assert.Equal(t, want, items, "items beside the error are not given")
		assert.Equal(t, []error{broken}, failed)
	}
}

func TestAllStopsAtBreak(t *testing.T) {
	s := threePages()
	for item, err := range cursor.All(t.Context(), s.list) {
		require.NoError(t, err)
		if item == 2 {
			break
		}
	}
	assert.Len(t, s.requests, 1)

	s.fail = map[cursor.Cursor]error{"": errors.New("broken")}
	for _, err := range cursor.All(t.Context(), s.list) {
		require.Error(t, err)
		break
	}
	assert.Len(t, s.requests, 2)
}

func TestAllStopsWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s := threePages()
	var items []int
	var failed []error
	for item, err := range cursor.All(ctx, s.list) {
		if err != nil {
			failed = append(failed, err)
			assert.Zero(t, item)
			continue
		}
		items = append(items, item)
		cancel()
	}
	assert.Equal(t, []int{1}, items)
	assert.Equal(t, []error{context.Canceled}, failed)
	assert.Len(t, s.requests, 1)

	items, failed = collect(ctx, s)
	assert.Empty(t, items)
	assert.Equal(t, []error{context.Canceled}, failed)
	assert.Len(t, s.requests, 1, "none when cancelled before")
}

func TestAllStartsAgainWithEachRange(t *testing.T) {
	s := threePages()
	all := cursor.All(t.Context(), s.list)
	for range 2 {
		var items []int
		for item, err := range all {
			require.NoError(t, err)
			items = append(items, item)
		}
		assert.Equal(t, []int{1, 2, 3}, items)
	}
}
