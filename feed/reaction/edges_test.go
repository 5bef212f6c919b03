package reaction_test

import (
	"context"
	"slices"
	"testing"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza/feed/reaction"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/edge"
	"github.com/plaza-sdk/plaza/internal/edge/edgetest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/stream"
)

// kinds are like, love and haha, which exclude each other, and pin.
var (
	kinds = []string{"like", "love", "haha", "pin"}
	oneOf = kinds[:3]
)

// stored is how reactions are stored.
var stored = edge.Shape{
	Guard: "U", Tails: "M", Heads: "L", Counter: "C",
	Tail: "user", Head: "object", Count: "count",
	Kinds: kinds, Apart: true,
}

// few are the kinds of feature, and fewOf those that exclude each other.
var (
	fewOf = oneOf[:faults.Size(3, 2)]
	few   = append(slices.Clone(fewOf), "pin")
)

func feature() edgetest.Feature[reaction.Reaction] {
	shape := stored
	shape.Kinds = few
	return edgetest.Feature[reaction.Reaction]{
		New: newGraph, Table: reaction.Table, TTL: reaction.TTL, Shape: shape, OneOf: fewOf,
		Of: func(e edgetest.Edge) reaction.Reaction {
			return reaction.Reaction{User: e.Tail, Object: e.Head, Kind: e.Kind, ID: e.ID}
		},
		See: see, Changes: changes,
		Fields: edgetest.Fields{
			Tail: "User", Head: "Object", OfTail: "User", OfHead: "Object", Heads: "Objects", KindsOf: "User", KindsTo: "Objects",
		},
	}
}

// changes are reaction.Changes as edges.
func changes(r stream.Record) ([]edgetest.Change, error) {
	found, err := reaction.Changes(r)
	all := make([]edgetest.Change, len(found))
	for i, c := range found {
		all[i] = edgetest.Change{Began: c.Kind == reaction.Reacted, Edge: see(c.Reaction)}
	}
	return all, err
}

// see returns what an application sees of a reaction.
func see(a reaction.Reaction) edgetest.Edge {
	return edgetest.Edge{Tail: a.User, Head: a.Object, Kind: a.Kind, ID: a.ID}
}

func newGraph(db *dynamo.DB, table string, gen ids.Source, opts edgetest.Options) (edgetest.Graph[reaction.Reaction], error) {
	o := &reaction.Options{
		Kinds: few, OneOf: [][]string{fewOf},
		Shards: opts.Shards, Consistent: opts.Consistent, Codec: opts.Codec, OnCorrupt: opts.OnCorrupt, Now: opts.Now,
	}
	if opts.Kinds != nil {
		o.Kinds, o.OneOf = opts.Kinds, nil
	}
	r, err := reaction.New(db, table, gen, o)
	if err != nil {
		return edgetest.Graph[reaction.Reaction]{}, err
	}
	return edgetest.Graph[reaction.Reaction]{
		Begin: r.React, End: r.Unreact, Get: r.Get, Verify: r.Verify, Init: r.Init,
		ByHead: r.ByObject, ByTail: r.ByUser, Kinds: r.Reacted,
		Counts: func(ctx context.Context, object string) (edge.Count, error) {
			counts, err := r.Counts(ctx, object)
			return edge.Count{Heads: counts}, err
		},
		CountsMany: func(ctx context.Context, objects []string) (map[string]edge.Count, error) {
			many, err := r.CountsMany(ctx, objects)
			counts := map[string]edge.Count{}
			for object, c := range many {
				counts[object] = edge.Count{Heads: c}
			}
			return counts, err
		},
		Check: func(ctx context.Context, of edge.Ends) (edge.Drift, error) {
			if of.Tail != "" {
				return edgeDrift(r.CheckUser(ctx, of.Tail))
			}
			return edgeDrift(r.Check(ctx, of.Head))
		},
		Repair: func(ctx context.Context, of edge.Ends) (edge.Drift, error) {
			if of.Tail != "" {
				return edgeDrift(r.RepairUser(ctx, of.Tail))
			}
			return edgeDrift(r.Repair(ctx, of.Head))
		},
		Erase: func(ctx context.Context, of edge.Ends) error {
			if of.Tail != "" {
				return r.Erase(ctx, of.Tail)
			}
			return r.EraseObject(ctx, of.Head)
		},
	}, nil
}

func edgeDrift(d reaction.Drift, err error) (edge.Drift, error) {
	return edge.Drift{Heads: d.Counts, Counters: d.Counters, Torn: d.Torn, Orphans: d.Orphans, Damaged: d.Damaged}, err
}

func TestEdges(t *testing.T) {
	t.Parallel()
	edgetest.Run(t, feature())
}

func FuzzChanges(f *testing.F) { edgetest.FuzzChanges(f, feature()) }
