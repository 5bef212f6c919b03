package danmu

import (
	"context"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Erase removes all comments of a user who leaves, as Remove does, and takes back
// the user's likes and reports. Call it when the user has stopped writing. After
// an error, repeat it.
//
// It finds comments by an index, which lags: repeat Erase some minutes later for
// the last ones. For each like and report one item stays for up to 30 days, with
// the user's name and the comment's ID, so that a late request cannot bring it
// back. What Options.SharedRate remembers expires.
//
// Cost: for each comment 1 request, 2 WCU; for each like and report 1 transaction, 4
// WCU; and a read of them.
//
//plaza:cost a comment: 1 request, 2 WCU
//plaza:cost a like or report: 1 transaction, 4 WCU
//plaza:cost each MB of the user's comments in the index: 1 request
//plaza:cost each 4 KB of the index: 0.5 RCU
//plaza:cost each 1,000 likes and reports: 1 request
//plaza:cost each 4 KB of likes and reports: 1 RCU
func (r *Repository) Erase(ctx context.Context, user string) error {
	ctx = plaza.WithOperation(ctx, "danmu.Repository.Erase")
	if err := keys.CheckName("User", user); err != nil {
		return err
	}
	err := r.eraseReactions(ctx, user)
	if err == nil {
		err = r.eraseComments(ctx, user)
	}
	return wrap("erase", user, err)
}

func (r *Repository) eraseReactions(ctx context.Context, user string) error {
	span := store.Span{PK: reactionPK(user), Ascending: true, Consistent: true}
	for items, err := range store.Pages[dynamo.Item](ctx, r.table, span) {
		if err != nil {
			return err
		}
		for _, item := range items {
			if err := r.eraseReaction(ctx, item); err != nil {
				return err
			}
		}
	}
	return nil
}

// eraseReaction deletes a damaged item without changing a counter, because the item no
// longer names its comment.
func (r *Repository) eraseReaction(ctx context.Context, stored dynamo.Item) error {
	var item reactionItem
	err := r.table.Decode(stored, &item)
	var a Action
	var k kind
	if err == nil {
		a, k, err = r.reaction(item)
	}
	if r.table.Skips(err) {
		return r.table.Run(ctx, r.table.Delete(store.KeyOf(stored)))
	}
	if item.Op == 0 {
		return nil
	}
	_, _, err = r.unreact(ctx, a, k, item.Op)
	return err
}

// eraseComments reads the index only once: removed comments may stay in it for a
// while.
func (r *Repository) eraseComments(ctx context.Context, user string) error {
	items, err := store.QueryIndex[dynamo.Item](ctx, r.table, byUser, store.IndexSpan{Partition: user})
	if err != nil {
		return err
	}
	for _, item := range items {
		update := tombstone(r.table.Update(store.KeyOf(item)), erased).If("userId = ?", user)
		err := r.table.Run(ctx, update)
		if _, refused := store.AsRefused(err); err != nil && !refused {
			return err
		}
	}
	return nil
}

// EraseObject deletes all comments on an object, and its Settings. After an error, repeat it.
//
// While it runs, and for Options.Refresh afterwards, nobody may send to the object: other
// processes may still write where nobody reads. If a Configure runs at the same time, Settings
// may be stored again, and a repeat deletes them. If a like, report or moderation does, it may
// count once the comment is imported again. Likes and reports stay stored until their user is
// erased or takes them back.
//
// Cost: 2 requests, 1 RCU, 1 WCU; 1 request for each 25 comments, 2 WCU for each of 1
// KB; and a read of them.
//
//plaza:cost the object: 2 requests, 1 RCU, 1 WCU
//plaza:cost each 25 comments: 1 request
//plaza:cost a comment of 1 KB: 2 WCU
//plaza:cost each further KB of a comment: 1 WCU
//plaza:cost a comment without a User: 1 WCU
//plaza:cost each 1,000 comments of a segment and shard: 1 request
//plaza:cost each 4 KB of a segment and shard: 1 RCU
func (r *Repository) EraseObject(ctx context.Context, object string) error {
	ctx = plaza.WithOperation(ctx, "danmu.Repository.EraseObject")
	if err := keys.CheckName("Object", object); err != nil {
		return err
	}
	return wrap("erase", object, r.eraseObject(ctx, object))
}

// eraseObject deletes the layout last, because the layout locates the comments.
func (r *Repository) eraseObject(ctx context.Context, object string) error {
	l, err := r.layout(ctx, object, true)
	if err != nil {
		return err
	}
	for _, segment := range l.segments {
		for shard := range l.shards() {
			if err := r.table.Erase(ctx, place{object, segment, shard}.pk()); err != nil {
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

// keyItem reads only the key of an item.
type keyItem struct {
	ID ID `dynamo:"sk"`
}
