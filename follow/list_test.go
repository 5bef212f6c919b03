package follow_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/pagetest"
)

func sealed(t testing.TB) cursor.Codec {
	t.Helper()
	codec, err := cursor.Sealed(cursor.Keyring{Current: 1, Keys: map[byte][]byte{1: bytes.Repeat([]byte{7}, 32)}})
	require.NoError(t, err)
	return codec
}

func TestListsArePagedExactly(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		shards    int
		codec     cursor.Codec
		following bool
	}{
		"followers":                     {1, cursor.Plain(), false},
		"followers over 8 shards":       {8, sealed(t), false},
		"following":                     {1, cursor.Plain(), true},
		"following, cursors are sealed": {1, sealed(t), true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := faults.New(t, 1, faults.Rates{})
			opts := sharded(c.shards)
			opts.Codec = c.codec
			w := newWorld(t, opts, in.Wrap)
			list := func(user string, following bool) func(context.Context, cursor.PageRequest) (cursor.Page[follow.Edge], error) {
				return func(ctx context.Context, req cursor.PageRequest) (cursor.Page[follow.Edge], error) {
					if following {
						return w.Following(ctx, user, req)
					}
					return w.Followers(ctx, user, req)
				}
			}
			for _, e := range w.fans(t, "star", 2) {
				w.follow(t, "star", e.Follower)
			}
			pagetest.Run(t, func(t *testing.T) pagetest.List[follow.Edge] {
				user, edges, n := "user of "+t.Name(), map[string]follow.Edge{}, 0
				return pagetest.List[follow.Edge]{
					Page: list(user, c.following),
					ID:   func(e follow.Edge) string { return e.ID.String() },
					Add: func(ctx context.Context, count int) []string {
						added := make([]string, count)
						for i := range added {
							n++
							e := follow.Edge{Follower: fmt.Sprint("other ", n), Followee: user}
							if c.following {
								e.Follower, e.Followee = e.Followee, e.Follower
							}
							e, created, err := w.Follow(ctx, e)
							require.NoError(t, err)
							require.True(t, created)
							added[i] = e.ID.String()
							edges[added[i]] = e
						}
						return added
					},
					Remove: func(ctx context.Context, id string) {
						removed, err := w.Unfollow(ctx, edges[id])
						require.NoError(t, err)
						require.True(t, removed)
					},
					Others: []pagetest.Other{
						pagetest.Foreign("another user", list("star", c.following)),
						pagetest.Foreign("the other list", list("star", !c.following)),
					},
					Requests: in.Requests,
				}
			})
		})
	}
}

// TestAThousandFollowersInAnyOrder also walks them: one crowd is enough.
func TestAThousandFollowersInAnyOrder(t *testing.T) {
	t.Parallel()
	const n = 1003
	meter := dynamotest.NewMeter()
	w := newWorld(t, nil, meter.Wrap)
	edges := make([]follow.Edge, n)
	for i := range edges {
		edges[i] = follow.Edge{Follower: fmt.Sprintf("fan-%012d", i), Followee: "star-00000000001", ID: w.id(t)}
	}
	newestFirst := make([]bare, n)
	for i, e := range edges {
		newestFirst[n-1-i] = see(e)
	}
	shuffled := slices.Clone(edges)
	rand.New(rand.NewPCG(1, 1)).Shuffle(n, func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	var group errgroup.Group
	group.SetLimit(4)
	for _, e := range shuffled {
		group.Go(func() error {
			_, created, err := w.Follow(t.Context(), e)
			if err == nil && !created {
				return fmt.Errorf("%q followed before", e.Follower)
			}
			return err
		})
	}
	require.NoError(t, group.Wait())
	star := edges[0].Followee

	require.Equal(t, newestFirst, seeAll(all(t, w.Followers, star, 7)))
	require.Equal(t, newestFirst, seeAll(all(t, w.Followers, star, 100)))
	page, err := w.Followers(t.Context(), star, cursor.PageRequest{})
	require.NoError(t, err)
	require.Equal(t, newestFirst[:25], seeAll(page.Items))

	// Back up by sevens from the end.
	last := cursor.PageRequest{Limit: 100}
	for {
		page, err = w.Followers(t.Context(), star, last)
		require.NoError(t, err)
		if page.Next == "" {
			break
		}
		last.Cursor = page.Next
	}
	up := seeAll(page.Items)
	for len(page.Items) > 0 {
		page, err = w.Followers(t.Context(), star, cursor.PageRequest{Cursor: page.Prev, Limit: 7})
		require.NoError(t, err)
		up = slices.Concat(seeAll(page.Items), up)
	}
	require.Equal(t, newestFirst, up)

	for _, limit := range []int{0, 1000, 1001, 1_000_000_000} {
		meter.AtMost(t, "a walk of 1,000", dynamotest.Cost{Requests: 2, Read: 1000.0/37 + 1}, func() {
			page, err = w.Walk(t.Context(), star, cursor.PageRequest{Limit: limit})
			require.NoError(t, err)
			require.Equal(t, newestFirst[:1000], seeAll(page.Items), "limit %d", limit)
		})
	}
	meter.AtMost(t, "the rest of a walk", dynamotest.Cost{Requests: 1, Read: 1}, func() {
		page, err = w.Walk(t.Context(), star, cursor.PageRequest{Cursor: page.Next})
		require.NoError(t, err)
		require.Equal(t, newestFirst[1000:], seeAll(page.Items))
		require.Empty(t, page.Next)
	})
}

func TestAnEdgeOfAListMayBeUnfollowed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sharded(4))
	w.fans(t, "chris", 6)
	for i, list := range []lister{w.Followers, w.Walk} {
		for _, e := range all(t, list, "chris", 10)[:3] {
			removed, err := w.Unfollow(t.Context(), e)
			require.NoError(t, err)
			require.True(t, removed)
		}
		counts, err := w.Counts(t.Context(), "chris")
		require.NoError(t, err)
		require.Equal(t, int64(3-3*i), counts.Followers)
	}
	e := w.follow(t, "jack", "chris")
	for _, e := range all(t, w.Following, "jack", 10) {
		removed, err := w.Unfollow(t.Context(), e)
		require.NoError(t, err)
		require.True(t, removed)
	}
	w.holds(t, graph{}, "chris", "jack", e.Follower)
}

func TestTheGreatestIDIsListed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, &follow.Options{Now: ids.ID(1<<63 - 1).Time})
	w.follow(t, "jack", "chris")
	e, _, err := w.Follow(t.Context(), follow.Edge{Follower: "anna", Followee: "chris", ID: ids.ID(1<<63 - 1)})
	require.NoError(t, err)
	page, err := w.Followers(t.Context(), "chris", cursor.PageRequest{Limit: 1})
	require.NoError(t, err)
	require.Equal(t, []bare{see(e)}, seeAll(page.Items))
	page, err = w.Followers(t.Context(), "chris", cursor.PageRequest{Cursor: page.Prev})
	require.NoError(t, err)
	require.Empty(t, page.Items)
}
