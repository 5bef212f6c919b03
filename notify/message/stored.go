package message

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/store"
)

// stored is a message as it is stored. A recalled one has lost its text, data and key,
// and one whose sender was erased its sender too.
type stored struct {
	PK string `dynamo:"pk"`
	SK string `dynamo:"sk"`

	ID       ids.ID `dynamo:"id"`
	Sender   string `dynamo:"sender,omitempty"`
	Key      string `dynamo:"key,omitempty"`
	Text     string `dynamo:"text,omitempty"`
	Data     string `dynamo:"data,omitempty"`
	ReplyTo  int64  `dynamo:"replyTo,omitempty"`
	Edit     ids.ID `dynamo:"edit,omitempty"`     // of the newest edit
	Recalled ids.ID `dynamo:"recalled,omitempty"` // of the call that recalled it

	conversation string // of its key
	seq          int64
}

// UnmarshalDynamoItem refuses messages that cannot be shown.
func (s *stored) UnmarshalDynamoItem(item dynamo.Item) error {
	if err := store.Fields(item, s.field); err != nil {
		return err
	}
	var ok bool
	if s.conversation, s.seq, ok = parseMessageKey(store.Key{PK: s.PK, SK: s.SK}); !ok {
		return errors.New("no message has its key")
	}
	switch {
	case s.ID == 0:
		return errors.New("it has no id")
	case s.Recalled == 0 && s.Sender == "":
		return errors.New("it has no sender")
	case s.Recalled == 0 && s.Text == "" && s.Data == "":
		return errors.New("it says nothing")
	case s.Data != "" && !json.Valid([]byte(s.Data)):
		return errors.New("its data are not JSON")
	case s.ReplyTo < 0 || s.ReplyTo >= s.seq:
		return errors.New("it answers a later message")
	}
	return nil
}

func (s *stored) field(name string) any {
	switch name {
	case "pk":
		return &s.PK
	case "sk":
		return &s.SK
	case "id":
		return &s.ID
	case "sender":
		return &s.Sender
	case "key":
		return &s.Key
	case "text":
		return &s.Text
	case "data":
		return &s.Data
	case "replyTo":
		return &s.ReplyTo
	case "edit":
		return &s.Edit
	case "recalled":
		return &s.Recalled
	}
	return nil
}

// message is what readers get.
func (s *stored) message() Message {
	m := Message{
		Conversation: s.conversation, Sender: s.Sender, Key: s.Key,
		Text: s.Text, ReplyTo: s.ReplyTo, Seq: s.seq, ID: s.ID,
	}
	if s.Data != "" {
		m.Data = json.RawMessage(s.Data)
	}
	if s.Edit != 0 {
		m.Edited = s.Edit.Time()
	}
	if s.Recalled != 0 {
		m.Recalled = s.Recalled.Time()
		m.Text, m.Data, m.Key = "", nil, ""
	}
	return m
}

// parseMessageKey undoes messageKey.
func parseMessageKey(key store.Key) (conversation string, seq int64, ok bool) {
	seq, err := strconv.ParseInt(key.SK, 10, 64)
	conversation, found := strings.CutPrefix(key.PK, conversationPrefix)
	at := strings.LastIndexByte(conversation, '#')
	if err != nil || seq < 1 || !found || at < 0 {
		return "", 0, false
	}
	conversation = conversation[:at]
	return conversation, seq, messageKey(conversation, seq) == key
}
