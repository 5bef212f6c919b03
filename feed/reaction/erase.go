package reaction

import (
	"context"
	"fmt"

	"github.com/plaza-sdk/plaza/internal/edge"
	"github.com/plaza-sdk/plaza/internal/keys"
)

// Erase mends what is torn of the user's reactions and ends every one, also of
// kinds that are not in Options.Kinds; the lists and counts of the objects
// follow. After an error, repeat it. Where new reactions of the
// user keep arriving it is plaza.ErrBusy.
//
// A RepairUser, then one transaction of 8 WCU a reaction, in turn, and 1 WCU for
// each object that the user ever reacted to.
func (r *Repository) Erase(ctx context.Context, user string) error {
	return r.erase(ctx, "User", user, edge.Ends{Tail: user})
}

// EraseObject ends every reaction to object, and then deletes its counters, as
// Erase does for a user. That its users once reacted to it stays in their
// guards until they are erased.
//
// A Repair, 128 RCU more for the counters, then one transaction of 8 WCU a
// reaction, in turn within a shard, and one of 2 WCU for each counter. An
// object without counters costs about 200 requests for each kind. An object
// without counters costs about 200 reads for each kind.
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
