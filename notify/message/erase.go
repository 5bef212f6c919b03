package message

import (
	"context"

	"github.com/plaza-sdk/plaza"
)

// Erase deletes what a user said, and the user's inbox.
//
// Cost: …
func (r *Repository) Erase(ctx context.Context, user string) error { return plaza.ErrUnavailable }
