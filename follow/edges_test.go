package follow_test

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/calls/callstest"
	"github.com/plaza-sdk/plaza/internal/edge"
	"github.com/plaza-sdk/plaza/internal/edge/edgetest"
	"github.com/plaza-sdk/plaza/stream"
)

var stored = edge.Shape{
	Guard: "E", Tails: "F", Heads: "R", Counter: "C",
	Tail: "follower", Head: "followee", Count: "followers", TailCount: "following",
	Kinds: []string{""},
}

func feature(t testing.TB) edgetest.Feature[follow.Edge] {
	return edgetest.Feature[follow.Edge]{
		New: newGraph, Table: follow.Table, TTL: follow.TTL, Shape: stored,
		WalkMost: callstest.ReadCosts(t, "..", "follow").Of("Repository.Walk", "a page, at most").Requests,

		Of:  func(e edgetest.Edge) follow.Edge { return follow.Edge{Follower: e.Tail, Followee: e.Head, ID: e.ID} },
		See: see, Changes: changes,
		Fields: edgetest.Fields{
			Tail: "Follower", Head: "Followee", OfTail: "User", OfHead: "User", Heads: "Users", KindsOf: "Viewer", KindsTo: "Others",
		},
	}
}

// changes are follow.Changes as edges.
func changes(r stream.Record) ([]edgetest.Change, error) {
	found, err := follow.Changes(r)
	all := make([]edgetest.Change, len(found))
	for i, c := range found {
		all[i] = edgetest.Change{Began: c.Kind == follow.Followed, Edge: see(c.Edge)}
	}
	return all, err
}

// see returns the exported fields of an edge.
func see(e follow.Edge) edgetest.Edge {
	return edgetest.Edge{Tail: e.Follower, Head: e.Followee, ID: e.ID}
}

func newGraph(db *dynamo.DB, table string, gen ids.Source, opts edgetest.Options) (edgetest.Graph[follow.Edge], error) {
	r, err := follow.New(db, table, gen, &follow.Options{
		Shards: opts.Shards, Consistent: opts.Consistent, Codec: opts.Codec, OnCorrupt: opts.OnCorrupt, Now: opts.Now,
	})
	if err != nil {
		return edgetest.Graph[follow.Edge]{}, err
	}
	type page = cursor.PageRequest
	name := func(of edge.Ends) string { return cmp.Or(of.Tail, of.Head) }
	return edgetest.Graph[follow.Edge]{
		Begin: r.Follow, End: r.Unfollow, Get: r.Get, Verify: r.Verify, Init: r.Init,
		ByHead: func(ctx context.Context, user, _ string, req page) (cursor.Page[follow.Edge], error) {
			return r.Followers(ctx, user, req)
		},
		ByTail: func(ctx context.Context, user, _ string, req page) (cursor.Page[follow.Edge], error) {
			return r.Following(ctx, user, req)
		},
		Counts: func(ctx context.Context, user string) (edge.Count, error) {
			counts, err := r.Counts(ctx, user)
			return countOf(counts), err
		},
		CountsMany: func(ctx context.Context, users []string) (map[string]edge.Count, error) {
			many, err := r.CountsMany(ctx, users)
			counts := map[string]edge.Count{}
			for user, c := range many {
				counts[user] = countOf(c)
			}
			return counts, err
		},
		Kinds: func(ctx context.Context, user string, others []string) (map[string][]string, error) {
			relations, err := r.Relations(ctx, user, others)
			kinds := map[string][]string{}
			for other, relation := range relations {
				if kinds[other] = []string{}; relation.Follows {
					kinds[other] = []string{""}
				}
			}
			return kinds, err
		},
		Check: func(ctx context.Context, of edge.Ends) (edge.Drift, error) {
			drift, err := r.Check(ctx, name(of))
			return edgeDrift(drift), err
		},
		Repair: func(ctx context.Context, of edge.Ends) (edge.Drift, error) {
			drift, err := r.Repair(ctx, name(of))
			return edgeDrift(drift), err
		},
		Erase: func(ctx context.Context, of edge.Ends) error { return r.Erase(ctx, name(of)) },
		Shows: func(ctx context.Context, all []edgetest.Edge, users []string) error {
			return relate(ctx, r, all, users)
		},
		Walk: r.Walk,
		Further: map[string]func(context.Context, follow.Edge) error{
			"Last": func(ctx context.Context, e follow.Edge) error { _, _, err := r.Last(ctx, e); return err },
			"Import": func(ctx context.Context, e follow.Edge) error {
				_, err := r.Import(ctx, e.ID.String(), sequence([]follow.Edge{e}), nil)
				return err
			},
		},
	}, nil
}

// relate returns an error if the relations of users differ from the edges in all.
func relate(ctx context.Context, r *follow.Repository, all []edgetest.Edge, users []string) error {
	for _, user := range users {
		want := map[string]follow.Relation{}
		for _, other := range users {
			want[other] = follow.Relation{
				Follows:    slices.ContainsFunc(all, func(e edgetest.Edge) bool { return e.Tail == user && e.Head == other }),
				FollowedBy: slices.ContainsFunc(all, func(e edgetest.Edge) bool { return e.Tail == other && e.Head == user }),
			}
		}
		relations, err := r.Relations(ctx, user, users)
		if err != nil {
			return err
		}
		if !maps.Equal(relations, want) {
			return fmt.Errorf("relations of %q are %v, not %v", user, relations, want)
		}
	}
	return nil
}

func countOf(c follow.Counts) edge.Count {
	return edge.Count{Heads: map[string]int64{"": c.Followers}, Tail: c.Following}
}

func edgeDrift(d follow.Drift) edge.Drift {
	drift := edge.Drift{Tail: d.Following, Counters: d.Counters, Torn: d.Torn, Orphans: d.Orphans, Damaged: d.Damaged}
	if d.Followers != 0 {
		drift.Heads = map[string]int64{"": d.Followers}
	}
	return drift
}

func TestEdges(t *testing.T) {
	t.Parallel()
	edgetest.Run(t, feature(t))
}

func FuzzChanges(f *testing.F) { edgetest.FuzzChanges(f, feature(f)) }
