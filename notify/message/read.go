package message

import (
	"context"

	"github.com/plaza-sdk/plaza"
)

// Read marks a conversation as read up to a number. A lower number than before changes
// nothing.
//
// Cost: …
func (r *Repository) Read(ctx context.Context, in In, upTo int64) error {
	return plaza.ErrUnavailable
}

// Receipts returns the number up to which each member has read.
//
// Cost: …
func (r *Repository) Receipts(ctx context.Context, in In) (map[string]int64, error) {
	return nil, plaza.ErrUnavailable
}
