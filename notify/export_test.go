package notify

import (
	"context"

	"github.com/plaza-sdk/plaza/ids"
)

// MarkGroupRead is MarkRead of one group. It also says whether it changed anything.
func MarkGroupRead(ctx context.Context, r *Repository, in In, last ids.ID) (changed bool, err error) {
	call, err := r.gen.Next(ctx)
	if err != nil {
		return false, err
	}
	return r.markRead(ctx, in, last, call)
}
