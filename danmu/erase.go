package danmu

import (
	"context"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

const (
	erasePage     = 1000 // how many items are read before they are deleted
	eraseParallel = 4    // batches at once
)

// Erase removes every comment of a user who leaves, as Remove does, and takes
// back the user's likes and reports. After an error, repeat it.
//
// The user has stopped writing. The index byUser, which tells of the comments,
// lags: repeat Erase some minutes later for those of the last moments. For up to
// 30 days it leaves one item for each like and report that was taken back, with
// the user's name, the comment's and ids as its attributes, so that a late
// request brings none of them back. What a TableLimiter keeps of the user
// expires.
//
// 2 WCU a comment and 4 a like or report, in turn; 0.5 RCU for each 4 KB of the
// index and 1 for each of the likes and reports.
func (r *Repository) Erase(ctx context.Context, user string) error {
	if err := keys.CheckName("User", user); err != nil {
		return err
	}
	err := r.eraseReactions(ctx, user)
	if err == nil {
		err = r.eraseComments(ctx, user)
	}
	return wrap("erase", user, err)
}

// rawItem is an item that may be damaged.
type rawItem struct{ item dynamo.Item }

// UnmarshalDynamoItem takes the item as it is.
func (i *rawItem) UnmarshalDynamoItem(item dynamo.Item) error {
	i.item = item
	return nil
}

func (i rawItem) key() store.Key { return store.KeyOf(i.item) }

func (r *Repository) eraseReactions(ctx context.Context, user string) error {
	at := ""
	for {
		items, rest, err := store.Read[rawItem](ctx, r.table, store.Span{
			PK: reactionPK(user), From: at, Ascending: true, Limit: erasePage, Consistent: true,
		})
		if err != nil {
			return err
		}
		for _, i := range items {
			if err := r.eraseReaction(ctx, i); err != nil {
				return err
			}
		}
		if rest == "" {
			return nil
		}
		at = rest
	}
}

// eraseReaction deletes what is damaged: nobody can tell what it counts for.
func (r *Repository) eraseReaction(ctx context.Context, i rawItem) error {
	var item reactionItem
	err := r.table.Decode(i.item, &item)
	var a Action
	var k kind
	if err == nil {
		a, k, err = r.reaction(item)
	}
	if r.table.Skips(err) {
		return r.table.Run(ctx, r.table.Delete(i.key()))
	}
	if item.Op == 0 {
		return nil
	}
	_, _, err = r.unreact(ctx, a, k, item.Op)
	return err
}

// eraseComments goes by what the index shows, once: what it removes may stay
// there a while.
func (r *Repository) eraseComments(ctx context.Context, user string) error {
	items, err := store.QueryIndex[rawItem](ctx, r.table, byUser, store.IndexSpan{Partition: user})
	if err != nil {
		return err
	}
	for _, i := range items {
		update := bury(r.table.Update(i.key())).If("userId = ?", user)
		err := r.table.Run(ctx, update)
		if _, refused := store.AsRefused(err); err != nil && !refused {
			return err
		}
	}
	return nil
}

// EraseObject deletes all comments on an object, and its Settings. After an
// error, repeat it.
//
// Nobody sends to the object meanwhile and for Options.Refresh after it: till
// then other processes may write where nobody reads. Who liked or reported what stays
// until that user is erased or takes it back.
//
// 1 WCU per KB of each comment, 1 more where it has a user, and 1 RCU per 4 KB.
func (r *Repository) EraseObject(ctx context.Context, object string) error {
	if err := keys.CheckName("Object", object); err != nil {
		return err
	}
	return wrap("erase", object, r.eraseObject(ctx, object))
}

// eraseObject deletes at last what tells where the comments are.
func (r *Repository) eraseObject(ctx context.Context, object string) error {
	l, err := r.known(ctx, object, true)
	if err != nil {
		return err
	}
	for _, segment := range l.segments {
		for shard := range l.shards() {
			if err := r.erasePartition(ctx, place{object, segment, shard}.pk()); err != nil {
				return err
			}
		}
	}
	if err := r.table.Run(ctx, r.table.Delete(objectKey(object))); err != nil {
		return err
	}
	r.objects.Remove(object)
	return nil
}

func (r *Repository) erasePartition(ctx context.Context, pk string) error {
	for {
		items, err := store.Query[rawItem](ctx, r.table, store.Span{PK: pk, Limit: erasePage, Consistent: true})
		if err != nil {
			return err
		}
		doomed := make([]store.Key, len(items))
		for i, item := range items {
			doomed[i] = item.key()
		}
		if err := r.table.DeleteAll(ctx, doomed, eraseParallel); err != nil {
			return err
		}
		if len(items) < erasePage {
			return nil
		}
	}
}

// keyItem is what is needed of an item to know that it is there.
type keyItem struct {
	ID ID `dynamo:"sk"`
}
