package feed_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// One home has the entries of all the others together. With every combination
// of options, pages merged from the others equal its pages, even if two sources
// return the same entries.
func TestMergedSourcesGiveTheSamePages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for reader, sources := range map[string][]string{
		"whole": {"ann", "ben", "joe", "sue"},
		"part":  {"ann", "ben"},
		"rest":  {"joe"},
		"last":  {"sue"},
		"none":  nil,
	} {
		_, err := w.Home(reader).FollowMany(t.Context(), sources, nil)
		require.NoError(t, err)
	}
	about := w.process(t, &feed.Options{Consistent: true, About: aboutObject, InlineFollowers: 10})
	var as []feed.Activity
	for n := range faults.Size(40, 16) {
		owner := []string{"ann", "ben", "joe", "sue"}[n*n%7%4]
		a := activity(owner, n%5) // repeats objects of earlier activities
		if n%3 == 0 {
			a.Verb = "like"
		}
		a, _, err := about.Outbox(owner).Publish(t.Context(), a)
		require.NoError(t, err)
		as = append(as, a)
	}
	_, err := w.Outbox(as[12].Owner).Remove(t.Context(), as[12].ID)
	require.NoError(t, err)

	for name, opts := range faults.Sample(4, map[string]feed.Options{
		"plain":    {},
		"filtered": {Filter: hideVerb("like", new(int))},
		"reposts":  {About: aboutObject, RepostWindow: 6},
		"capped":   {HomeCap: 11},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			opts.Consistent = true
			feeds := w.process(t, &opts)
			whole := feeds.Home("whole").List
			parts := func(ctx context.Context, req cursor.PageRequest) (cursor.Page[feed.Activity], error) {
				return feeds.Home("part").ListMerged(ctx, []string{"rest", "none", "part", "last"}, req)
			}
			for _, limit := range faults.Some(1, 5, 2, 50) {
				want, end := walk(t, whole, limit)
				require.NotEmpty(t, want)
				got, last := walk(t, parts, limit)
				require.Equal(t, owned(want), owned(got), "down by %d", limit)
				require.Equal(t, owned(readUpFrom(t, whole, end, limit)), owned(readUpFrom(t, parts, last, limit)), "up by %d", limit)
			}
		})
	}

	for _, reader := range []string{"whole", "part"} {
		_, err := w.Home(reader).Trim(t.Context(), as[6].ID)
		require.NoError(t, err)
	}
	require.Equal(t, all(t, w.Home("whole").List, 4), all(t, func(ctx context.Context, req cursor.PageRequest) (cursor.Page[feed.Activity], error) {
		return w.Home("part").ListMerged(ctx, []string{"rest", "last"}, req)
	}, 4), "the floor is the reader's")
}
