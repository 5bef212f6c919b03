package message

import (
	"context"

	"github.com/plaza-sdk/plaza"
)

// Edit replaces the Text and Data of the message with the Conversation, Seq and Sender
// of m. Of two edits the one that was called last stands.
//
// Cost: …
func (r *Repository) Edit(ctx context.Context, m Message) (edited Message, changed bool, err error) {
	return Message{}, false, plaza.ErrUnavailable
}

// Recall takes a message back, which only its sender can. Its text is gone and its
// number stays.
//
// Cost: …
func (r *Repository) Recall(ctx context.Context, in In, seq int64) (changed bool, err error) {
	return false, plaza.ErrUnavailable
}
