package danmu

import (
	"context"
	"errors"
	"fmt"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Like counts a.User among those who like a comment. It reports whether this
// call did; a removed comment is plaza.ErrRemoved to who did not like it before.
//
// One transaction, 4 WCU.
func (r *Repository) Like(ctx context.Context, a Action) (liked bool, err error) {
	return r.react(ctx, "like", a, liking)
}

// Unlike undoes Like, at the same cost, also of a comment that is removed.
func (r *Repository) Unlike(ctx context.Context, a Action) (unliked bool, err error) {
	if err := a.check(); err != nil {
		return false, err
	}
	unliked, err = r.unreact(ctx, a, liking)
	return unliked, wrapID("unlike", a.Object, a.ID, err)
}

// Report counts a.User among those who want a comment gone; as many as
// Options.HideAt hide it, unless it is protected. It reports whether this call
// did: a user counts once. A removed comment is plaza.ErrRemoved.
//
// One transaction, 4 WCU.
func (r *Repository) Report(ctx context.Context, a Action) (reported bool, err error) {
	return r.react(ctx, "report", a, reporting)
}

// kind is what a user may have done to a comment.
type kind struct{ name, counter string }

var (
	liking    = kind{"L", "likes"}
	reporting = kind{"R", "reports"}
)

// reactionItem is U#user / object#id#kind: one query gives all of a range, and
// who leaves has them in one place.
type reactionItem struct {
	PK string `dynamo:"pk"`
	SK string `dynamo:"sk"`
}

func reactionPK(user string) string { return keys.Join("U", user) }

func reactionSK(a Action, k kind) string { return keys.Join(a.Object, a.ID.String(), k.name) }

// parse undoes the keys.
func (i reactionItem) parse() (a Action, k kind, err error) {
	owner, about := keys.Split(i.PK), keys.Split(i.SK)
	if len(owner) != 2 || len(about) != 3 {
		return a, k, fmt.Errorf("no reaction: %q", i.PK)
	}
	a = Action{Object: about[0], User: owner[1]}
	a.ID, err = ParseID(about[1])
	k = liking
	if about[2] == reporting.name {
		k = reporting
	}
	return a, k, err
}

func (r *Repository) react(ctx context.Context, what string, a Action, k kind) (begun bool, err error) {
	if err := a.check(); err != nil {
		return false, err
	}
	err = r.locate(ctx, a, false, func(key store.Key) error {
		tx := r.table.Tx()
		tx.Put(r.table.Put(reactionItem{reactionPK(a.User), reactionSK(a, k)}).If("attribute_not_exists(pk)"))
		tx.Update(r.table.Update(key).Add(k.counter, 1).If("attribute_exists(pk) AND attribute_not_exists('state')"))
		err := r.table.Run(ctx, tx)
		if refused, ok := store.AsRefused(err); ok {
			if _, stands := refused.At(0); stands {
				return nil
			}
			if there, _ := refused.At(1); there != nil {
				return plaza.ErrRemoved
			}
			return plaza.ErrNotFound
		}
		begun = err == nil
		return err
	})
	return begun, wrapID(what, a.Object, a.ID, err)
}

// unreact also takes back what counts nowhere, its object having been erased,
// and perhaps imported again since.
func (r *Repository) unreact(ctx context.Context, a Action, k kind) (ended bool, err error) {
	edge := store.Key{PK: reactionPK(a.User), SK: reactionSK(a, k)}
	err = r.locate(ctx, a, false, func(key store.Key) error {
		tx := r.table.Tx()
		tx.Delete(r.table.Delete(edge).If("attribute_exists(pk)"))
		tx.Update(r.table.Update(key).Add(k.counter, -1).If("$ >= ?", k.counter, 1))
		err := r.table.Run(ctx, tx)
		if refused, ok := store.AsRefused(err); ok {
			if _, absent := refused.At(0); absent {
				return nil
			}
			return plaza.ErrNotFound
		}
		ended = err == nil
		return err
	})
	if errors.Is(err, plaza.ErrNotFound) {
		err = r.table.Run(ctx, r.table.Delete(edge).If("attribute_exists(pk)"))
		ended = err == nil
		if _, absent := store.AsRefused(err); absent {
			err = nil
		}
	}
	return ended, err
}
