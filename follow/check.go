package follow

import (
	"context"

	"github.com/plaza-sdk/plaza/internal/edge"
	"github.com/plaza-sdk/plaza/internal/keys"
)

// Drift is how far what is stored of a user is from being whole. The zero
// Drift says that nothing is off.
type Drift struct {
	// Followers and Following are by how much the counts are above (or, if
	// negative, below) the edges.
	Followers, Following int64
	// Counters is how many counters, one a shard, are wrong or missing.
	Counters int
	// Torn edges lack one of their three items, or one that contradicts the
	// other two stands there. Repair restores it.
	Torn int
	// Orphans are items without the other two of their edge. Repair removes
	// them.
	Orphans int
	// Damaged items cannot be read; all else takes them for absent. Repair
	// removes what is damaged in them.
	Damaged int
}

func driftOf(d edge.Drift) Drift {
	return Drift{
		Followers: d.Heads[""], Following: d.Tail,
		Counters: d.Counters, Torn: d.Torn, Orphans: d.Orphans, Damaged: d.Damaged,
	}
}

// ends are both sides of a user.
func ends(user string) edge.Ends { return edge.Ends{Tail: user, Head: user} }

// Check compares the user's counts, lists and edges, and changes nothing. Of
// an edge to the user whose item in the list of followers is gone, Check of
// the follower tells. While edges of the user keep changing it is
// plaza.ErrBusy.
//
// 1 RCU an edge in hundreds a request, and about 1 RCU for 20 edges in
// thousands; where something is off, 3 RCU an edge that the user follows and
// 66 RCU for each that is torn. For a user without counters 130 requests more.
func (r *Repository) Check(ctx context.Context, user string) (Drift, error) {
	if err := keys.CheckName("User", user); err != nil {
		return Drift{}, err
	}
	drift, err := r.graph.Check(ctx, ends(user))
	return driftOf(drift), wrap("check", user, err)
}

// Repair mends what Check finds, and returns what it mended; a second Repair
// finds nothing. What is damaged is taken out first; where a torn edge's other
// user has a damaged count it is plaza.ErrCorrupt until that user is repaired.
// Of an edge's three items, the edge and its place in both
// lists, two restore the third, and one alone is removed; then the counts are
// set to what the lists hold. Follow and Unfollow may go on meanwhile. A
// restored follower is counted at the followee too, so two users may be
// repaired in either order. Users whose counts change faster than their lists
// can be read are plaza.ErrBusy; what was mended before stays.
//
// Check's reads; the lists once more where a counter is wrong, and 2 WCU for
// it. For each torn edge two requests of 66 RCU and one transaction of 10 WCU,
// and where a follower is restored 1 RCU for 40 followers of that shard.
func (r *Repository) Repair(ctx context.Context, user string) (Drift, error) {
	if err := keys.CheckName("User", user); err != nil {
		return Drift{}, err
	}
	mended, err := r.graph.Repair(ctx, ends(user))
	return driftOf(mended), wrap("repair", user, err)
}
