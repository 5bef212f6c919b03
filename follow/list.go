package follow

import (
	"context"
	"fmt"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/edge"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Followers lists who follows user, newest first, strongly consistent.
//
// Cost: 2 requests, 2 RCU for a page of 25; each further shard 1 request, 1 RCU; past
// damaged edges up to 6 times as much.
//
//plaza:cost a page of 25: 2 requests, 2 RCU
//plaza:cost each further shard: 1 request, 1 RCU
func (r *Repository) Followers(ctx context.Context, user string, req cursor.PageRequest) (cursor.Page[Edge], error) {
	ctx = plaza.WithOperation(ctx, "follow.Repository.Followers")
	return r.list(ctx, "followers", user, r.graph.ByHead, req)
}

// Following lists whom user follows, newest first, strongly consistent.
//
// Cost: 1 request, 1 RCU for a page of 25; past damaged edges up to 6 times as
// much.
//
//plaza:cost a page of 25: 1 request, 1 RCU
func (r *Repository) Following(ctx context.Context, user string, req cursor.PageRequest) (cursor.Page[Edge], error) {
	ctx = plaza.WithOperation(ctx, "follow.Repository.Following")
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

// Counts reads how many users follow user and how many user follows. A damaged
// count is plaza.ErrCorrupt.
//
// Cost: 1 request, 0.5 RCU, however many shards; 1 RCU with Options.Consistent.
//
//plaza:cost counts: 1 request, 0.5 RCU
//plaza:cost with Options.Consistent: 1 request, 1 RCU
func (r *Repository) Counts(ctx context.Context, user string) (Counts, error) {
	ctx = plaza.WithOperation(ctx, "follow.Repository.Counts")
	if err := keys.CheckName("User", user); err != nil {
		return Counts{}, err
	}
	count, err := r.graph.Counts(ctx, user, r.opts.Consistent)
	return countsOf(count), wrap("counts of", user, err)
}

// CountsMany is Counts for up to 100 users. The map has every one, except those
// whose counts are damaged: Options.OnCorrupt is called with these.
//
// Cost: 1 request, 0.5 RCU for each user; where some are sharded 1 request, 0.5 RCU for
// each further shard more; twice the units with Options.Consistent.
//
//plaza:cost the users: 1 request
//plaza:cost each user: 0.5 RCU
//plaza:cost each 100 further shards: 1 request
//plaza:cost each further shard: 0.5 RCU
func (r *Repository) CountsMany(ctx context.Context, users []string) (map[string]Counts, error) {
	ctx = plaza.WithOperation(ctx, "follow.Repository.CountsMany")
	if err := checkUsers("Users", users); err != nil {
		return nil, err
	}
	many, err := r.graph.CountsMany(ctx, users, r.opts.Consistent)
	if err != nil {
		return nil, fmt.Errorf("follow: counts of %d users: %w", len(users), err)
	}
	counts := make(map[string]Counts, len(many))
	for user, count := range many {
		counts[user] = countsOf(count)
	}
	return counts, nil
}

func countsOf(c edge.Count) Counts { return Counts{Followers: c.Heads[""], Following: c.Tail} }

func wrap(what, user string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("follow: %s %q: %w", what, user, err)
}
