package message

import (
	"context"

	"github.com/plaza-sdk/plaza"
)

// Send stores a message under the next number of its conversation, and moves the
// conversation to the top of its members' inboxes. A repeat returns the first answer, or
// what became of the message since. The same Key with another content is
// plaza.ErrConflict.
//
// Cost: 1 + m requests, 6 + 3m WCU for m members; …
func (r *Repository) Send(ctx context.Context, m Message) (sent Message, created bool, err error) {
	return Message{}, false, plaza.ErrUnavailable
}
