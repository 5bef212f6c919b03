package comment

import (
	"context"

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
// 1 WCU per KB of each comment, 1 for whose it is, 1 for its place in Top, and
// 1 RCU per 4 KB. One
// request for each 25 deletes, and one for each 1,000 rows or 1 MB read.
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

// erasePartition deletes its rows, and before them what they name: their
// authors' own items and, of roots, the rest of their threads.
func (r *Repository) erasePartition(ctx context.Context, object, pk string) error {
	for {
		found, err := store.Query[row](ctx, r.table, store.Span{PK: pk, Limit: erasePage, Consistent: true})
		if err != nil {
			return err
		}
		var own, all []store.Key
		for _, i := range found {
			id := idOf(i.SK)
			if i.More {
				if err := r.erasePartition(ctx, object, restPK(At{Object: object, ID: id})); err != nil {
					return err
				}
			}
			if i.User != "" {
				own = append(own, ownKey(i.User, id))
			}
			all = append(all, store.Key{PK: i.PK, SK: i.SK})
		}
		if err := r.table.DeleteAll(ctx, own, eraseParallel); err != nil {
			return err
		}
		if err := r.table.DeleteAll(ctx, all, eraseParallel); err != nil {
			return err
		}
		if len(found) < erasePage {
			return nil
		}
	}
}
