package notify

import (
	"context"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/keys"
)

// Erase deletes what the table has about a user: groups, state and preferences.
// After an error, repeat it.
//
// Call it once nobody notifies the user any more: a notification that arrives later stays until the
// next Erase or its expiry. As an actor the user stays in others' groups, until they expire.
//
// Cost: 1 request for 1,000 rows or 1 MB, 1 RCU for 4 KB; 1 request for 25 rows; 2 WCU
// for each row.
//
//plaza:cost each 1,000 rows or 1 MB: 1 request
//plaza:cost each 4 KB: 1 RCU
//plaza:cost each 25 rows: 1 request
//plaza:cost each row: 2 WCU
//plaza:cost each further KB of a row: 2 WCU
func (r *Repository) Erase(ctx context.Context, user string) error {
	ctx = plaza.WithOperation(ctx, "notify.Repository.Erase")
	if err := keys.CheckName("User", user); err != nil {
		return err
	}
	return wrap("erase", user, r.table.Erase(ctx, userPK(user)))
}
