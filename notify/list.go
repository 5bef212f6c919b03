package notify

import (
	"context"

	"github.com/plaza-sdk/plaza/cursor"

	"github.com/plaza-sdk/plaza"
)

// List lists groups and announcements.
func (r *Repository) List(ctx context.Context, reader Reader, req cursor.PageRequest) (cursor.Page[Entry], error) {
	return cursor.Page[Entry]{}, plaza.ErrUnavailable
}

// Archived lists archived groups.
func (r *Repository) Archived(ctx context.Context, user string, req cursor.PageRequest) (cursor.Page[Entry], error) {
	return cursor.Page[Entry]{}, plaza.ErrUnavailable
}

// Snoozed lists snoozed groups, first due first.
func (r *Repository) Snoozed(ctx context.Context, user string, req cursor.PageRequest) (cursor.Page[Entry], error) {
	return cursor.Page[Entry]{}, plaza.ErrUnavailable
}

// Unseen counts unseen entries.
func (r *Repository) Unseen(ctx context.Context, reader Reader) (Count, error) {
	return Count{}, plaza.ErrUnavailable
}
