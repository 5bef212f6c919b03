package follow

import (
	"context"
	"iter"
	"maps"
	"sync"

	"github.com/guregu/dynamo/v2"
	"golang.org/x/sync/errgroup"

	"github.com/plaza-sdk/plaza/internal/store"
)

// guards gives the edges of follower by their guards.
func (r *Repository) guards(ctx context.Context, follower string) iter.Seq2[[]Edge, error] {
	return pages(ctx, r.table, edgeKey(follower, "").PK,
		func(i edgeItem) Edge { return i.edge(follower) },
		func(e Edge) string { return e.Followee })
}

// following gives the edges of follower by the list of them, unplaced.
func (r *Repository) following(ctx context.Context, follower string) iter.Seq2[[]Edge, error] {
	return pages(ctx, r.table, followingPK(follower),
		func(i followingItem) Edge { return Edge{Follower: follower, Followee: i.Followee, ID: i.ID} },
		func(e Edge) string { return e.ID.String() })
}

// followers gives the edges to followee that a shard of the list holds.
func (r *Repository) followers(ctx context.Context, followee string, shard int) iter.Seq2[[]Edge, error] {
	return pages(ctx, r.table, followerPK(followee, shard),
		func(i followerItem) Edge {
			return Edge{Follower: i.Follower, Followee: followee, ID: i.ID, place: shard + 1}
		},
		func(e Edge) string { return e.ID.String() })
}

// pages reads a partition strongly consistent, maxWalk rows at a time and
// from the last sort key down.
func pages[R any](ctx context.Context, t *store.Table, pk string, edge func(R) Edge, sk func(Edge) string) iter.Seq2[[]Edge, error] {
	return func(yield func([]Edge, error) bool) {
		span := store.Span{PK: pk, Limit: maxWalk, Consistent: true}
		for {
			rows, err := store.Query[R](ctx, t, span)
			edges := make([]Edge, len(rows))
			for i, row := range rows {
				edges[i] = edge(row)
			}
			if !yield(edges, err) || err != nil || len(edges) < maxWalk {
				return
			}
			span.To = sk(edges[maxWalk-1])
		}
	}
}

func countEdges(pages iter.Seq2[[]Edge, error]) (n int64, err error) {
	for edges, err := range pages {
		if err != nil {
			return 0, err
		}
		n += int64(len(edges))
	}
	return n, nil
}

// getAll reads items by key, strongly consistent, up to parallel requests at
// once. A key may repeat.
func (r *Repository) getAll(ctx context.Context, wanted []store.Key, parallel int) (map[store.Key]dynamo.Item, error) {
	asked := make(map[store.Key]bool, len(wanted))
	distinct := make([]store.Key, 0, len(wanted))
	for _, key := range wanted {
		if !asked[key] {
			asked[key] = true
			distinct = append(distinct, key)
		}
	}
	var mu sync.Mutex
	items := make(map[store.Key]dynamo.Item, len(distinct))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(parallel)
	for start := 0; start < len(distinct) && ctx.Err() == nil; start += store.MaxBatchGet {
		group.Go(func() error {
			found, err := r.table.GetAll(ctx, distinct[start:min(start+store.MaxBatchGet, len(distinct))], true)
			mu.Lock()
			defer mu.Unlock()
			maps.Copy(items, found)
			return err
		})
	}
	return items, group.Wait()
}
