package comment

import (
	"context"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// EraseObject deletes all comments on an object, and whose they were. After an
// error, repeat it.
//
// Nobody comments on the object any more: what arrives behind EraseObject
// stays until it is repeated. What is known of comments that were removed
// before, and of Keys, goes with its time.
//
// Cost: 1 request for each 25 deletes, and one for each 1,000 rows or 1 MB read;
// 1 WCU per KB of each comment, 1 for whose it is, 1 for its place in Top, and
// 1 RCU per 4 KB.
func (r *Repository) EraseObject(ctx context.Context, object string) error {
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

// erasePartition deletes its rows, damaged ones too, and before them what they
// name: their authors' own items and, of roots, the rest of their threads.
func (r *Repository) erasePartition(ctx context.Context, object, pk string) error {
	span := store.Span{PK: pk, Limit: erasePage, Consistent: true}
	for {
		found, rest, err := store.Read[dynamo.Item](ctx, r.table, span)
		if err != nil {
			return err
		}
		var own, all []store.Key
		for _, item := range found {
			key := store.KeyOf(item)
			all = append(all, key)
			more, user, id := r.named(key, item)
			if more {
				if err := r.erasePartition(ctx, object, restPK(At{Object: object, ID: id})); err != nil {
					return err
				}
			}
			if user != "" {
				own = append(own, ownKey(user, id))
			}
		}
		if err := r.table.DeleteAll(ctx, own, eraseParallel); err != nil {
			return err
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

// named is what a comment's row names: that its thread is long, its author and
// its id. What is damaged of it may be missing.
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
