package notify

import (
	"context"

	"github.com/plaza-sdk/plaza/ids"

	"github.com/plaza-sdk/plaza"
)

// See returns what a list showed. Entries of several pages may be joined.
func See(entries []Entry) View { return View{} }

// MarkSeen marks what a view covers as seen.
func (r *Repository) MarkSeen(ctx context.Context, user string, view View) error {
	return plaza.ErrUnavailable
}

// MarkAllRead marks what a view covers as read.
func (r *Repository) MarkAllRead(ctx context.Context, user string, view View) error {
	return plaza.ErrUnavailable
}

// MarkRead marks groups as read, as they were shown.
func (r *Repository) MarkRead(ctx context.Context, user string, shown []Shown) error {
	return plaza.ErrUnavailable
}

// MarkUnread marks a group as unread.
func (r *Repository) MarkUnread(ctx context.Context, in In) (changed bool, err error) {
	return false, plaza.ErrUnavailable
}

// Dismiss hides an announcement from a user.
func (r *Repository) Dismiss(ctx context.Context, user string, announcement ids.ID) error {
	return plaza.ErrUnavailable
}
