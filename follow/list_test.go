package follow_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/edge/edgetest"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// TestListsAndWalkOfAThousandFollowers tests both, because creating the followers
// takes most of the time.
func TestListsAndWalkOfAThousandFollowers(t *testing.T) {
	t.Parallel()
	const n = 1003
	meter := dynamotest.NewMeter()
	w := newWorld(t, nil, meter.Wrap)
	edges := make([]follow.Edge, n)
	for i := range edges {
		edges[i] = follow.Edge{Follower: fmt.Sprintf("fan-%012d", i), Followee: "star-00000000001", ID: w.id(t)}
	}
	newestFirst := make([]edgetest.Edge, n)
	for i, e := range edges {
		newestFirst[n-1-i] = see(e)
	}
	shuffled := slices.Clone(edges)
	rand.New(rand.NewPCG(1, 1)).Shuffle(n, func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	if !faults.Full() { // only the rows that lists read, for most of them
		var rows []any
		for _, e := range shuffled[10:] {
			rows = append(rows, map[string]any{"pk": "R#" + e.Followee + "#0", "sk": e.ID.String(), "follower": e.Follower})
		}
		_, err := dynamotest.DB(t).Table(w.table).Batch().Write().Put(rows...).Run(t.Context())
		require.NoError(t, err)
		shuffled = shuffled[:10]
	}
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

	for _, limit := range faults.Some(1, 100, 7) {
		require.Equal(t, newestFirst, seeAll(all(t, w.Followers, star, limit)))
	}
	page, err := w.Followers(t.Context(), star, cursor.PageRequest{})
	require.NoError(t, err)
	require.Equal(t, newestFirst[:25], seeAll(page.Items))
	page, err = w.Followers(t.Context(), star, cursor.PageRequest{Limit: 101})
	require.NoError(t, err)
	require.Equal(t, newestFirst[:100], seeAll(page.Items))

	// Page back from the end.
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
		page, err = w.Followers(t.Context(), star, cursor.PageRequest{Cursor: page.Prev, Limit: faults.Size(7, 100)})
		require.NoError(t, err)
		up = slices.Concat(seeAll(page.Items), up)
	}
	require.Equal(t, newestFirst, up)

	for _, limit := range faults.Some(1, 1001, 0, 1000, 1_000_000_000) {
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

func TestCountsOfMany(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sharded(8))
	w.fans(t, "star", 20)
	w.fans(t, "planet", 2)
	w.follow(t, "star", "planet")
	users := []string{"star", "planet", "unheard-of", "star"}
	want := map[string]follow.Counts{
		"star":       {Followers: 20, Following: 1},
		"planet":     {Followers: 3},
		"unheard-of": {},
	}
	for i := range 97 {
		fan := fmt.Sprintf("star-fan-%03d", i)
		users = append(users[:i+3], fan)
		want[fan] = follow.Counts{}
		if i < 20 {
			want[fan] = follow.Counts{Following: 1}
		}
	}
	got, err := w.CountsMany(t.Context(), users)
	require.NoError(t, err)
	require.Equal(t, want, got)
	for user, counts := range want {
		if counts == (follow.Counts{}) && user != "unheard-of" {
			continue
		}
		got, err := w.Counts(t.Context(), user)
		require.NoError(t, err)
		require.Equal(t, counts, got, user)
	}

	got, err = w.CountsMany(t.Context(), nil)
	require.NoError(t, err)
	require.Empty(t, got)
}
