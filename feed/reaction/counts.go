package reaction

import (
	"cmp"
	"context"
	"fmt"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/internal/edge"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// maxObjects is the most objects of one Reacted or CountsMany.
const maxObjects = 100

// Reacted reads the kinds of user's reactions to each of up to 100 objects, in the
// order of Options.Kinds. The map has every object. Damaged reactions count as
// none, and Options.OnCorrupt is called with them.
//
// Cost: 1 request, 0.5 RCU for each object; twice the units with
// Options.Consistent.
//
//plaza:cost the objects: 1 request
//plaza:cost each object: 0.5 RCU
func (r *Repository) Reacted(ctx context.Context, user string, objects []string) (map[string][]string, error) {
	ctx = plaza.WithOperation(ctx, "feed/reaction.Repository.Reacted")
	if err := keys.CheckName("User", user); err != nil {
		return nil, err
	}
	if err := checkObjects(objects); err != nil {
		return nil, err
	}
	reacted := make(map[string][]string, len(objects))
	wanted := make([]store.Key, 0, len(objects))
	for _, object := range objects {
		if _, seen := reacted[object]; !seen {
			reacted[object] = []string{}
			wanted = append(wanted, r.graph.GuardKey(edge.Edge{Tail: user, Head: object}))
		}
	}
	found, err := r.table.GetAll(ctx, wanted, r.opts.Consistent, 1)
	if err != nil {
		return nil, fmt.Errorf("reaction: of %q to %d objects: %w", user, len(objects), err)
	}
	for key, guard := range found {
		reacted[key.SK] = r.graph.KindsOf(user, guard)
	}
	return reacted, nil
}

// Counts reads how many reactions of each of Options.Kinds an object has. A damaged
// count is plaza.ErrCorrupt.
//
// Cost: 1 request, 0.5 RCU; of a sharded object 2 requests, 0.5 RCU for each shard;
// twice the units with Options.Consistent.
//
//plaza:cost counts: 1 request, 0.5 RCU
//plaza:cost with Options.Consistent: 1 request, 1 RCU
//plaza:cost of a sharded object: 2 requests, 0.5 RCU
//plaza:cost each further shard: 0.5 RCU
func (r *Repository) Counts(ctx context.Context, object string) (map[string]int64, error) {
	ctx = plaza.WithOperation(ctx, "feed/reaction.Repository.Counts")
	if err := keys.CheckName("Object", object); err != nil {
		return nil, err
	}
	count, err := r.graph.Counts(ctx, object, r.opts.Consistent)
	if err != nil {
		return nil, fmt.Errorf("reaction: counts of %q: %w", object, err)
	}
	return r.known(count), nil
}

// VersionedCounts is Counts, always strongly consistent, with a version that rises with
// every change: of several answers, the one with the highest version is the newest,
// even after EraseObject. So anything derived from the counts can be kept up to date by
// Changes, in any order: see leaderboard.Projection. The version is 0 if nobody ever
// reacted to the object.
//
// Cost: 1 request, 1 RCU; of a sharded object 2 requests, 1 RCU for each shard.
//
//plaza:cost counts: 1 request, 1 RCU
//plaza:cost of a sharded object: 2 requests, 1 RCU
//plaza:cost each further shard: 1 RCU
func (r *Repository) VersionedCounts(ctx context.Context, object string) (counts map[string]int64, version uint64, err error) {
	ctx = plaza.WithOperation(ctx, "feed/reaction.Repository.VersionedCounts")
	if err := keys.CheckName("Object", object); err != nil {
		return nil, 0, err
	}
	count, err := r.graph.Counts(ctx, object, true)
	if err != nil {
		return nil, 0, fmt.Errorf("reaction: counts of %q: %w", object, err)
	}
	return r.known(count), uint64(max(count.Version, 0)), nil
}

// CountsMany is Counts for up to 100 objects. The map has every one, except those
// whose counts are damaged: Options.OnCorrupt is called with these.
//
// Cost: 1 request, 0.5 RCU for each object; where some are sharded 1 request, 0.5 RCU
// for each further shard more; twice the units with Options.Consistent.
//
//plaza:cost the objects: 1 request
//plaza:cost each object: 0.5 RCU
//plaza:cost each 100 further shards: 1 request
//plaza:cost each further shard: 0.5 RCU
func (r *Repository) CountsMany(ctx context.Context, objects []string) (map[string]map[string]int64, error) {
	ctx = plaza.WithOperation(ctx, "feed/reaction.Repository.CountsMany")
	if err := checkObjects(objects); err != nil {
		return nil, err
	}
	many, err := r.graph.CountsMany(ctx, objects, r.opts.Consistent)
	if err != nil {
		return nil, fmt.Errorf("reaction: counts of %d objects: %w", len(objects), err)
	}
	counts := make(map[string]map[string]int64, len(many))
	for object, count := range many {
		counts[object] = r.known(count)
	}
	return counts, nil
}

// known returns the counts of the kinds in Options.
func (r *Repository) known(count edge.Count) map[string]int64 {
	counts := make(map[string]int64, len(r.graph.Kinds))
	for _, kind := range r.graph.Kinds {
		counts[kind] = count.Heads[kind]
	}
	return counts
}

func checkObjects(objects []string) error {
	return cmp.Or(args.Count("Objects", len(objects), "objects", maxObjects), keys.CheckNames("Objects", objects))
}
