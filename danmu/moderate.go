package danmu

import (
	"context"
	"fmt"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
)

// ErrTooLate is returned when a comment is older than its sender may recall. It
// unwraps to plaza.ErrForbidden.
var ErrTooLate = fmt.Errorf("danmu: too late to recall: %w", plaza.ErrForbidden)

// recallable is how long after its sending a comment may be recalled.
const recallable = 2 * time.Minute

// Recall takes back what a.User sent in the last two minutes: later is
// ErrTooLate, anybody else plaza.ErrForbidden. It reports whether this call
// did: false for what is recalled or removed already, whoever asks and when.
//
// Cost: 1 request, 2 WCU; where shards grew, 1 request, 1 WCU more for each other
// place.
func (r *Repository) Recall(ctx context.Context, a Action) (recalled bool, err error) {
	if err := r.checkAction(a); err != nil {
		return false, err
	}
	since := ids.At(r.opts.Now().Add(-recallable))
	recalled, err = r.burying(ctx, a, func(u *dynamo.Update) {
		u.If("attribute_not_exists(pk) OR userId = ? AND sent >= ?", a.User, since)
	}, func(there row) error {
		switch {
		case there.State != "":
			return nil
		case there.User != a.User:
			return plaza.ErrForbidden
		}
		return ErrTooLate
	})
	return recalled, wrapID("recall", a.Object, a.ID, err)
}

// Remove takes out a comment as whom the application lets: the object's owner,
// a moderator. a.User is not looked at and not kept. It reports whether this
// call did: false for what is recalled or removed already.
//
// Cost: 1 request, 2 WCU; where shards grew, 1 request, 1 WCU more for each other
// place.
func (r *Repository) Remove(ctx context.Context, a Action) (done bool, err error) {
	if err := r.checkOp(a); err != nil {
		return false, err
	}
	done, err = r.burying(ctx, a, func(*dynamo.Update) {}, func(row) error { return nil })
	return done, wrapID("remove", a.Object, a.ID, err)
}

// removed is the state of a tombstone.
const removed = "removed"

// bury makes of a comment a tombstone, which refuses what is sent again. The
// counters stay, for those who take a like back.
func bury(u *dynamo.Update) *dynamo.Update {
	return u.Set("state", removed).Remove(
		"text", "userId", "sent", "mode", "color", "size", "pool", "weight", "protected", protectOp, "extra", "key", "sentMs",
	)
}

// protectOp is the attribute with the Op of the Protect that stands, else of the
// one that was taken back.
const protectOp = "protect"

// Protect lets a comment stay whatever WindowOptions.Cap, however often it is
// reported. a.User is not looked at. It reports whether this call did, or one
// that it repeats with its Op while that stands. A removed comment is
// plaza.ErrRemoved, and so is an Op that was taken back.
//
// Cost: 1 request, 1 WCU.
func (r *Repository) Protect(ctx context.Context, a Action) (protected bool, err error) {
	return r.setProtected(ctx, "protect", a, r.protect)
}

// Unprotect undoes Protect. With an Op it takes back the Protect of that Op or
// of an older one, also one that is yet to come. It reports whether this call
// did.
//
// Cost: 1 request, 1 WCU; 1 request, 1 WCU more where an Op finds none.
func (r *Repository) Unprotect(ctx context.Context, a Action) (unprotected bool, err error) {
	return r.setProtected(ctx, "unprotect", a, r.unprotect)
}

func (r *Repository) setProtected(ctx context.Context, what string, a Action, set func(context.Context, Action, op) (bool, error)) (changed bool, err error) {
	if err := r.checkOp(a); err != nil {
		return false, err
	}
	o, err := r.op(ctx, a)
	if err == nil {
		changed, err = set(ctx, a, o)
	}
	return changed, wrapID(what, a.Object, a.ID, err)
}

func (r *Repository) protect(ctx context.Context, a Action, o op) (bool, error) {
	for range turns {
		changed, there, err := r.changeStanding(ctx, a, func(u *dynamo.Update) {
			u.Set("protected", true).Set(protectOp, o.id).
				If("attribute_not_exists(protected) AND (attribute_not_exists($) OR $ < ?)", protectOp, protectOp, o.id)
		})
		switch {
		case changed, err != nil:
			return changed, err
		case there.Protected:
			return there.Protect == o.id, nil
		case !o.above(there.Protect):
			return false, plaza.ErrRemoved
		}
	}
	return false, plaza.ErrBusy
}

func (r *Repository) unprotect(ctx context.Context, a Action, o op) (bool, error) {
	for range turns {
		changed, there, err := r.changeStanding(ctx, a, func(u *dynamo.Update) {
			u.Remove("protected").If("attribute_exists(protected) AND (attribute_not_exists($) OR $ <= ?)", protectOp, protectOp, o.id)
			if !o.minted {
				u.Set(protectOp, o.id)
			}
		})
		switch {
		case changed, err != nil:
			return changed, err
		case there.Protected && o.minted && o.above(there.Protect-1):
			continue // it stood before this call, by a clock that is ahead
		case there.Protected, o.minted, there.Protect >= o.id:
			return false, nil
		}
		stored, _, err := r.changeStanding(ctx, a, func(u *dynamo.Update) {
			u.Set(protectOp, o.id).If("attribute_not_exists(protected) AND (attribute_not_exists($) OR $ < ?)", protectOp, protectOp, o.id)
		})
		if stored || err != nil {
			return false, err
		}
	}
	return false, plaza.ErrBusy
}

// changeStanding is change of one copy. It returns what is there where a
// condition of build fails; what is removed is plaza.ErrRemoved.
func (r *Repository) changeStanding(ctx context.Context, a Action, build func(*dynamo.Update)) (changed bool, there row, err error) {
	changed, err = r.change(ctx, a, build, func(i row) error {
		there = i
		if i.gone() {
			return plaza.ErrRemoved
		}
		return nil
	})
	return changed, there, err
}
