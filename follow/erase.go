package follow

import (
	"context"

	"github.com/plaza-sdk/plaza/internal/keys"
)

// Erase mends what is torn of the user's edges, ends every one on both sides,
// and deletes the user's counters; the lists and counts of others follow.
// After an error, repeat it. Where new edges of the user keep arriving it is
// plaza.ErrBusy.
//
// For 30 days after an edge has ended, here or by Unfollow, an item under both
// users' names says which id it had, so that no late request brings it back.
//
// A Repair, then one transaction of 10 WCU an edge, in turn: only the shards of
// the user's followers run side by side, since edges of one counter would get
// in each other's way. At last one transaction of 2 WCU for each counter. A
// user without counters costs about 200 reads.
func (r *Repository) Erase(ctx context.Context, user string) error {
	if err := keys.CheckName("User", user); err != nil {
		return err
	}
	return wrap("erase", user, r.graph.Erase(ctx, ends(user)))
}
