package follow

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Followers lists who follows user, newest first, strongly consistent.
//
// One read, and one for each shard: about 1 RCU each for a page of 25.
func (r *Repository) Followers(ctx context.Context, user string, req cursor.PageRequest) (cursor.Page[Edge], error) {
	if err := keys.CheckName("User", user); err != nil {
		return cursor.Page[Edge]{}, err
	}
	list := r.list("followers", user)
	list.Read = func(ctx context.Context, reach store.Reach) ([]Edge, error) {
		counters, err := r.counters(ctx, user, true)
		if err != nil {
			return nil, err
		}
		return r.readShards(ctx, user, counters, reach)
	}
	page, err := list.Page(ctx, req)
	return page, wrap("followers of", user, err)
}

// Following lists whom user follows, newest first, strongly consistent.
//
// One read, about 1 RCU for a page of 25.
func (r *Repository) Following(ctx context.Context, user string, req cursor.PageRequest) (cursor.Page[Edge], error) {
	if err := keys.CheckName("User", user); err != nil {
		return cursor.Page[Edge]{}, err
	}
	list := r.list("following", user)
	list.Read = func(ctx context.Context, reach store.Reach) ([]Edge, error) {
		span := reach.Span(followingPK(user))
		span.Consistent = true
		rows, err := store.Query[followingItem](ctx, r.table, span)
		edges := make([]Edge, len(rows))
		for i, row := range rows {
			edges[i] = Edge{Follower: user, Followee: row.Followee, ID: row.ID}
		}
		return edges, err
	}
	page, err := list.Page(ctx, req)
	return page, wrap("following of", user, err)
}

func (r *Repository) list(kind, user string) store.List[Edge, Edge] {
	return store.List[Edge, Edge]{
		Codec: r.opts.Codec,
		Scope: cursor.Scope{List: "follow/" + kind, Partition: user},
		Order: store.ByID(func(e Edge) ids.ID { return e.ID }),
		Item:  func(e Edge) Edge { return e },
	}
}

// readShards merges the shards of a list on the edges' ids.
func (r *Repository) readShards(ctx context.Context, user string, counters []counterItem, reach store.Reach) ([]Edge, error) {
	parts := make([][]Edge, len(counters))
	group, ctx := errgroup.WithContext(ctx)
	for i, counter := range counters {
		group.Go(func() (err error) {
			parts[i], err = r.readShard(ctx, user, int(counter.Shard), reach)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	edges := slices.Concat(parts...)
	slices.SortFunc(edges, func(a, b Edge) int {
		if reach.Up {
			a, b = b, a
		}
		return cmp.Compare(b.ID, a.ID)
	})
	return edges[:min(len(edges), reach.Limit)], nil
}

func (r *Repository) readShard(ctx context.Context, user string, shard int, reach store.Reach) ([]Edge, error) {
	span := reach.Span(followerPK(user, shard))
	span.Consistent = true
	rows, err := store.Query[followerItem](ctx, r.table, span)
	edges := make([]Edge, len(rows))
	for i, row := range rows {
		edges[i] = Edge{Follower: row.Follower, Followee: user, ID: row.ID, place: shard + 1}
	}
	return edges, err
}

func wrap(what, user string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("follow: %s %q: %w", what, user, err)
}
