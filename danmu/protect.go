package danmu

import (
	"context"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
)

// Protect lets a comment stay whatever WindowOptions.Cap, however often it is
// reported. a.User is not looked at. It reports whether this call did; a
// removed comment is plaza.ErrRemoved.
//
// One update, 1 WCU.
func (r *Repository) Protect(ctx context.Context, a Action) (protected bool, err error) {
	return r.setProtected(ctx, "protect", a, func(u *dynamo.Update) {
		u.Set("protected", true).If("attribute_not_exists(protected)")
	})
}

// Unprotect undoes Protect, at the same cost.
func (r *Repository) Unprotect(ctx context.Context, a Action) (unprotected bool, err error) {
	return r.setProtected(ctx, "unprotect", a, func(u *dynamo.Update) {
		u.Remove("protected").If("attribute_exists(protected)")
	})
}

func (r *Repository) setProtected(ctx context.Context, what string, a Action, build func(*dynamo.Update)) (bool, error) {
	if err := checkAddress(a.Object, a.ID); err != nil {
		return false, err
	}
	changed, err := r.change(ctx, a, false, build, func(there row) error {
		if there.State != "" {
			return plaza.ErrRemoved
		}
		return nil
	})
	return changed, wrapID(what, a.Object, a.ID, err)
}
