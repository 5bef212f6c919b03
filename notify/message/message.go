package message

import (
	"cmp"
	"encoding/json"
	"time"
	"unicode/utf8"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/internal/jsontext"
	"github.com/plaza-sdk/plaza/internal/keys"
)

// Message is a message in a conversation. It has a Text, Data or both.
type Message struct {
	Conversation string          `json:"conversation"`
	Sender       string          `json:"sender"`
	Key          string          `json:"key"` // chosen by the sender's client; no other message of the sender has it, in any conversation; 1 to 256 bytes
	Text         string          `json:"text,omitzero"`
	Data         json.RawMessage `json:"data,omitempty"`
	ReplyTo      int64           `json:"replyTo,omitzero"` // the Seq of the message that this one answers; 0 if there is none

	// The rest is set by Send, Edit, Recall and React.
	Seq       int64               `json:"seq"` // 1 for the first message of its conversation
	ID        ids.ID              `json:"id"`  // unique; ID.Time is when it was sent
	Edited    time.Time           `json:"edited,omitzero"`
	Reactions map[string][]string `json:"reactions,omitempty"` // by kind, the users sorted by name
	Recalled  time.Time           `json:"recalled,omitzero"`   // zero if it was not; otherwise Text, Data, Key and Reactions are empty
}

// check refuses what Send cannot store.
func (r *Repository) check(m Message) error {
	return cmp.Or(
		In{m.Conversation, m.Sender}.check("Sender"),
		keys.CheckName("Key", m.Key),
		args.AtLeast("ReplyTo", m.ReplyTo, 0),
		r.checkContent(m),
	)
}

// checkContent refuses a text and data that Send and Edit cannot store.
func (r *Repository) checkContent(m Message) error {
	switch {
	case m.Text == "" && len(m.Data) == 0:
		return &plaza.InvalidError{Field: "Text", Reason: "is empty, and so is Data"}
	case !utf8.ValidString(m.Text):
		return &plaza.InvalidError{Field: "Text", Reason: "is not UTF-8"}
	}
	err := cmp.Or(
		args.Count("Text", utf8.RuneCountInString(m.Text), "runes", r.opts.MaxRunes),
		args.Count("Data", len(m.Data), "bytes", r.opts.MaxData),
	)
	if err == nil && len(m.Data) > 0 && !jsontext.Valid(m.Data) {
		err = &plaza.InvalidError{Field: "Data", Reason: "is not JSON in UTF-8"}
	}
	return err
}
