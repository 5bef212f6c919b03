package notify

import (
	"context"

	"github.com/plaza-sdk/plaza"
)

// Erase deletes what the table has of a user.
func (r *Repository) Erase(ctx context.Context, user string) error {
	return plaza.ErrUnavailable
}
