package reaction

import (
	"context"
	"fmt"

	"github.com/plaza-sdk/plaza/internal/edge"
	"github.com/plaza-sdk/plaza/internal/keys"
)

// Erase mends what is torn of the user's reactions and ends every one, also of
// kinds that are not in Options.Kinds; the lists and counts of the objects
// follow. After an error, repeat it. Where new reactions of the user keep
// arriving it is plaza.ErrBusy.
//
// For 30 days an item under the names of the user and of each object that they
// ever reacted to says which ids have ended, so that no late request brings a
// reaction back.
//
// Cost: RepairUser's; 1 request, 8 WCU for each reaction, in turn; 1 request,
// 1 WCU for each object that the user ever reacted to.
func (r *Repository) Erase(ctx context.Context, user string) error {
	return r.erase(ctx, "User", user, edge.Ends{Tail: user})
}

// EraseObject ends every reaction to object, and then deletes its counters, as
// Erase does for a user. That its users once reacted to it stays, under their
// names, until they are erased.
//
// Cost: Repair's, and 128 RCU for the counters; 1 request, 8 WCU for each
// reaction, in turn within a shard; 1 request, 2 WCU for each counter. An object
// without counters costs about 200 requests for each kind.
func (r *Repository) EraseObject(ctx context.Context, object string) error {
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
