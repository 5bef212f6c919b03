package message

import (
	"context"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
)

// History lists the messages that are a user's to read, newest first.
//
// Cost: …
func (r *Repository) History(ctx context.Context, in In, req cursor.PageRequest) (cursor.Page[Message], error) {
	return cursor.Page[Message]{}, plaza.ErrUnavailable
}

// Clear hides the messages so far from this user, and no other.
//
// Cost: …
func (r *Repository) Clear(ctx context.Context, in In) error { return plaza.ErrUnavailable }
