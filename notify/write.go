package notify

import (
	"context"

	"github.com/plaza-sdk/plaza/feed"

	"github.com/plaza-sdk/plaza"
)

// Notify stores the event in its group.
func (r *Repository) Notify(ctx context.Context, n Notification) (res Result, created bool, err error) {
	return Result{}, false, plaza.ErrUnavailable
}

// Retract takes the event back.
func (r *Repository) Retract(ctx context.Context, n Notification) (changed bool, err error) {
	return false, plaza.ErrUnavailable
}

// RetractTarget takes back all events about something.
func (r *Repository) RetractTarget(ctx context.Context, user string, about feed.Ref) (groups int, err error) {
	return 0, plaza.ErrUnavailable
}
