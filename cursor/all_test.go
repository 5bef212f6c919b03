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

// collect ranges over all items, and calls each after every item.
func collect(ctx context.Context, s *scripted, each func()) (items []int, failed []error) {
	for item, err := range cursor.All(ctx, s.list) {
		if err != nil {
			failed = append(failed, err)
			continue
		}
		items = append(items, item)
		each()
	}
	return items, failed
}

func nothing() {}

func TestAllContinuesPastShortAndEmptyPages(t *testing.T) {
	s := threePages()
	all := cursor.All(t.Context(), s.list)
	for range 2 { // each range starts again
		s.requests = nil
		var items []int
		for item, err := range all {
			require.NoError(t, err)
			items = append(items, item)
		}
		assert.Equal(t, []int{1, 2, 3}, items)
		assert.Equal(t, []cursor.PageRequest{
			{Cursor: "", Limit: 100}, {Cursor: "b", Limit: 100}, {Cursor: "c", Limit: 100}, {Cursor: "d", Limit: 100},
		}, s.requests)
	}
}

func TestAllYieldsAnErrorOnceAndStops(t *testing.T) {
	broken := errors.New("broken")
	for at, want := range map[cursor.Cursor][]int{"": nil, "b": {1, 2}, "c": {1, 2}, "d": {1, 2, 3}} {
		s := threePages()
		s.fail = map[cursor.Cursor]error{at: broken}
		items, failed := collect(t.Context(), s, nothing)
		assert.Equal(t, want, items, "items beside the error are not given")
		assert.Equal(t, []error{broken}, failed)
	}
}

func TestAllStopsAtBreak(t *testing.T) {
	for at, fail := range map[int]error{2: nil, 0: errors.New("broken")} {
		s := threePages()
		s.fail = map[cursor.Cursor]error{"": fail}
		for item, err := range cursor.All(t.Context(), s.list) {
			require.Equal(t, fail, err)
			if item == at {
				break
			}
		}
		assert.Len(t, s.requests, 1)
	}
}

func TestAllStopsWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s := threePages()
	for _, want := range [][]int{{1}, nil} { // and then it is cancelled before
		items, failed := collect(ctx, s, cancel)
		assert.Equal(t, want, items)
		assert.Equal(t, []error{context.Canceled}, failed)
		assert.Len(t, s.requests, 1)
	}
}
