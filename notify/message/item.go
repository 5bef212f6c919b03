package message

import (
	"encoding/json"
	"errors"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/jsontext"
	"github.com/plaza-sdk/plaza/internal/store"
)

//go:generate rm -f item_gen.go
//go:generate go test -run TestTheCodeOfItemsIsGenerated/item -write

// item is a message as it is stored. A recalled message has no text and data. If its
// user was erased, it has no key and sender either.
type item struct {
	PK      string `dynamo:"pk"`
	SK      string `dynamo:"sk"`
	ID      ids.ID `dynamo:"id"`
	Sender  string `dynamo:"sender,omitempty"`
	Key     string `dynamo:"key,omitempty"`
	Text    string `dynamo:"text,omitempty" role:"content"`
	Data    string `dynamo:"data,omitempty" role:"content"`
	ReplyTo int64  `dynamo:"replyTo,omitempty"`

	Reactions reactions `dynamo:"reactions,omitempty" role:"content"`

	Edited     int64      `dynamo:"edited,omitempty" role:"cleared"` // Unix ms
	Edit       store.Mark `dynamo:"edit,omitempty"`                  // of the last Edit
	EditBefore store.Mark `dynamo:"editBefore,omitempty"`
	Recalled   int64      `dynamo:"recalled,omitempty" role:"removal"` // Unix ms
	Recall     ids.ID     `dynamo:"recall,omitempty"`                  // the call that recalled it

	seq int64
}

// newItem is a message as Send stores it. It is built without the driver's reflection, as
// is its guard.
func newItem(m Message, seq int64) dynamo.Item {
	key := messageKey(m.Conversation, seq)
	i := dynamo.Item{
		"pk": text(key.PK), "sk": text(key.SK), "id": text(m.ID.String()), "sender": text(m.Sender), "key": text(m.Key),
	}
	if m.Text != "" {
		i["text"] = text(m.Text)
	}
	if len(m.Data) > 0 {
		i["data"] = text(string(m.Data))
	}
	if m.ReplyTo > 0 {
		i["replyTo"] = number(m.ReplyTo)
	}
	return i
}

func text(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

func number(n int64) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatInt(n, 10)}
}

// CheckItem refuses what no write of this package leaves.
func (i *item) CheckItem() error {
	var ok bool
	i.seq, ok = parseSeqSK(i.SK)
	switch {
	case !ok:
		return errors.New("sk is not the number of a message")
	case i.ID == 0:
		return errors.New("id is zero")
	case i.Recalled == 0 && i.Sender == "":
		return errors.New("it has no sender")
	case i.Recalled == 0 && i.Text == "" && i.Data == "":
		return errors.New("it has no text and no data")
	case i.Data != "" && !jsontext.Valid([]byte(i.Data)):
		return errors.New("data is not JSON")
	case i.ReplyTo < 0 || i.ReplyTo >= i.seq:
		return errors.New("replyTo is not an earlier message")
	case !isTime(i.Edited) || !isTime(i.Recalled):
		return errors.New("edited or recalled is not a time")
	}
	return nil
}

func (i *item) lastEdit() store.Last { return store.Last{Mark: i.Edit, Before: i.EditBefore} }

func (i *item) message(conversation string) Message {
	m := Message{
		Conversation: conversation, Sender: i.Sender, Text: i.Text, ReplyTo: i.ReplyTo,
		Seq: i.seq, ID: i.ID, Edited: at(i.Edited), Recalled: at(i.Recalled),
	}
	if i.Recalled == 0 {
		m.Key = i.Key // a recalled item keeps its key for Erase
	}
	m.Reactions = i.Reactions.byKind()
	if i.Data != "" {
		m.Data = json.RawMessage(i.Data)
	}
	return m
}

// at converts Unix milliseconds to a time, 0 to the zero time.
func at(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

// isTime reports whether JSON can hold the time.
func isTime(ms int64) bool { return ms >= 0 && time.UnixMilli(ms).UTC().Year() <= 9999 }
