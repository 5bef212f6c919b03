package danmu

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Like counts a.User once among those who like a comment. If a call with an Op is repeated
// while its like counts, changed is true again. Once the like was taken back, its Op is
// plaza.ErrRemoved. If the comment was removed, a new like is plaza.ErrRemoved.
//
// If a call was given up, it may be applied after a later Like, or Unlike without an Op, that
// found nothing to change. Repeat the later call then.
//
// Cost: 1 transaction, 4 WCU; 1 transaction, 4 WCU more for each other place where
// the shards grew since.
//
//plaza:cost a like: 1 transaction, 4 WCU
//plaza:cost each other place, where the shards grew since: 1 transaction, 4 WCU
//plaza:cost after an Unlike by a clock that is ahead: 1 transaction, 4 WCU
//plaza:cost an object that was not read within Options.Refresh: 1 request, 1 RCU
//plaza:cost no such comment: 1 request, 1 RCU
func (r *Repository) Like(ctx context.Context, a Action) (changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "danmu.Repository.Like")
	return r.react(ctx, "like", a, liking)
}

// Unlike takes a like back, even of a removed comment. With an Op, it takes back the like of
// that Op or of an older one, even if that like arrives later. changed is true only if this
// call did it.
//
// Cost: as Like; where an Op finds no like, 1 request, 1 WCU more.
func (r *Repository) Unlike(ctx context.Context, a Action) (changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "danmu.Repository.Unlike")
	if err := r.checkAction(a); err != nil {
		return false, err
	}
	changed, err = r.unlike(ctx, a)
	return changed, wrapID("unlike", a.Object, a.ID, err)
}

// Report counts a.User among those who want a comment removed. Options.HideAt reports
// hide it, unless it is protected. A user counts once; changed is also true for a
// repeat with the same Op. A removed comment is plaza.ErrRemoved.
//
// Cost: as Like.
func (r *Repository) Report(ctx context.Context, a Action) (changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "danmu.Repository.Report")
	return r.react(ctx, "report", a, reporting)
}

// kind is a kind of reaction: a like or a report.
type kind struct{ name, counter string }

var (
	liking    = kind{"L", "likes"}
	reporting = kind{"R", "reports"}
)

// reactionItem is U#user / object#id#kind. So one query reads the reactions of a range,
// and one partition holds all reactions of a user. It stores the Op that made the
// reaction. After that is taken back, the item keeps the Op for as long as a late
// request may arrive.
type reactionItem struct {
	PK    string `dynamo:"pk"`
	SK    string `dynamo:"sk"`
	Op    ids.ID `dynamo:"id,omitempty"`
	Ended ids.ID `dynamo:"ended,omitempty"`
	TTL   int64  `dynamo:"ttl,omitempty"`
}

// endedTTL is how long a reaction that was taken back is kept.
const endedTTL = 30 * 24 * time.Hour

func reactionPK(user string) string { return keys.Join(reactionPrefix, user) }

func reactionSK(a Action, k kind) string { return keys.Join(a.Object, a.ID.String(), k.name) }

// reaction parses an item. Without an Op, the reaction was taken back.
func (r *Repository) reaction(i reactionItem) (a Action, k kind, err error) {
	if a, k, err = i.reaction(); err != nil {
		err = r.table.Corrupt(store.Key{PK: i.PK, SK: i.SK}, err.Error())
	}
	return a, k, err
}

// errReaction is returned for an item that is not a reaction.
var errReaction = errors.New("is not a reaction")

func (i reactionItem) reaction() (a Action, k kind, err error) {
	owner, about := keys.Split(i.PK), keys.Split(i.SK)
	if len(owner) != 2 || len(about) != 3 || (i.Op == 0) == (i.Ended == 0) {
		return a, k, errReaction
	}
	id, err := ParseID(about[1])
	switch {
	case err != nil:
	case about[2] == liking.name:
		return Action{Object: about[0], ID: id, User: owner[1]}, liking, nil
	case about[2] == reporting.name:
		return Action{Object: about[0], ID: id, User: owner[1]}, reporting, nil
	}
	return a, k, errReaction
}

func (r *Repository) react(ctx context.Context, what string, a Action, k kind) (begun bool, err error) {
	if err := r.checkAction(a); err != nil {
		return false, err
	}
	o, err := r.op(ctx, a.Op)
	if err != nil {
		return false, wrapID(what, a.Object, a.ID, err)
	}
	err = r.locate(ctx, a.Object, a.ID, false, func(key store.Key) error {
		for range maxTries {
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
			found, failed := refused.At(0)
			if !failed {
				if comment, _ := refused.At(1); comment != nil {
					return plaza.ErrRemoved
				}
				return plaza.ErrNotFound
			}
			var stored reactionItem
			if err := r.table.Decode(found, &stored); err != nil {
				return err
			}
			if stored.Op != 0 {
				begun = stored.Op == o.id
				return nil
			}
			switch {
			case o.above(stored.Ended):
			case o.minted:
				return r.table.Corrupt(store.Key{PK: item.PK, SK: item.SK}, "no id is later than its ended")
			default:
				return keys.Older(o.id, stored.Ended, r.opts.Now())
			}
		}
		return plaza.ErrBusy
	})
	return begun, wrapID(what, a.Object, a.ID, err)
}

func (r *Repository) unlike(ctx context.Context, a Action) (ended bool, err error) {
	o, err := r.op(ctx, a.Op)
	if err != nil {
		return false, err
	}
	for range maxTries {
		stored, ended, err := r.unreact(ctx, a, liking, o.id)
		if err != nil || ended {
			return ended, err
		}
		switch {
		case stored.Op != 0 && o.minted && o.above(stored.Op-1):
			continue // it was liked before this call, with a clock that is ahead
		case stored.Op != 0, o.minted, stored.Ended >= o.id:
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

// unreact takes back the reaction of op or of an older one. If it takes nothing back, it
// returns the stored reaction. The comment may be missing: its object may have been
// erased, and perhaps imported again.
func (r *Repository) unreact(ctx context.Context, a Action, k kind, op ids.ID) (stored reactionItem, ended bool, err error) {
	end := func() *store.Update {
		update := r.end(a, k).Remove("id").If("attribute_exists(id) AND id <= ?", op)
		if a.Op != 0 {
			return update.Set("ended", op)
		}
		return update.SetExpr("ended = id")
	}
	err = r.locate(ctx, a.Object, a.ID, false, func(key store.Key) error {
		tx := r.table.Tx()
		tx.Update(end())
		tx.Update(r.table.Update(key).Add(k.counter, -1).If("$ >= ?", k.counter, 1))
		err := r.table.Run(ctx, tx)
		if refused, ok := store.AsRefused(err); ok {
			if item, failed := refused.At(0); failed {
				return r.table.Decode(item, &stored)
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
			err = r.table.Decode(item, &stored)
		}
	}
	return stored, ended, err
}

// end returns the beginning of the update that takes a reaction back.
func (r *Repository) end(a Action, k kind) *store.Update {
	return r.table.Update(store.Key{PK: reactionPK(a.User), SK: reactionSK(a, k)}).
		Set("ttl", r.opts.Now().Add(endedTTL).Unix())
}

// Reaction is what a user did to a comment.
type Reaction struct {
	Liked    bool `json:"liked"`
	Reported bool `json:"reported"`
}

// Reactions returns which comments on object, of the playing time [from, to), user
// liked or reported. Removed comments may be among them. It also reads those that were
// taken back in the last 30 days.
//
// Cost: 1 request, 0.5 RCU for each 4 KB, some 50 reactions; with Options.Consistent
// 1 RCU.
func (r *Repository) Reactions(ctx context.Context, user, object string, from, to time.Duration) (map[ID]Reaction, error) {
	ctx = plaza.WithOperation(ctx, "danmu.Repository.Reactions")
	if err := keys.CheckName("User", user); err != nil {
		return nil, err
	}
	if err := checkWindow(object, from, to, &WindowOptions{}); err != nil {
		return nil, err
	}
	reactions, err := r.reactions(ctx, reactionPK(user), object, span{ceil(from), ceil(to)})
	return reactions, wrap("reactions of", user, err)
}

func (r *Repository) reactions(ctx context.Context, pk, object string, s span) (map[ID]Reaction, error) {
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
