package reaction

import (
	"context"
	"fmt"

	"github.com/plaza-sdk/plaza/internal/edge"
	"github.com/plaza-sdk/plaza/internal/keys"
)

// Drift is how far what is stored of an object or a user is from being whole.
// The zero Drift says that nothing is off.
type Drift struct {
	// Counts are by how much an object's counts are above (or, if negative,
	// below) its reactions: of the kinds that are off.
	Counts map[string]int64
	// Counters is how many counters, one a shard, are wrong or missing.
	Counters int
	// Torn reactions lack one of their three items, or one that contradicts the
	// other two stands there. Repair restores it.
	Torn int
	// Orphans are items without the other two of their reaction. Repair removes
	// them.
	Orphans int
	// Damaged items cannot be read; all else takes them for absent. Repair
	// removes what is damaged in them.
	Damaged int
}

// Check compares the object's counts and lists with the reactions, and changes
// nothing. Of a reaction whose item in the object's list is gone, CheckUser
// tells. While reactions to the object keep changing it is plaza.ErrBusy.
//
// 1 RCU a reaction in hundreds a request, about 1 RCU for 20 in thousands, and
// 66 RCU for each that is torn; 64 RCU for the counters, twice. For an object
// without counters 130 requests more for each kind.
func (r *Repository) Check(ctx context.Context, object string) (Drift, error) {
	return drift(ctx, "check", "Object", object, edge.Ends{Head: object}, r.graph.Check)
}

// CheckUser is Check for what user reacted to; users have no counts.
//
// 1 RCU a reaction in hundreds a request, and about 1 RCU for 20 in thousands;
// where something is off, or of a kind that is not in Options.Kinds, 3 RCU a
// reaction, and 132 RCU for each that is torn.
func (r *Repository) CheckUser(ctx context.Context, user string) (Drift, error) {
	return drift(ctx, "check", "User", user, edge.Ends{Tail: user}, r.graph.Check)
}

// Repair mends what Check finds, and returns what it mended; a second Repair
// finds nothing. What is damaged is taken out first; where a torn reaction's
// object has a damaged count RepairUser is plaza.ErrCorrupt until the object is
// repaired. Of a reaction's three items, the user's guard and the places
// in both lists, two restore the third, and one alone is removed; then the
// counts are set to what the lists hold. React and Unreact may go on meanwhile.
// A reaction that RepairUser restores to an object's list is counted there
// too, so users and objects may be repaired in any order. Objects whose counts
// change faster than their lists can be read are plaza.ErrBusy; what was
// mended before stays.
//
// Check's reads, and 64 RCU more; the lists once more where a counter is wrong,
// and 2 WCU for it. For each torn reaction two requests of 66 RCU and one transaction of 8
// WCU, and where it is put back into the object's list 64 RCU, and 1 RCU for 40
// of that kind and shard.
func (r *Repository) Repair(ctx context.Context, object string) (Drift, error) {
	return drift(ctx, "repair", "Object", object, edge.Ends{Head: object}, r.graph.Repair)
}

// RepairUser is Repair for what user reacted to.
func (r *Repository) RepairUser(ctx context.Context, user string) (Drift, error) {
	return drift(ctx, "repair", "User", user, edge.Ends{Tail: user}, r.graph.Repair)
}

func drift(ctx context.Context, op, field, name string, of edge.Ends, call func(context.Context, edge.Ends) (edge.Drift, error)) (Drift, error) {
	if err := keys.CheckName(field, name); err != nil {
		return Drift{}, err
	}
	d, err := call(ctx, of)
	if err != nil {
		err = fmt.Errorf("reaction: %s %q: %w", op, name, err)
	}
	return Drift{Counts: d.Heads, Counters: d.Counters, Torn: d.Torn, Orphans: d.Orphans, Damaged: d.Damaged}, err
}
