package notify

import (
	"context"
	"time"

	"github.com/plaza-sdk/plaza"
)

// Archive moves a group to the archive.
func (r *Repository) Archive(ctx context.Context, in In) (changed bool, err error) {
	return false, plaza.ErrUnavailable
}

// Unarchive moves a group back to the list.
func (r *Repository) Unarchive(ctx context.Context, in In) (changed bool, err error) {
	return false, plaza.ErrUnavailable
}

// Snooze hides a group until then.
func (r *Repository) Snooze(ctx context.Context, in In, until time.Time) (changed bool, err error) {
	return false, plaza.ErrUnavailable
}

// Unsnooze moves a group back to where it was.
func (r *Repository) Unsnooze(ctx context.Context, in In) (changed bool, err error) {
	return false, plaza.ErrUnavailable
}
