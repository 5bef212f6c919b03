package prefs

import (
	"context"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/notifytable"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Erase deletes the settings, blocks and mutes of a user. notify.Repository.Erase
// deletes them too. Call it once the user has stopped writing: a late request, or the
// token of an old mail, writes again. After an error, repeat it. Blocks by others keep
// the user's name.
//
// Cost: 2 requests, 2 RCU, 1 RCU more for each further 4 KB; 1 request for each 25
// items, 1 WCU for each.
func (r *Repository) Erase(ctx context.Context, user string) error {
	ctx = plaza.WithOperation(ctx, "notify/prefs.Repository.Erase")
	if err := keys.CheckName("User", user); err != nil {
		return err
	}
	return wrap("erase", user, r.erase(ctx, user))
}

func (r *Repository) erase(ctx context.Context, user string) error {
	gone := []store.Key{settingsKey(user)}
	for _, k := range []kind{blocks, mutes} {
		from, to := k.span()
		found, err := store.Query[dynamo.Item](ctx, r.table, store.Span{
			PK: notifytable.UserPK(user), From: from, To: to, Consistent: true,
		})
		if err != nil {
			return err
		}
		for _, item := range found {
			gone = append(gone, store.KeyOf(item))
		}
	}
	defer r.cache.drop(user)
	return r.table.DeleteAll(ctx, gone)
}
