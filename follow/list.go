package follow

import (
	"context"
	"fmt"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/edge"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Followers lists who follows user, newest first, strongly consistent.
//
// Cost: 1 request for the shards and 1 for each shard, 1 RCU each for a page of
// 25; past damaged edges up to 6 times as much.
func (r *Repository) Followers(ctx context.Context, user string, req cursor.PageRequest) (cursor.Page[Edge], error) {
	return r.list(ctx, "followers", user, r.graph.ByHead, req)
}

// Following lists whom user follows, newest first, strongly consistent.
//
// Cost: 1 request, 1 RCU for a page of 25; past damaged edges up to 6 times as
// much.
func (r *Repository) Following(ctx context.Context, user string, req cursor.PageRequest) (cursor.Page[Edge], error) {
	return r.list(ctx, "following", user, r.graph.ByTail, req)
}

type reader = func(ctx context.Context, user string, kinds []string, reach store.Reach) (edges []edge.Edge, rest string, err error)

func (r *Repository) list(ctx context.Context, name, user string, read reader, req cursor.PageRequest) (cursor.Page[Edge], error) {
	if err := keys.CheckName("User", user); err != nil {
		return cursor.Page[Edge]{}, err
	}
	page, err := store.List[edge.Edge, Edge]{
		Codec: r.opts.Codec,
		Scope: cursor.Scope{List: "follow/" + name, Partition: user},
		Read: func(ctx context.Context, reach store.Reach) ([]edge.Edge, string, error) {
			return read(ctx, user, r.graph.Kinds, reach)
		},
		Order: store.ByID(func(e edge.Edge) ids.ID { return e.ID }),
		Item:  edgeOf,
	}.Page(ctx, req)
	return page, wrap(name+" of", user, err)
}

func wrap(what, user string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("follow: %s %q: %w", what, user, err)
}
