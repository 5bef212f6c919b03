package danmu

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Like counts a.User among those who like a comment. It reports whether this
// call did, or one that it repeats with its Op while that like stands. A removed
// comment is plaza.ErrRemoved to who did not like it before, and so is an Op that
// was taken back.
//
// Cost: 1 request, 4 WCU; 1 request, 4 WCU more where another process took a like
// back a moment ago by a clock that is ahead.
func (r *Repository) Like(ctx context.Context, a Action) (liked bool, err error) {
	return r.react(ctx, "like", a, liking)
}

// Unlike undoes Like, also of a comment that is removed. With an Op it takes back
// the like of that Op or of an older one, also one that is yet to come. It
// reports whether this call did.
//
// Cost: 1 request, 4 WCU; 1 request, 1 WCU more where an Op finds no like.
func (r *Repository) Unlike(ctx context.Context, a Action) (unliked bool, err error) {
	if err := r.checkAction(a); err != nil {
		return false, err
	}
	unliked, err = r.unlike(ctx, a)
	return unliked, wrapID("unlike", a.Object, a.ID, err)
}

// Report counts a.User among those who want a comment gone; as many as
// Options.HideAt hide it, unless it is protected. It reports whether this call
// did, or one that it repeats with its Op: a user counts once. A removed comment
// is plaza.ErrRemoved.
//
// Cost: 1 request, 4 WCU.
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
// who leaves has them in one place. It has the Op by which it stands, or the one
// that was taken back, for as long as a late request may bring that.
type reactionItem struct {
	PK    string `dynamo:"pk"`
	SK    string `dynamo:"sk"`
	Op    ids.ID `dynamo:"id,omitempty"`
	Ended ids.ID `dynamo:"ended,omitempty"`
	TTL   int64  `dynamo:"ttl,omitempty"`
}

// endedTTL is for how long it is kept what was taken back.
const endedTTL = 30 * 24 * time.Hour

func reactionPK(user string) string { return keys.Join("U", user) }

func reactionSK(a Action, k kind) string { return keys.Join(a.Object, a.ID.String(), k.name) }

// reaction says what an item is of. It stands where it has an Op.
func (r *Repository) reaction(i reactionItem) (a Action, k kind, err error) {
	owner, about := keys.Split(i.PK), keys.Split(i.SK)
	if len(owner) != 2 || len(about) != 3 || (i.Op == 0) == (i.Ended == 0) {
		return a, k, r.table.Corrupt(store.Key{PK: i.PK, SK: i.SK}, "is no reaction")
	}
	id, err := ParseID(about[1])
	switch {
	case err != nil:
	case about[2] == liking.name:
		return Action{Object: about[0], ID: id, User: owner[1]}, liking, nil
	case about[2] == reporting.name:
		return Action{Object: about[0], ID: id, User: owner[1]}, reporting, nil
	}
	return a, k, r.table.Corrupt(store.Key{PK: i.PK, SK: i.SK}, "has another sort key")
}

func (r *Repository) react(ctx context.Context, what string, a Action, k kind) (begun bool, err error) {
	if err := r.checkAction(a); err != nil {
		return false, err
	}
	o, err := r.op(ctx, a)
	if err != nil {
		return false, wrapID(what, a.Object, a.ID, err)
	}
	err = r.locate(ctx, a, false, func(key store.Key) error {
		for range turns {
			item := reactionItem{PK: reactionPK(a.User), SK: reactionSK(a, k), Op: o.id}
			tx := r.table.Tx()
			tx.Put(r.table.Put(item).If("attribute_not_exists(id) AND (attribute_not_exists(ended) OR ended < ?)", o.id))
			tx.Update(r.table.Update(key).Add(k.counter, 1).If("attribute_exists(pk) AND attribute_not_exists('state')"))
			err := r.table.Run(ctx, tx)
			refused, ok := store.AsRefused(err)
			if !ok {
				begun = err == nil
				return err
			}
			stood, taken := refused.At(0)
			if !taken {
				if there, _ := refused.At(1); there != nil {
					return plaza.ErrRemoved
				}
				return plaza.ErrNotFound
			}
			var there reactionItem
			if err := r.table.Decode(stood, &there); err != nil {
				return err
			}
			if there.Op != 0 {
				begun = there.Op == o.id
				return nil
			}
			if !o.above(there.Ended) {
				return plaza.ErrRemoved
			}
		}
		return plaza.ErrBusy
	})
	return begun, wrapID(what, a.Object, a.ID, err)
}

func (r *Repository) unlike(ctx context.Context, a Action) (ended bool, err error) {
	o, err := r.op(ctx, a)
	if err != nil {
		return false, err
	}
	for range turns {
		stood, ended, err := r.unreact(ctx, a, liking, o.id)
		if err != nil || ended {
			return ended, err
		}
		switch {
		case stood.Op != 0 && o.minted && o.above(stood.Op-1):
			continue // it stood before this call, by a clock that is ahead
		case stood.Op != 0, o.minted, stood.Ended >= o.id:
			return false, nil
		}
		err = r.table.Run(ctx, r.end(a, liking).
			Set("ended", o.id).
			If("attribute_not_exists(id) AND (attribute_not_exists(ended) OR ended < ?)", o.id))
		if _, refused := store.AsRefused(err); !refused {
			return false, err
		}
	}
	return false, plaza.ErrBusy
}

// unreact takes back what stands by op or an older one, also what counts
// nowhere, its object having been erased, and perhaps imported again since. It
// returns what stood instead.
func (r *Repository) unreact(ctx context.Context, a Action, k kind, op ids.ID) (stood reactionItem, ended bool, err error) {
	end := func() *dynamo.Update {
		update := r.end(a, k).Remove("id").If("attribute_exists(id) AND id <= ?", op)
		if a.Op != 0 {
			return update.Set("ended", op)
		}
		return update.SetExpr("ended = id")
	}
	err = r.locate(ctx, a, false, func(key store.Key) error {
		tx := r.table.Tx()
		tx.Update(end())
		tx.Update(r.table.Update(key).Add(k.counter, -1).If("$ >= ?", k.counter, 1))
		err := r.table.Run(ctx, tx)
		if refused, ok := store.AsRefused(err); ok {
			if item, absent := refused.At(0); absent {
				return r.table.Decode(item, &stood)
			}
			return plaza.ErrNotFound
		}
		ended = err == nil
		return err
	})
	if errors.Is(err, plaza.ErrNotFound) {
		err = r.table.Run(ctx, end())
		ended = err == nil
		if refused, ok := store.AsRefused(err); ok {
			item, _ := refused.At(0)
			err = r.table.Decode(item, &stood)
		}
	}
	return stood, ended, err
}

// end begins the update that takes a reaction back.
func (r *Repository) end(a Action, k kind) *dynamo.Update {
	return r.table.Update(store.Key{PK: reactionPK(a.User), SK: reactionSK(a, k)}).
		Set("ttl", r.opts.Now().Add(endedTTL).Unix())
}

// Reaction is what a user did to a comment.
type Reaction struct{ Liked, Reported bool }

// Reacted tells which comments on object, from a playing time on and before
// another, user liked or reported; such that are removed may be among them.
//
// Cost: 1 request, 0.5 RCU for each 4 KB begun, some 50 reactions, those that
// were taken back in the last 30 days among them; twice that with
// Options.Consistent.
func (r *Repository) Reacted(ctx context.Context, user, object string, from, to time.Duration) (map[ID]Reaction, error) {
	if err := keys.CheckName("User", user); err != nil {
		return nil, err
	}
	if err := checkWindow(object, from, to, &WindowOptions{}); err != nil {
		return nil, err
	}
	reactions, err := r.reacted(ctx, reactionPK(user), object, span{ceil(from), ceil(to)})
	return reactions, wrap("reactions of", user, err)
}

func (r *Repository) reacted(ctx context.Context, pk, object string, s span) (map[ID]Reaction, error) {
	reactions := map[ID]Reaction{}
	if s.from == s.to || s.from > MaxProgress {
		return reactions, nil
	}
	to := keys.Join(object, cmp.Or(textAt(s.to), "~"))
	items, err := store.Query[reactionItem](ctx, r.table, store.Span{
		PK: pk, From: keys.Join(object, textAt(s.from)), To: to, Ascending: true, Consistent: r.opts.Consistent,
	})
	if err != nil {
		return nil, err
	}
	for _, i := range items {
		a, k, err := r.reaction(i)
		if r.table.Skips(err) || i.Op == 0 {
			continue
		}
		reaction := reactions[a.ID]
		switch k {
		case liking:
			reaction.Liked = true
		case reporting:
			reaction.Reported = true
		}
		reactions[a.ID] = reaction
	}
	return reactions, nil
}
