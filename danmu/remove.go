package danmu

import (
	"context"

	"github.com/guregu/dynamo/v2"
)

// Remove takes out a comment as whom the application lets: the object's owner,
// a moderator. a.User is not looked at and not kept. It reports whether this
// call did: false for what is recalled or removed already.
//
// Cost: 1 request, 2 WCU; where shards grew, 1 request, 1 WCU more for each other
// place.
func (r *Repository) Remove(ctx context.Context, a Action) (done bool, err error) {
	if err := r.checkOp(a); err != nil {
		return false, err
	}
	done, err = r.burying(ctx, a, func(*dynamo.Update) {}, func(row) error { return nil })
	return done, wrapID("remove", a.Object, a.ID, err)
}

// removed is the state of a tombstone.
const removed = "removed"

// bury makes of a comment a tombstone, which refuses what is sent again. The
// counters stay, for those who take a like back.
func bury(u *dynamo.Update) *dynamo.Update {
	return u.Set("state", removed).Remove(
		"text", "userId", "sent", "mode", "color", "size", "pool", "weight", "protected", protectOp, "extra", "key", "sentMs",
	)
}
