package follow

import (
	"context"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/edge"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Relations reads whether viewer follows each of up to 100 others, and whether
// they follow viewer. The map has every one of them. A damaged edge counts as
// none, and Options.OnCorrupt is called with it.
//
// Cost: 1 request for each 50 others, 1 RCU for each other; twice the units with
// Options.Consistent.
//
//plaza:cost each 50 others: 1 request
//plaza:cost each other: 1 RCU
func (r *Repository) Relations(ctx context.Context, viewer string, others []string) (map[string]Relation, error) {
	ctx = plaza.WithOperation(ctx, "follow.Repository.Relations")
	if err := keys.CheckName("Viewer", viewer); err != nil {
		return nil, err
	}
	if err := checkUsers("Others", others); err != nil {
		return nil, err
	}
	relations := make(map[string]Relation, len(others))
	var wanted []store.Key
	for _, other := range others {
		if _, seen := relations[other]; seen {
			continue
		}
		relations[other] = Relation{}
		wanted = append(wanted, r.edgeKey(viewer, other))
		if other != viewer {
			wanted = append(wanted, r.edgeKey(other, viewer))
		}
	}
	found, err := r.table.GetAll(ctx, wanted, r.opts.Consistent, 1)
	if err != nil {
		return nil, wrap("relations of", viewer, err)
	}
	for other := range relations {
		relations[other] = Relation{
			Follows:    r.follows(found, viewer, other),
			FollowedBy: r.follows(found, other, viewer),
		}
	}
	return relations, nil
}

// follows reports whether follower follows followee. A damaged edge counts as none.
func (r *Repository) follows(guards map[store.Key]dynamo.Item, follower, followee string) bool {
	held, err := r.graph.HeldBy(guards[r.edgeKey(follower, followee)], edge.Edge{Tail: follower, Head: followee})
	return !r.table.Skips(err) && held.Exists()
}

func (r *Repository) edgeKey(follower, followee string) store.Key {
	return r.graph.GuardKey(edge.Edge{Tail: follower, Head: followee})
}
