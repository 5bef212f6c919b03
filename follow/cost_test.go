package follow_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/internal/calls/callstest"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
)

// sixteen is a user id of 16 bytes.
func sixteen(name string) string { return fmt.Sprintf("%-16s", name) }

// The cost of a long walk is in TestListsAndWalkOfAThousandFollowers.
func TestOperationsCostNoMoreThanStated(t *testing.T) {
	t.Parallel()
	const shards = 8
	jack, anna, star, spread := sixteen("jack"), sixteen("anna"), sixteen("star"), sixteen("spread")
	meter := dynamotest.NewMeter()
	w := newWorld(t, &follow.Options{Shards: func(user string) int {
		if user == spread {
			return shards
		}
		return 1
	}}, meter.Wrap)
	strong := w.process(t, &follow.Options{Consistent: true}, meter.Wrap)
	users, edges := make([]string, 60), []follow.Edge{}
	for i := range users {
		users[i] = sixteen(fmt.Sprint("user ", i))
		edges = append(edges, follow.Edge{Follower: users[i], Followee: star},
			follow.Edge{Follower: users[i], Followee: spread}, follow.Edge{Follower: star, Followee: users[i]})
	}
	_, err := w.Import(t.Context(), "users", sequence(edges), nil)
	require.NoError(t, err)

	type (
		cost = dynamotest.Cost
		page = cursor.PageRequest
	)
	stated := callstest.ReadCosts(t, "..", "follow")
	var edge follow.Edge // that of jack and anna
	var next cursor.Cursor
	follows := func(ctx context.Context) (err error) {
		edge, _, err = w.Follow(ctx, follow.Edge{Follower: jack, Followee: anna, ID: edge.ID})
		return err
	}
	unfollows := func(e *follow.Edge) func(context.Context) error {
		return func(ctx context.Context) error { _, err := w.Unfollow(ctx, *e); return err }
	}
	unused := follow.Edge{Follower: jack, Followee: anna}
	last := func(ctx context.Context) error {
		unused.ID = w.id(t)
		_, _, err := w.Last(ctx, unused)
		return err
	}
	full := func(got cursor.Page[follow.Edge], err error) error {
		require.Len(t, got.Items, 25)
		next = got.Next
		return err
	}
	for _, c := range []struct {
		name string
		want cost
		call func(context.Context) error
	}{
		{"follow", stated.Of("Repository.Follow", "follow"), follows},
		{"follow, repeated", stated.Of("Repository.Follow"), follows},
		{"get", cost{Requests: 1, Read: 1}, func(ctx context.Context) (err error) {
			edge, err = w.Get(ctx, follow.Edge{Follower: jack, Followee: anna})
			return err
		}},
		{"unfollow of a known edge", stated.Of("Repository.Unfollow", "with an edge from Follow or Get"), unfollows(&edge)},
		{"follow of an ended id", stated.Of("Repository.Follow"), func(ctx context.Context) error {
			require.ErrorIs(t, follows(ctx), plaza.ErrRemoved)
			edge = follow.Edge{}
			return nil
		}},
		{"follow again", stated.Of("Repository.Follow"), follows},
		{"last", cost{Requests: 1, Read: 1}, last},
		{"unfollow", stated.Of("Repository.Unfollow", "unfollow"), unfollows(&follow.Edge{Follower: jack, Followee: anna})},
		{"last, ended", cost{Requests: 1, Read: 1}, last},
		{"unfollow of an id that is not there", stated.Of("Repository.Unfollow", "without an edge, by an ID, which it remembers"), unfollows(&unused)},
		{"the same again", stated.Of("Repository.Unfollow", "without an edge"), unfollows(&unused)},
		{"unfollow of nothing", stated.Of("Repository.Unfollow", "without an edge"), unfollows(&follow.Edge{Follower: jack, Followee: anna})},
		{"first follow into a new shard", stated.Of("Repository.Follow", "the first into a new shard"), func(ctx context.Context) error {
			opened := w.process(t, sharded(follow.MaxShards), meter.Wrap)
			_, _, err := opened.Follow(ctx, follow.Edge{Follower: jack, Followee: anna})
			return err
		}},

		{"followers", cost{Requests: 2, Read: 2}, func(ctx context.Context) error { return full(w.Followers(ctx, star, page{})) }},
		{"followers, next page", cost{Requests: 2, Read: 2}, func(ctx context.Context) error { return full(w.Followers(ctx, star, page{Cursor: next})) }},
		{"followers over shards", cost{Requests: 1 + shards, Read: 1 + shards}, func(ctx context.Context) error { return full(w.Followers(ctx, spread, page{})) }},
		{"following", cost{Requests: 1, Read: 1}, func(ctx context.Context) error { return full(w.Following(ctx, star, page{})) }},
		{"following, next page", cost{Requests: 1, Read: 1}, func(ctx context.Context) error { return full(w.Following(ctx, star, page{Cursor: next})) }},
		{"walk", cost{Requests: 2, Read: 60.0/37 + 1}, func(ctx context.Context) error { _, err := w.Walk(ctx, star, page{}); return err }},
		{"walk over shards", cost{Requests: 1 + shards, Read: 1 + shards}, func(ctx context.Context) error { _, err := w.Walk(ctx, spread, page{}); return err }},

		{"relations to 25", cost{Requests: 1, Read: 25}, func(ctx context.Context) error { _, err := w.Relations(ctx, star, users[:25]); return err }},
		{"relations to 25, consistent", cost{Requests: 1, Read: 50}, func(ctx context.Context) error { _, err := strong.Relations(ctx, star, users[:25]); return err }},
		{"relations to 60", cost{Requests: 2, Read: 60}, func(ctx context.Context) error { _, err := w.Relations(ctx, jack, users); return err }},
		{"counts", cost{Requests: 1, Read: 0.5}, func(ctx context.Context) error { _, err := w.Counts(ctx, star); return err }},
		{"counts, consistent", cost{Requests: 1, Read: 1}, func(ctx context.Context) error { _, err := strong.Counts(ctx, star); return err }},
		{"counts over shards", cost{Requests: 1, Read: 0.5}, func(ctx context.Context) error { _, err := w.Counts(ctx, spread); return err }},
		{"counts of 25", cost{Requests: 1, Read: 12.5}, func(ctx context.Context) error { _, err := w.CountsMany(ctx, users[:25]); return err }},
		{"counts of 2 over shards", cost{Requests: 2, Read: 1 + 0.5*(shards-1)}, func(ctx context.Context) error {
			_, err := w.CountsMany(ctx, []string{star, spread})
			return err
		}},
	} {
		got := meter.AtMost(t, c.name, c.want, func() { require.NoError(t, c.call(t.Context()), c.name) })
		require.NotZero(t, got.Requests, c.name)
		t.Logf("%s: %v", c.name, got)
	}
}
