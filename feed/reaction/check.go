package reaction

import (
	"context"
	"fmt"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/edge"
	"github.com/plaza-sdk/plaza/internal/keys"
)

// Drift is what is wrong with the stored reactions and counts of an object or a
// user. The zero Drift means that nothing is wrong.
type Drift struct {
	// Counts are an object's stored counts minus the numbers of its reactions. Only
	// kinds whose counts are wrong are there.
	Counts map[string]int64 `json:"counts,omitempty"`
	// Counters is the number of wrong or missing counters. Each shard has one.
	Counters int `json:"counters"`
	// Torn reactions lack one of their three items, or have one that
	// contradicts the other two. Repair restores it.
	Torn int `json:"torn"`
	// Orphans are items without the other two of their reaction. Repair removes
	// them.
	Orphans int `json:"orphans"`
	// Damaged items cannot be read. The other fields count them as absent. Repair
	// removes their damaged parts.
	Damaged int `json:"damaged"`
}

// Check compares the object's counts and lists with the reactions, and changes nothing.
// If a reaction is missing in the object's list, only CheckUser finds it. While
// reactions to the object keep changing it is plaza.ErrBusy.
//
// Cost: 1 request for 100 reactions, 1 RCU for each and 1 for about 20; 128 RCU for the
// counters; 67 RCU for each torn reaction.
//
//plaza:cost each 100 reactions: 1 request
//plaza:cost each reaction: 1 RCU
//plaza:cost each 20 reactions: 1 RCU
//plaza:cost the counters: 4 requests, 128 RCU
//plaza:cost each kind and shard: 2 requests, 2 RCU
//plaza:cost each torn reaction: 2 requests, 67 RCU
//plaza:cost an object without counters, each kind more: 130 requests, 130 RCU
func (r *Repository) Check(ctx context.Context, object string) (Drift, error) {
	ctx = plaza.WithOperation(ctx, "feed/reaction.Repository.Check")
	return drift(ctx, "check", "Object", object, edge.Ends{Head: object}, r.graph.Check)
}

// CheckUser is Check for what user reacted to. Users have no counts.
//
// Cost: 1 request for about 100 reactions, 1 RCU for each and 1 for about 20; 134 RCU
// for each torn reaction.
//
//plaza:cost each 100 reactions: 1 request
//plaza:cost each reaction: 1 RCU
//plaza:cost each 20 reactions: 1 RCU
//plaza:cost each reaction in another shard than the first: 1 RCU
//plaza:cost each kind: 2 requests, 2 RCU
//plaza:cost where one is torn, or of a kind that is not in Options.Kinds, each reaction: 2 RCU
//plaza:cost each torn reaction: 8 requests, 134 RCU
func (r *Repository) CheckUser(ctx context.Context, user string) (Drift, error) {
	ctx = plaza.WithOperation(ctx, "feed/reaction.Repository.CheckUser")
	return drift(ctx, "check", "User", user, edge.Ends{Tail: user}, r.graph.Check)
}

// Repair fixes what Check finds, and returns what it fixed. Two of a reaction's
// three items restore the third, and one alone is removed; then the counts are set
// to what the lists hold. React and Unreact may go on meanwhile, and users and
// objects may be repaired in any order. While the object's counts change faster than
// its lists can be read it is plaza.ErrBusy; what was fixed stays so.
//
// Cost: as Check, and 64 RCU; for each torn reaction 2 requests, 1 transaction, 134
// RCU, 8 WCU more.
//
//plaza:cost repair: as Check
//plaza:cost the object more: 1 request, 64 RCU
//plaza:cost each torn reaction more: 2 requests, 1 transaction, 134 RCU, 8 WCU
//plaza:cost each orphan in another shard than the first more: 1 transaction, 4 WCU
//plaza:cost each wrong counter, and the lists once more: 1 transaction, 2 WCU
func (r *Repository) Repair(ctx context.Context, object string) (Drift, error) {
	ctx = plaza.WithOperation(ctx, "feed/reaction.Repository.Repair")
	return drift(ctx, "repair", "Object", object, edge.Ends{Head: object}, r.graph.Repair)
}

// RepairUser is Repair for what user reacted to. A torn reaction whose object has a
// damaged count is plaza.ErrCorrupt until the object is repaired.
//
// Cost: as CheckUser; for each torn reaction 2 requests, 1 transaction, 134 RCU, 8 WCU
// more.
//
//plaza:cost repair: as CheckUser
//plaza:cost where one is torn more: 4 requests
//plaza:cost each torn reaction more: 2 requests, 1 transaction, 134 RCU, 8 WCU
//plaza:cost where one is put back into an object's list: 1 request, 64 RCU
//plaza:cost each 40 reactions in that list: 1 request, 1 RCU
func (r *Repository) RepairUser(ctx context.Context, user string) (Drift, error) {
	ctx = plaza.WithOperation(ctx, "feed/reaction.Repository.RepairUser")
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

// Erase ends every reaction of the user, including those of kinds that are not in
// Options.Kinds. It repairs torn reactions first, so that the lists and counts of
// the objects stay right. After an error, repeat it. While new reactions of the
// user keep arriving it is plaza.ErrBusy.
//
// For 30 days an item under the names of the user and of each object that they
// ever reacted to keeps the IDs that have ended, so that no late request brings a
// reaction back.
//
// Cost: as RepairUser; 1 transaction, 8 WCU for each reaction; 1 request, 1 WCU for
// each object ever reacted to; a repeat 2 requests.
//
//plaza:cost the user: as RepairUser
//plaza:cost the user more: 5 requests, 5 RCU
//plaza:cost each reaction: 1 transaction, 8 WCU
//plaza:cost each object that the user ever reacted to: 1 request, 1 RCU, 1 WCU
//plaza:cost a user who is erased: 2 requests, 2 RCU
//plaza:cost a user who is erased, each further kind: 1 request, 1 RCU
//plaza:cost a user who is erased, each 4 KB of the items that keep IDs: 1 RCU
func (r *Repository) Erase(ctx context.Context, user string) error {
	ctx = plaza.WithOperation(ctx, "feed/reaction.Repository.Erase")
	return r.erase(ctx, "User", user, edge.Ends{Tail: user})
}

// EraseObject ends every reaction to object and empties its counters, as Erase does for
// a user. The items that keep ended IDs, under the names of the users, stay for 30
// days, and as long one under the object's that remembers that all is erased. If a user had taken back all reactions before, the item stays until that user
// is erased. A row of the object's list whose user cannot be read is plaza.ErrCorrupt
// after all else was erased: RepairUser of that user restores the reaction, Repair
// removes the row; then repeat EraseObject.
//
// Cost: as Check; 1 request, 1 transaction, 1 RCU, 8 WCU for each reaction; 2 WCU for
// each counter; a repeat 1 request, 1 RCU.
//
//plaza:cost the object: as Check
//plaza:cost the object more: 1 transaction, 1 RCU
//plaza:cost each kind and shard: 1 RCU
//plaza:cost each reaction: 1 request, 1 transaction, 1 RCU, 8 WCU
//plaza:cost each counter: 2 WCU
//plaza:cost an object without counters, each kind more: 64 requests, 64 RCU
//plaza:cost an object that is erased: 1 request, 1 RCU
func (r *Repository) EraseObject(ctx context.Context, object string) error {
	ctx = plaza.WithOperation(ctx, "feed/reaction.Repository.EraseObject")
	return r.erase(ctx, "Object", object, edge.Ends{Head: object})
}

func (r *Repository) erase(ctx context.Context, field, name string, of edge.Ends) error {
	if err := keys.CheckName(field, name); err != nil {
		return err
	}
	if err := r.graph.Erase(ctx, of); err != nil {
		return fmt.Errorf("reaction: erase %q: %w", name, err)
	}
	return nil
}
