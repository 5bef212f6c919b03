package danmu

import (
	"context"
	"fmt"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// ErrTooLate is returned by Recall when the comment is too old for its sender to
// recall. It unwraps to plaza.ErrForbidden.
var ErrTooLate = fmt.Errorf("danmu: too late to recall: %w", plaza.ErrForbidden)

// recallable is how long after sending a comment may be recalled.
const recallable = 2 * time.Minute

// Recall takes back a comment that a.User sent in the last two minutes. Later it
// is ErrTooLate, and for anybody else plaza.ErrForbidden. changed is false,
// without an error, if the comment is recalled or removed already.
//
// Cost: 1 request, 2 WCU; 1 request, 1 WCU more for each other place where the shards
// grew since.
//
//plaza:cost a comment: 1 request, 2 WCU
//plaza:cost recalled already: 1 request, 1 WCU
//plaza:cost each other place, where the shards grew since: 1 request, 1 WCU
//plaza:cost an object that was not read within Options.Refresh: 1 request, 1 RCU
//plaza:cost no such comment: 1 request, 1 RCU
func (r *Repository) Recall(ctx context.Context, a Action) (changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "danmu.Repository.Recall")
	if err := r.checkAction(a); err != nil {
		return false, err
	}
	changed, err = r.bury(ctx, a, recalled)
	return changed, wrapID("recall", a.Object, a.ID, err)
}

// Remove takes a comment away, for everybody, permanently. The service decides
// who may remove. changed is false if the comment is recalled or removed already.
//
// Cost: as Recall.
func (r *Repository) Remove(ctx context.Context, m Moderation) (changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "danmu.Repository.Remove")
	if err := r.checkModeration(m); err != nil {
		return false, err
	}
	changed, err = r.bury(ctx, Action{Object: m.Object, ID: m.ID}, removed)
	return changed, wrapID("remove", m.Object, m.ID, err)
}

// protectOp is the attribute with the Mark of the last Protect or Unprotect.
const protectOp = "protect"

// Protect keeps a comment from being hidden by WindowOptions.Cap or by reports. changed
// is also true for a repeat with the same Op while it protects. A removed comment is
// plaza.ErrRemoved, and so is an Op that was taken back.
//
// Cost: 1 transaction, 2 WCU; where there is nothing to change 2 transactions, 4 WCU.
//
//plaza:cost a change: 1 transaction, 2 WCU
//plaza:cost nothing to change: 2 transactions, 4 WCU
//plaza:cost each other place, where the shards grew since: 1 transaction, 2 WCU
//plaza:cost an object that was not read within Options.Refresh: 1 request, 1 RCU
//plaza:cost no such comment: 1 request, 1 RCU
func (r *Repository) Protect(ctx context.Context, m Moderation) (changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "danmu.Repository.Protect")
	return r.moderate(ctx, "protect", m, true)
}

// Unprotect undoes Protect. With an Op it takes back the Protect of that Op or of
// an older one, even if that Protect arrives later, and changed is also true for a
// repeat while no later call has come.
//
// Cost: as Protect.
func (r *Repository) Unprotect(ctx context.Context, m Moderation) (changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "danmu.Repository.Unprotect")
	return r.moderate(ctx, "unprotect", m, false)
}

func (r *Repository) moderate(ctx context.Context, what string, m Moderation, protected bool) (changed bool, err error) {
	if err := r.checkModeration(m); err != nil {
		return false, err
	}
	o, err := r.op(ctx, m.Op)
	if err == nil {
		err = r.locate(ctx, m.Object, m.ID, false, func(key store.Key) error {
			changed, err = r.protect(ctx, key, o, protected)
			return err
		})
	}
	return changed, wrapID(what, m.Object, m.ID, err)
}

// protect is not a store.Change: an Op names a Protect and the Unprotect that takes it
// back, and is never raised. It sends transactions, whose tokens make what the SDK sends
// again the same call whatever came between. A call with an Op that changed nothing has a
// Mark with another Call.
func (r *Repository) protect(ctx context.Context, key store.Key, o op, protected bool) (changed bool, err error) {
	var seen *commentItem // nil: not read
	same := false
	for range maxTries {
		err := r.table.Run(ctx, r.table.Tx().Update(r.protection(key, seen, o.id, protected)))
		refused, ok := store.AsRefused(err)
		if !ok {
			return err == nil && !same, err
		}
		found, _ := refused.At(0)
		if found == nil {
			return false, plaza.ErrNotFound
		}
		now := new(commentItem)
		if err := r.table.Decode(found, now); err != nil {
			return false, err
		}
		same = now.Protected == protected
		last := now.Protect
		switch {
		case now.gone():
			return false, plaza.ErrRemoved
		case same && !o.minted && last.Op >= o.id: // the Mark is of this call, or of a later one
			return last.Call == o.id, nil
		case same && seen != nil && last.Op != seen.Protect.Op && last.Op >= o.id: // other calls were noted since
			return false, nil
		case o.above(last.Op), now.Protected && !protected && last.Op == o.id:
			seen = now
		case o.minted:
			return false, r.table.Corrupt(key, "no id is later than its protect")
		case protected:
			return false, keys.Older(o.id, last.Op, r.opts.Now())
		default: // a later Protect came
			return false, nil
		}
	}
	return false, plaza.ErrBusy
}

// protection makes a comment protected or not, if it is still as seen. If the comment is so
// already, it only notes the call. Without seen, the comment must not be so yet, nor have a
// later call.
func (r *Repository) protection(key store.Key, seen *commentItem, op ids.ID, protected bool) *store.Update {
	u := inLife(r.table.Update(key), seen, op).If("attribute_exists(pk) AND attribute_not_exists('state')")
	switch {
	case seen == nil && protected:
		u.If("attribute_not_exists($) OR $ < ?", protectOp, protectOp, op)
	case seen == nil: // its own Protect may be stored
		u.If("attribute_not_exists($) OR $ < ?", protectOp, protectOp, op+1)
	case seen.Protect.IsZero():
		u.If("attribute_not_exists($)", protectOp)
	default:
		u.If("$ = ?", protectOp, seen.Protect)
	}
	was := !protected
	if seen != nil {
		was = seen.Protected
	}
	if was {
		u.If("attribute_exists(protected)")
	} else {
		u.If("attribute_not_exists(protected)")
	}
	switch {
	case was == protected:
		return u.Set(protectOp, store.Mark{Op: op, Call: seen.Protect.Call})
	case protected:
		u.Set("protected", true)
	default:
		u.Remove("protected")
	}
	return u.Set(protectOp, store.Mark{Op: op, Call: op})
}
