package follow

import (
	"context"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/edge"
	"github.com/plaza-sdk/plaza/internal/keys"
)

// Drift is what is wrong with a user's stored edges and counts. The zero Drift
// means that nothing is wrong.
type Drift struct {
	// Followers and Following are the stored counts minus the numbers of edges.
	Followers int64 `json:"followers"`
	Following int64 `json:"following"`
	// Counters is the number of wrong or missing counters. Each shard has one.
	Counters int `json:"counters"`
	// Torn edges lack one of their three items, or have one that contradicts
	// the other two. Repair restores it.
	Torn int `json:"torn"`
	// Orphans are items without the other two of their edge. Repair removes
	// them.
	Orphans int `json:"orphans"`
	// Damaged items cannot be read. The other fields count them as absent. Repair
	// removes their damaged parts.
	Damaged int `json:"damaged"`
}

func driftOf(d edge.Drift) Drift {
	return Drift{
		Followers: d.Heads[""], Following: d.Tail,
		Counters: d.Counters, Torn: d.Torn, Orphans: d.Orphans, Damaged: d.Damaged,
	}
}

// ends selects the edges from and to user.
func ends(user string) edge.Ends { return edge.Ends{Tail: user, Head: user} }

// Check compares the user's counts, lists and edges, and changes nothing. If an edge to
// the user is missing in the list of followers, only Check of the follower finds it.
// While edges of the user keep changing it is plaza.ErrBusy.
//
// Cost: 1 request for about 100 edges, 1 RCU for each edge and 1 for about 20; 67 RCU
// for each torn edge.
//
//plaza:cost each 100 edges: 1 request
//plaza:cost each edge: 1 RCU
//plaza:cost each 20 edges: 1 RCU
//plaza:cost each edge in another shard than the first: 1 RCU
//plaza:cost where an edge is torn, each edge that the user follows: 2 RCU
//plaza:cost each torn edge: 2 requests, 67 RCU
//plaza:cost the user: 20 requests, 16 RCU
//plaza:cost a user without counters more: 130 requests, 130 RCU
func (r *Repository) Check(ctx context.Context, user string) (Drift, error) {
	ctx = plaza.WithOperation(ctx, "follow.Repository.Check")
	if err := keys.CheckName("User", user); err != nil {
		return Drift{}, err
	}
	drift, err := r.graph.Check(ctx, ends(user))
	return driftOf(drift), wrap("check", user, err)
}

// Repair fixes what Check finds, and returns what it fixed. Two of an edge's three
// items restore the third, and one alone is removed; then the counts are set to
// what the lists hold. Follow and Unfollow may go on meanwhile, and users may be
// repaired in any order. A torn edge whose other user has a damaged count is
// plaza.ErrCorrupt until that user is repaired. While the user's counts change
// faster than the lists can be read it is plaza.ErrBusy; what was fixed stays so.
//
// Cost: as Check; for each torn edge 2 requests, 1 transaction, 134 RCU, 10 WCU more.
//
//plaza:cost repair: as Check
//plaza:cost each torn edge more: 2 requests, 1 transaction, 134 RCU, 10 WCU
//plaza:cost where a follower is restored, each 40 followers of the shard: 1 request, 1 RCU
//plaza:cost each wrong counter, and the lists once more: 1 transaction, 2 WCU
func (r *Repository) Repair(ctx context.Context, user string) (Drift, error) {
	ctx = plaza.WithOperation(ctx, "follow.Repository.Repair")
	if err := keys.CheckName("User", user); err != nil {
		return Drift{}, err
	}
	fixed, err := r.graph.Repair(ctx, ends(user))
	return driftOf(fixed), wrap("repair", user, err)
}

// Erase ends every edge of the user, on both sides, and empties the user's
// counters. It repairs torn edges first, so that the lists and counts of others
// stay right. After an error, repeat it: what has ended is not read again. While new
// edges of the user keep arriving it is plaza.ErrBusy.
//
// An edge to the user that is missing in the list of followers stays, until Repair
// of the follower restores it. A row of that list whose follower cannot be read
// stays too: it is plaza.ErrCorrupt after all else was erased. Repair the follower,
// which restores the edge, or the user, which removes the row; then repeat Erase.
//
// For 30 days after an edge has ended, here or by Unfollow, an item under both
// users' names keeps its ID, so that no late request brings the edge back. An item under
// the user's name remembers for as long that all is erased.
//
// Cost: as Check; 1 transaction, 10 WCU for each edge; 1 transaction, 2 WCU for each
// counter; a repeat 1 request, 1 RCU.
//
//plaza:cost the user: as Check
//plaza:cost the user more: 1 transaction
//plaza:cost each edge: 1 transaction, 10 WCU
//plaza:cost each counter: 2 WCU
//plaza:cost a user without counters more: 70 requests, 70 RCU
//plaza:cost a user who is erased: 1 request, 1 RCU
//plaza:cost where another user's counts are too low, each 40 edges of that user: 2 RCU
func (r *Repository) Erase(ctx context.Context, user string) error {
	ctx = plaza.WithOperation(ctx, "follow.Repository.Erase")
	if err := keys.CheckName("User", user); err != nil {
		return err
	}
	return wrap("erase", user, r.graph.Erase(ctx, ends(user)))
}
