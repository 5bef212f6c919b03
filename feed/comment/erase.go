package comment

import (
	"context"
	"errors"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

const (
	erasePage     = 1000 // how many rows are read before they are deleted
	eraseParallel = 4    // batches at once
)

// Erase removes every comment of a user who leaves, as Delete does, and takes
// the user's name from the tombstones, old ones too. After an error, repeat
// it.
//
// The user has stopped writing: what arrives behind Erase stays until it is
// repeated, and a late repeat of an Add with a Key is a new comment. Where others mention
// the user, or the user moderated, the name stays. What is damaged stays too:
// after the rest of it Erase is plaza.ErrCorrupt.
//
// Cost: as Delete, for each comment that stands; 2 WCU for each that was removed
// before, 1 for each Key; 1 RCU per 4 KB of these.
func (r *Repository) Erase(ctx context.Context, user string) error {
	if err := keys.CheckName("User", user); err != nil {
		return err
	}
	return wrapName("erase", user, r.erase(ctx, user))
}

func (r *Repository) erase(ctx context.Context, user string) error {
	if err := r.erasePartition(ctx, "", keyPK(user)); err != nil {
		return err
	}
	var damaged error
	span := store.Span{PK: ownPK(user), Limit: erasePage, Consistent: true}
	for {
		items, rest, err := store.Read[dynamo.Item](ctx, r.table, span)
		if err != nil {
			return err
		}
		var left []store.Key
		for _, item := range items {
			var i ownItem
			removed := false
			err := r.table.Decode(item, &i)
			if err == nil && i.Removed == nil {
				removed, err = r.remove(ctx, i.at(), removing{author: user, erase: true})
			}
			if err == nil && !removed {
				left = append(left, ownKey(user, i.ID))
				err = r.eraseName(ctx, i, user)
			}
			switch {
			case errors.Is(err, plaza.ErrCorrupt):
				damaged = err
			case err != nil:
				return err
			}
		}
		// After the names, for whoever repeats this.
		if err := r.table.DeleteAll(ctx, left, eraseParallel); err != nil {
			return err
		}
		if rest == "" {
			return damaged
		}
		span.To = rest
	}
}

// eraseName takes the user's name from a tombstone, if there is one.
func (r *Repository) eraseName(ctx context.Context, own ownItem, user string) error {
	update := r.table.Update(own.at().key(own.Rest)).Remove("user").If("'user' = ?", user)
	err := r.table.Run(ctx, update)
	if _, refused := store.AsRefused(err); refused {
		return nil
	}
	return err
}
