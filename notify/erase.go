package notify

import (
	"context"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

const (
	erasePage     = 1000 // how many rows are read before they are deleted
	eraseParallel = 4    // batches at once
)

// Erase deletes what the table has about a user: groups, state and preferences.
// After an error, repeat it.
//
// Call it once nobody notifies the user any more: what arrives later stays until
// the next Erase or its expiry. As an actor the user stays in others' groups, until
// they expire.
//
// Cost: 1 request for 1,000 rows or 1 MB, 1 RCU for 4 KB; 1 request for 25 rows; 1
// WCU for each KB of a row, and 1 WCU in the index.
func (r *Repository) Erase(ctx context.Context, user string) error {
	ctx = plaza.WithOperation(ctx, "notify.Repository.Erase")
	if err := keys.CheckName("User", user); err != nil {
		return err
	}
	return wrap("erase", user, r.erase(ctx, user))
}

func (r *Repository) erase(ctx context.Context, user string) error {
	span := store.Span{PK: userPK(user), Limit: erasePage, Consistent: true}
	for {
		items, rest, err := store.Read[dynamo.Item](ctx, r.table, span)
		if err != nil {
			return err
		}
		all := make([]store.Key, len(items))
		for i, item := range items {
			all[i] = store.KeyOf(item)
		}
		if err := r.table.DeleteAll(ctx, all, eraseParallel); err != nil {
			return err
		}
		if rest == "" {
			return nil
		}
		span.To = rest
	}
}
