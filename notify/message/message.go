package message

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Message is what a member of a conversation says.
type Message struct {
	Conversation string          `json:"conversation"`
	Sender       string          `json:"sender"`
	Key          string          `json:"key"` // made by the sender's client, unique among what it sends
	Text         string          `json:"text,omitzero"`
	Data         json.RawMessage `json:"data,omitempty"`
	ReplyTo      int64           `json:"replyTo,omitzero"` // the Seq of the message that this one answers

	// The rest is set by Send, Edit and Recall.
	Seq      int64     `json:"seq"` // 1 for the first message of its conversation
	ID       ids.ID    `json:"id"`  // unique, and has the time of sending
	Edited   time.Time `json:"edited,omitzero"`
	Recalled time.Time `json:"recalled,omitzero"` // then it has no Text, Data and Key
}

// check refuses what Send cannot store.
func (r *Repository) check(m Message) error {
	if err := (In{m.Conversation, m.Sender}).check("Sender"); err != nil {
		return err
	}
	if err := keys.CheckName("Key", m.Key); err != nil {
		return err
	}
	if m.ReplyTo < 0 {
		return &plaza.InvalidError{Field: "ReplyTo", Reason: fmt.Sprintf("is %d", m.ReplyTo)}
	}
	return r.checkContent(m)
}

// checkContent refuses a text and data that Send and Edit cannot store.
func (r *Repository) checkContent(m Message) error {
	runes := utf8.RuneCountInString(m.Text)
	switch {
	case m.Text == "" && len(m.Data) == 0:
		return &plaza.InvalidError{Field: "Text", Reason: "is empty, and so is Data"}
	case !utf8.ValidString(m.Text):
		return &plaza.InvalidError{Field: "Text", Reason: "is not UTF-8"}
	case runes > r.opts.MaxRunes:
		return &plaza.InvalidError{Field: "Text", Reason: fmt.Sprintf("has %d runes, at most %d are allowed", runes, r.opts.MaxRunes)}
	case len(m.Data) > r.opts.MaxData:
		return &plaza.InvalidError{Field: "Data", Reason: fmt.Sprintf("is %d bytes large, at most %d are allowed", len(m.Data), r.opts.MaxData)}
	case len(m.Data) > 0 && !(json.Valid(m.Data) && utf8.Valid(m.Data)):
		return &plaza.InvalidError{Field: "Data", Reason: "is not JSON in UTF-8"}
	}
	return nil
}

// item is a message as it is stored. A recalled one has no key, text and data; nor has
// one of a user who was erased, and no sender.
type item struct {
	PK      string `dynamo:"pk"`
	SK      string `dynamo:"sk"`
	ID      ids.ID `dynamo:"id"`
	Sender  string `dynamo:"sender,omitempty"`
	Key     string `dynamo:"key,omitempty"`
	Text    string `dynamo:"text,omitempty"`
	Data    string `dynamo:"data,omitempty"`
	ReplyTo int64  `dynamo:"replyTo,omitempty"`

	Edited   int64  `dynamo:"edited,omitempty"`   // Unix ms
	Edit     ids.ID `dynamo:"edit,omitempty"`     // orders edits
	Recalled int64  `dynamo:"recalled,omitempty"` // Unix ms
	Call     ids.ID `dynamo:"call,omitempty"`     // that edited or recalled it last

	seq int64
}

func newItem(m Message, seq int64) *item {
	key := messageKey(m.Conversation, seq)
	return &item{
		PK: key.PK, SK: key.SK, ID: m.ID, Sender: m.Sender, Key: m.Key,
		Text: m.Text, Data: string(m.Data), ReplyTo: m.ReplyTo,
	}
}

// UnmarshalDynamoItem refuses what no write of this package leaves.
func (i *item) UnmarshalDynamoItem(stored dynamo.Item) (err error) {
	if err := store.Fields(stored, i.attribute); err != nil {
		return err
	}
	i.seq, err = strconv.ParseInt(i.SK, 10, 64)
	switch {
	case err != nil || i.SK != seqSK(i.seq):
		return errors.New("sk is not the number of a message")
	case i.ID == 0:
		return errors.New("id is zero")
	case i.Recalled == 0 && i.Sender == "":
		return errors.New("it has no sender")
	case i.Data != "" && !json.Valid([]byte(i.Data)):
		return errors.New("data is not JSON")
	}
	return nil
}

func (i *item) attribute(name string) any {
	switch name {
	case "pk":
		return &i.PK
	case "sk":
		return &i.SK
	case "id":
		return &i.ID
	case "sender":
		return &i.Sender
	case "key":
		return &i.Key
	case "text":
		return &i.Text
	case "data":
		return &i.Data
	case "replyTo":
		return &i.ReplyTo
	case "edited":
		return &i.Edited
	case "edit":
		return &i.Edit
	case "recalled":
		return &i.Recalled
	case "call":
		return &i.Call
	}
	return nil
}

func (i *item) message(conversation string) Message {
	m := Message{
		Conversation: conversation, Sender: i.Sender, Key: i.Key, Text: i.Text, ReplyTo: i.ReplyTo,
		Seq: i.seq, ID: i.ID, Edited: at(i.Edited), Recalled: at(i.Recalled),
	}
	if i.Data != "" {
		m.Data = json.RawMessage(i.Data)
	}
	return m
}

// at is the time of Unix milliseconds, zero for none.
func at(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

// message reads a message, which must be there.
func (r *Repository) message(ctx context.Context, conversation string, seq int64) (Message, error) {
	var found item
	key := messageKey(conversation, seq)
	err := r.table.Get(ctx, key, true, &found)
	if errors.Is(err, plaza.ErrNotFound) {
		return Message{}, r.table.Corrupt(key, "is missing")
	}
	return found.message(conversation), err
}
