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
