package operations_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/feed/reaction"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids/lease"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/store"
	"github.com/plaza-sdk/plaza/ratelimit"
)

func followSteps(t *testing.T) []step {
	db, gen := open(t)
	r, err := follow.New(db, table(t, follow.Table, follow.TTL), gen, nil)
	require.NoError(t, err)
	edge := follow.Edge{Follower: "ann", Followee: "ben"}
	imported := func(yield func(follow.Edge, error) bool) { yield(follow.Edge{Follower: "ben", Followee: "cem"}, nil) }
	return []step{
		{"Repository.Init", r.Init},
		{"Repository.Verify", r.Verify},
		{"Repository.Follow", func(ctx context.Context) error { return failed(r.Follow(ctx, edge)) }},
		{"Repository.Get", func(ctx context.Context) error { return failed(r.Get(ctx, edge)) }},
		{"Repository.Last", func(ctx context.Context) error { return failed(r.Last(ctx, edge)) }},
		{"Repository.Relations", func(ctx context.Context) error { return failed(r.Relations(ctx, "ann", []string{"ben"})) }},
		{"Repository.Counts", func(ctx context.Context) error { return failed(r.Counts(ctx, "ben")) }},
		{"Repository.CountsMany", func(ctx context.Context) error { return failed(r.CountsMany(ctx, []string{"ann", "ben"})) }},
		{"Repository.Followers", func(ctx context.Context) error { return failed(r.Followers(ctx, "ben", page)) }},
		{"Repository.Following", func(ctx context.Context) error { return failed(r.Following(ctx, "ann", page)) }},
		{"Repository.Walk", func(ctx context.Context) error { return failed(r.Walk(ctx, "ben", page)) }},
		{"Repository.Import", func(ctx context.Context) error { return failed(r.Import(ctx, "edges", imported, nil)) }},
		{"Repository.Check", func(ctx context.Context) error { return failed(r.Check(ctx, "ben")) }},
		{"Repository.Repair", func(ctx context.Context) error { return failed(r.Repair(ctx, "ben")) }},
		{"Repository.Unfollow", func(ctx context.Context) error { return failed(r.Unfollow(ctx, edge)) }},
		{"Repository.Erase", func(ctx context.Context) error { return r.Erase(ctx, "ben") }},
	}
}

func reactionSteps(t *testing.T) []step {
	db, gen := open(t)
	r, err := reaction.New(db, table(t, reaction.Table, reaction.TTL), gen, &reaction.Options{Kinds: []string{"like"}})
	require.NoError(t, err)
	like := reaction.Reaction{User: "ann", Object: "photo", Kind: "like"}
	return []step{
		{"Repository.Init", r.Init},
		{"Repository.Verify", r.Verify},
		{"Repository.React", func(ctx context.Context) error { return failed(r.React(ctx, like)) }},
		{"Repository.Get", func(ctx context.Context) error { return failed(r.Get(ctx, like)) }},
		{"Repository.Reacted", func(ctx context.Context) error { return failed(r.Reacted(ctx, "ann", []string{"photo"})) }},
		{"Repository.Counts", func(ctx context.Context) error { return failed(r.Counts(ctx, "photo")) }},
		{"Repository.CountsMany", func(ctx context.Context) error { return failed(r.CountsMany(ctx, []string{"photo", "film"})) }},
		{"Repository.VersionedCounts", func(ctx context.Context) error { return failed(r.VersionedCounts(ctx, "photo")) }},
		{"Repository.ByObject", func(ctx context.Context) error { return failed(r.ByObject(ctx, "photo", "like", page)) }},
		{"Repository.ByUser", func(ctx context.Context) error { return failed(r.ByUser(ctx, "ann", "like", page)) }},
		{"Repository.Check", func(ctx context.Context) error { return failed(r.Check(ctx, "photo")) }},
		{"Repository.CheckUser", func(ctx context.Context) error { return failed(r.CheckUser(ctx, "ann")) }},
		{"Repository.Repair", func(ctx context.Context) error { return failed(r.Repair(ctx, "photo")) }},
		{"Repository.RepairUser", func(ctx context.Context) error { return failed(r.RepairUser(ctx, "ann")) }},
		{"Repository.Unreact", func(ctx context.Context) error { return failed(r.Unreact(ctx, like)) }},
		{"Repository.Erase", func(ctx context.Context) error { return r.Erase(ctx, "ann") }},
		{"Repository.EraseObject", func(ctx context.Context) error { return r.EraseObject(ctx, "photo") }},
	}
}

func leaseSteps(t *testing.T) []step {
	db, _ := open(t)
	table := dynamotest.Table(t, lease.Table)
	source, err := lease.NewSource(db, table, &lease.Options{Renew: -1})
	require.NoError(t, err)
	var held *lease.Lease
	// Less than half of the lease is left at once, so Next renews it.
	late := func() time.Time { return time.Now().Add(-40 * time.Second) }
	acquire := func(ctx context.Context) (err error) {
		held, err = lease.Acquire(ctx, db, table, &lease.Options{Renew: -1, Now: late})
		return err
	}
	return []step{
		{"Source.Init", source.Init},
		{"Source.Verify", source.Verify},
		{"Source.Next", func(ctx context.Context) error { return failed(source.Next(ctx)) }},
		{"Source.Close", source.Close},
		{"Acquire", acquire},
		{"Lease.Next", func(ctx context.Context) error { return failed(held.Next(ctx)) }},
		{"Lease.Close", func(ctx context.Context) error { return held.Close(ctx) }},
	}
}

func ratelimitSteps(t *testing.T) []step {
	db, _ := open(t)
	limiter, err := ratelimit.NewTable(db, dynamotest.Table(t, store.Schema), ratelimit.Rate{}, nil)
	require.NoError(t, err)
	return []step{
		{"Table.Take", func(ctx context.Context) error {
			return failed(limiter.Take(ctx, ratelimit.Attempt{Object: "photo", User: "ann", ID: "1"}))
		}},
	}
}

// Renewals in the background belong to no call that runs, but have a name.
func TestARenewalInTheBackgroundHasAName(t *testing.T) {
	t.Parallel()
	names := make(chan string, 100)
	db := dynamotest.DB(t, func(next aws.HTTPClient) aws.HTTPClient {
		return doer(func(r *http.Request) (*http.Response, error) {
			select {
			case names <- plaza.Operation(r.Context()):
			default:
			}
			return next.Do(r)
		})
	})
	held, err := lease.Acquire(t.Context(), db, dynamotest.Table(t, lease.Table), &lease.Options{Renew: time.Millisecond})
	require.NoError(t, err)
	require.Equal(t, "ids/lease.Acquire", <-names)
	require.Equal(t, "ids/lease.Lease.Next", <-names)
	require.NoError(t, held.Close(t.Context()))
}

type doer func(*http.Request) (*http.Response, error)

func (d doer) Do(r *http.Request) (*http.Response, error) { return d(r) }
