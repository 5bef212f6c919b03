package message

import (
	"context"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
)

// Entry is a conversation in a user's inbox.
type Entry struct {
	Conversation string  `json:"conversation"`
	Other        string  `json:"other,omitzero"` // the other one of a pair
	Last         Message `json:"last,omitzero"`  // without Seq if there is none to show
	Unread       int64   `json:"unread"`         // messages of others
	Read         int64   `json:"read"`           // the Seq up to which the user has read
}

// Count is what is unread in an inbox.
type Count struct {
	Conversations int   `json:"conversations"`
	Messages      int64 `json:"messages"`
	More          bool  `json:"more,omitzero"` // older conversations were not counted
}

// Inbox lists a user's conversations, the one with the newest message first.
//
// Cost: …
func (r *Repository) Inbox(ctx context.Context, user string, req cursor.PageRequest) (cursor.Page[Entry], error) {
	return cursor.Page[Entry]{}, plaza.ErrUnavailable
}

// Unread counts what is unread in the newest 400 conversations of a user.
//
// Cost: …
func (r *Repository) Unread(ctx context.Context, user string) (Count, error) {
	return Count{}, plaza.ErrUnavailable
}
