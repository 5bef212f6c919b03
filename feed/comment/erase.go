package comment

import (
	"context"
	"errors"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Erase deletes every comment of a user, as Delete does, and takes the user's
// name from all of the user's tombstones. After an error, repeat it.
//
// Call it once the user has stopped writing: a comment that arrives later stays
// until the next Erase, and a late repeat of an Add with a Key is a new comment.
// The name stays in others' Mentions and in the Removals of comments that the
// user moderated. Damaged items stay too: Erase handles all others and then
// returns plaza.ErrCorrupt.
//
// Cost: for each comment as Delete; 1 request, 2 WCU for each that was removed before.
//
//plaza:cost each comment: as Delete
//plaza:cost each comment that was removed before: 1 request, 2 WCU
//plaza:cost each 25 such comments more: 1 request
//plaza:cost each Key: 1 WCU
//plaza:cost each 25 Keys: 1 request
//plaza:cost each 1,000 Keys or comments, or 4 KB of them: 1 request, 1 RCU
func (r *Repository) Erase(ctx context.Context, user string) error {
	ctx = plaza.WithOperation(ctx, "feed/comment.Repository.Erase")
	if err := keys.CheckName("User", user); err != nil {
		return err
	}
	return wrapName("erase", user, r.erase(ctx, user))
}

func (r *Repository) erase(ctx context.Context, user string) error {
	if err := r.table.Erase(ctx, keyPK(user)); err != nil {
		return err
	}
	var damaged error
	span := store.Span{PK: ownPK(user), Consistent: true}
	for items, err := range store.Pages[dynamo.Item](ctx, r.table, span) {
		if err != nil {
			return err
		}
		var left []store.Key // they go after the names, because a repeat finds the names by them
		for _, item := range items {
			if len(left) == store.MaxBatchWrite { // soon, so that a repeat need not begin again
				if err := r.table.DeleteAll(ctx, left); err != nil {
					return err
				}
				left = nil
			}
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
		if err := r.table.DeleteAll(ctx, left); err != nil {
			return err
		}
	}
	return damaged
}

// eraseName removes the user's name from a tombstone, if there is one.
func (r *Repository) eraseName(ctx context.Context, own ownItem, user string) error {
	update := r.table.Update(own.at().key(own.Rest)).Remove("user").If("'user' = ?", user)
	err := r.table.Run(ctx, update)
	if _, refused := store.AsRefused(err); refused {
		return nil
	}
	return err
}

// EraseObject deletes all comments on an object, also from their authors' lists.
// After an error, repeat it.
//
// Call it once nobody comments on the object any more: a comment that arrives later
// stays until the next EraseObject. Keys stay until they expire, and so do the authors'
// items of comments that were removed before.
//
// Cost: 2 WCU for each comment of 1 KB, 3 WCU in Top; 1 request for 25 deletes; 3
// requests for 1,000 rows or 1 MB.
//
//plaza:cost each comment of 1 KB: 2 WCU
//plaza:cost each further KB: 1 WCU
//plaza:cost in Top: 3 WCU
//plaza:cost the object: 8 requests, 4 RCU, 1 WCU
//plaza:cost each 25 deletes: 1 request
//plaza:cost each 1,000 rows or 1 MB: 3 requests
//plaza:cost each further 4 KB: 1 RCU
func (r *Repository) EraseObject(ctx context.Context, object string) error {
	ctx = plaza.WithOperation(ctx, "feed/comment.Repository.EraseObject")
	if err := keys.CheckName("Object", object); err != nil {
		return err
	}
	return wrapName("erase comments on", object, r.eraseObject(ctx, object))
}

func (r *Repository) eraseObject(ctx context.Context, object string) error {
	for _, pk := range []string{firstPK(object), objectPK(object), scorePK(object), headerKey(object).PK} {
		if err := r.erasePartition(ctx, object, pk); err != nil {
			return err
		}
	}
	return nil
}

// erasePartition deletes the rows of a partition, including damaged ones. Before
// them it deletes what only they name: their authors' items and, for roots, the
// rest of their threads.
func (r *Repository) erasePartition(ctx context.Context, object, pk string) error {
	span := store.Span{PK: pk, Consistent: true}
	for found, err := range store.Pages[dynamo.Item](ctx, r.table, span) {
		if err != nil {
			return err
		}
		var own, all []store.Key
		for _, item := range found {
			key := store.KeyOf(item)
			all = append(all, key)
			more, user, id := r.named(key, item)
			if more {
				if err := r.erasePartition(ctx, object, restPK(Address{Object: object, ID: id})); err != nil {
					return err
				}
			}
			if user != "" {
				own = append(own, ownKey(user, id))
			}
		}
		if err := r.table.DeleteAll(ctx, own); err != nil {
			return err
		}
		if err := r.table.DeleteAll(ctx, all); err != nil {
			return err
		}
	}
	return nil
}

// named returns what a comment's row names: whether its thread has further
// replies, its author and its id. Damaged parts are zero.
func (r *Repository) named(key store.Key, item dynamo.Item) (more bool, user string, id ids.ID) {
	if kind := key.PK[:1]; kind != "T" && kind != "F" && kind != "R" {
		return false, "", 0
	}
	i := row{SK: key.SK, PK: key.PK}
	if i.readKey() != nil {
		return false, "", 0
	}
	for name, to := range map[string]any{"more": &i.More, "user": &i.User} {
		if value, ok := item[name]; ok && dynamo.Unmarshal(value, to) != nil {
			i.More = i.More || name == "more"
		}
	}
	return i.More, i.User, i.at.ID
}
