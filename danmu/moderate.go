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
// Cost: 1 request, 2 WCU; where the shards grew since the comment was sent,
// 1 request, 1 WCU more for each other place; where this process has not read
// the object within Options.Refresh, 1 request, 1 RCU more; where there is no
// such comment, 1 request, 1 RCU more.
func (r *Repository) Recall(ctx context.Context, a Action) (changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "danmu.Repository.Recall")
	if err := r.checkAction(a); err != nil {
		return false, err
	}
	since := ids.At(r.opts.Now().Add(-recallable))
	changed, err = r.bury(ctx, a.Object, a.ID, recalled, func(u *store.Update) {
		u.If("attribute_not_exists(pk) OR userId = ? AND sent >= ?", a.User, since)
	}, func(stored row) error {
		switch {
		case stored.gone():
			return nil
		case stored.User != a.User:
			return plaza.ErrForbidden
		}
		return ErrTooLate
	})
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
	changed, err = r.bury(ctx, m.Object, m.ID, removed, func(*store.Update) {}, func(row) error { return nil })
	return changed, wrapID("remove", m.Object, m.ID, err)
}

// protectOp is the attribute with the Op of the current Protect or, if there is none, of
// the one that was taken back.
const protectOp = "protect"

// Protect keeps a comment from being hidden by WindowOptions.Cap or by reports.
// changed is also true for a repeat with the Op of the Protect that stands. A
// removed comment is plaza.ErrRemoved, and so is an Op that was taken back.
//
// Cost: 1 transaction, 2 WCU; where the shards grew since the comment was sent,
// 1 transaction, 2 WCU more for each other place that is tried; where this process
// has not read the object within Options.Refresh, 1 request, 1 RCU more; where
// there is no such comment, 1 request, 1 RCU more.
func (r *Repository) Protect(ctx context.Context, m Moderation) (changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "danmu.Repository.Protect")
	return r.moderate(ctx, "protect", m, r.protect)
}

// Unprotect undoes Protect. With an Op it takes back the Protect of that Op or of
// an older one, even if that Protect arrives later. changed is true only if this
// call did it.
//
// Cost: as Protect; where an Op finds no Protect, 1 transaction, 2 WCU more.
func (r *Repository) Unprotect(ctx context.Context, m Moderation) (changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "danmu.Repository.Unprotect")
	return r.moderate(ctx, "unprotect", m, r.unprotect)
}

func (r *Repository) moderate(ctx context.Context, what string, m Moderation, do func(context.Context, Moderation, op) (bool, error)) (changed bool, err error) {
	if err := r.checkModeration(m); err != nil {
		return false, err
	}
	o, err := r.op(ctx, m.Op)
	if err == nil {
		changed, err = do(ctx, m, o)
	}
	return changed, wrapID(what, m.Object, m.ID, err)
}

func (r *Repository) protect(ctx context.Context, m Moderation, o op) (bool, error) {
	for range maxTries {
		changed, stored, err := r.changeStanding(ctx, m, func(u *store.Update) {
			u.Set("protected", true).Set(protectOp, o.id).
				If("attribute_not_exists(protected) AND (attribute_not_exists($) OR $ < ?)", protectOp, protectOp, o.id)
		})
		switch {
		case changed, err != nil:
			return changed, err
		case stored.Protected:
			return stored.Protect == o.id, nil
		case !o.above(stored.Protect):
			return false, keys.Older(o.id, stored.Protect, r.opts.Now())
		}
	}
	return false, plaza.ErrBusy
}

func (r *Repository) unprotect(ctx context.Context, m Moderation, o op) (bool, error) {
	for range maxTries {
		changed, stored, err := r.changeStanding(ctx, m, func(u *store.Update) {
			u.Remove("protected").If("attribute_exists(protected) AND (attribute_not_exists($) OR $ <= ?)", protectOp, protectOp, o.id)
			if !o.minted {
				u.Set(protectOp, o.id)
			}
		})
		switch {
		case changed, err != nil:
			return changed, err
		case stored.Protected && o.minted && o.above(stored.Protect-1):
			continue // it was protected before this call, by a clock that is ahead
		case stored.Protected, o.minted, stored.Protect >= o.id:
			return false, nil
		}
		marked, _, err := r.changeStanding(ctx, m, func(u *store.Update) {
			u.Set(protectOp, o.id).If("attribute_not_exists(protected) AND (attribute_not_exists($) OR $ < ?)", protectOp, protectOp, o.id)
		})
		if marked || err != nil {
			return false, err
		}
	}
	return false, plaza.ErrBusy
}

// changeStanding is like change. If a condition of build fails, it returns the stored
// row, or plaza.ErrRemoved if the comment is removed.
func (r *Repository) changeStanding(ctx context.Context, m Moderation, build func(*store.Update)) (changed bool, stored row, err error) {
	changed, err = r.change(ctx, m.Object, m.ID, build, func(i row) error {
		stored = i
		if i.gone() {
			return plaza.ErrRemoved
		}
		return nil
	})
	return changed, stored, err
}
