package reaction

import (
	"context"
	"fmt"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/internal/edge"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// ByObject lists the reactions to object of one kind, or with kind "" of all,
// newest first, strongly consistent.
//
// Cost: 2 requests, 2 RCU for a page of 25; each further kind or shard 1 request, 1 RCU;
// past damage 6 times as much.
//
//plaza:cost a page of 25 of one kind: 2 requests, 2 RCU
//plaza:cost each further kind, of each shard: 1 request, 1 RCU
func (r *Repository) ByObject(ctx context.Context, object, kind string, req cursor.PageRequest) (cursor.Page[Reaction], error) {
	ctx = plaza.WithOperation(ctx, "feed/reaction.Repository.ByObject")
	return r.list(ctx, subject{"Object", object}, kind, r.graph.ByHead, req)
}

// ByUser lists the reactions of user of one kind, or with kind "" of all, newest
// first, strongly consistent.
//
// Cost: 1 request for each kind, 1 RCU each for a page of 25; past damaged
// reactions up to 6 times as much.
//
//plaza:cost a page of 25 of one kind: 1 request, 1 RCU
//plaza:cost each further kind: 1 request, 1 RCU
func (r *Repository) ByUser(ctx context.Context, user, kind string, req cursor.PageRequest) (cursor.Page[Reaction], error) {
	ctx = plaza.WithOperation(ctx, "feed/reaction.Repository.ByUser")
	return r.list(ctx, subject{"User", user}, kind, r.graph.ByTail, req)
}

// subject is the user or object whose reactions are listed.
type subject struct{ field, name string }

type reader = func(ctx context.Context, name string, kinds []string, reach store.Reach) (edges []edge.Edge, rest string, err error)

func (r *Repository) list(ctx context.Context, of subject, kind string, read reader, req cursor.PageRequest) (cursor.Page[Reaction], error) {
	if err := keys.CheckName(of.field, of.name); err != nil {
		return cursor.Page[Reaction]{}, err
	}
	kinds := r.graph.Kinds
	if kind != "" {
		if err := r.checkKind(kind); err != nil {
			return cursor.Page[Reaction]{}, err
		}
		kinds = []string{kind}
	}
	page, err := store.List[edge.Edge, Reaction]{
		Codec: r.opts.Codec,
		Scope: cursor.Scope{List: "reaction/" + of.field, Partition: of.name, Filter: kind},
		Read: func(ctx context.Context, reach store.Reach) ([]edge.Edge, string, error) {
			return read(ctx, of.name, kinds, reach)
		},
		Order: edge.ByKind(),
		Item:  reactionOf,
	}.Page(ctx, req)
	if err != nil {
		return page, fmt.Errorf("reaction: list of %q: %w", of.name, err)
	}
	return page, nil
}
