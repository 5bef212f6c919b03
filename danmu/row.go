package danmu

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/jsontext"
	"github.com/plaza-sdk/plaza/internal/store"
)

// row is D#object#segment#shard / id: a comment, or the tombstone of one.
// Defaults are not stored.
type row struct {
	PK        string `dynamo:"pk"`
	ID        ID     `dynamo:"sk"`
	User      string `dynamo:"userId,omitempty"`
	Sent      ids.ID `dynamo:"sent,omitempty"` // an id of the call; imports without a User have none
	Text      string `dynamo:"text,omitempty"`
	Mode      Mode   `dynamo:"mode,omitempty"`
	Color     Color  `dynamo:"color,omitempty"`
	Size      int    `dynamo:"size,omitempty"`
	Pool      int    `dynamo:"pool,omitempty"`
	Weight    int    `dynamo:"weight,omitempty"`
	Likes     int64  `dynamo:"likes,omitempty"`
	Reports   int64  `dynamo:"reports,omitempty"`
	Protected bool   `dynamo:"protected,omitempty"`
	State     string `dynamo:"state,omitempty"`  // of a tombstone
	Key       string `dynamo:"key,omitempty"`    // of an imported comment
	SentMs    int64  `dynamo:"sentMs,omitempty"` // when an imported comment was sent, by its file
	Extra     string `dynamo:"extra,omitempty"`

	Protect store.Mark `dynamo:"protect,omitempty"` // the last Protect or Unprotect
	End     store.Mark `dynamo:"end,omitempty"`     // the call that left the tombstone; none came before
}

func newRow(c Comment, p place, sent ids.ID) row {
	return row{
		PK: p.pk(), ID: c.ID, User: c.User, Sent: sent,
		Text: c.Text, Mode: c.Mode, Color: c.Color, Size: c.Size,
		Pool: c.Pool, Weight: c.Weight, Extra: string(c.Extra),
	}
}

func (i *row) gone() bool { return i.State != "" }

func (i *row) lastEnd() store.Last { return store.Last{Mark: i.End} }

func (i *row) comment(object string) Comment {
	c := Comment{
		Object: object, ID: i.ID, Key: i.Key, User: i.User, Progress: i.ID.Progress(),
		Text: i.Text, Mode: i.Mode, Color: i.Color, Size: i.Size, Pool: i.Pool, Weight: i.Weight,
		Likes: i.Likes, Reports: i.Reports, Protected: i.Protected,
	}
	switch {
	case i.SentMs != 0:
		c.Sent = time.UnixMilli(i.SentMs).UTC()
	case i.Sent.Time() != ids.ID(0).Time(): // otherwise imported from a file without times
		c.Sent = i.Sent.Time()
	}
	if i.Extra != "" {
		c.Extra = json.RawMessage(i.Extra)
	}
	return c
}

// same reports whether both rows are the same comment, sent twice.
func (i *row) same(other *row) bool {
	return i.ID == other.ID && i.User == other.User && i.Text == other.Text && i.Mode == other.Mode &&
		i.Color == other.Color && i.Size == other.Size && i.Pool == other.Pool && i.Weight == other.Weight && i.Extra == other.Extra
}

// join makes one row of two copies in different shards. Two sends may leave copies while
// the shards grow. Each copy has its own counts.
func (i row) join(other row) row {
	if other.gone() && !i.gone() || other.gone() == i.gone() && other.Sent < i.Sent {
		i, other = other, i
	}
	i.Likes += other.Likes
	i.Reports += other.Reports
	i.Protected = i.Protected || other.Protected
	return i
}

// UnmarshalDynamoItem works without reflection, because an episode has ten thousand rows.
func (i *row) UnmarshalDynamoItem(item dynamo.Item) (err error) {
	for name, value := range item {
		switch v := value.(type) {
		case *types.AttributeValueMemberS:
			err = i.setText(name, v.Value)
		case *types.AttributeValueMemberN:
			err = i.setNumber(name, v.Value)
		case *types.AttributeValueMemberBOOL:
			err = i.setBool(name, v.Value)
		default:
			err = i.wrongType(name)
		}
		if err != nil {
			return fmt.Errorf("danmu: attribute %s: %w", name, err)
		}
	}
	if i.Text == "" && !i.gone() {
		return errors.New("danmu: attribute text: is missing")
	}
	if i.Extra != "" && !jsontext.Valid([]byte(i.Extra)) {
		return errors.New("danmu: attribute extra: is not JSON")
	}
	return nil
}

// wrongType refuses a known attribute of another type. It ignores attributes of
// later versions.
func (i *row) wrongType(name string) error {
	switch name {
	case "pk", "sk", "userId", "sent", "text", "state", "key", "extra", protectOp, "end",
		"mode", "color", "size", "pool", "weight", "likes", "reports", "sentMs", "protected":
		return errors.New("has another type")
	}
	return nil
}

func (i *row) setBool(name string, value bool) error {
	if name != "protected" {
		return i.wrongType(name)
	}
	i.Protected = value
	return nil
}

func (i *row) setText(name, value string) (err error) {
	switch name {
	case "pk":
		i.PK = value
	case "sk":
		i.ID, err = ParseID(value)
	case "userId":
		i.User = value
	case "sent":
		i.Sent, err = ids.Parse(value)
	case "text":
		i.Text = value
	case "state":
		i.State = value
	case "key":
		i.Key = value
	case "extra":
		i.Extra = value
	case protectOp:
		err = i.Protect.UnmarshalText([]byte(value))
	case "end":
		err = i.End.UnmarshalText([]byte(value))
	default:
		err = i.wrongType(name)
	}
	return err
}

func (i *row) setNumber(name, value string) error {
	n, err := strconv.ParseInt(value, 10, 64)
	switch name {
	case "sentMs":
		if year := time.UnixMilli(n).UTC().Year(); year < 1 || year > 9999 {
			return errors.New("is not a time")
		}
		i.SentMs = n
	case "mode":
		i.Mode = Mode(n)
	case "color":
		i.Color = Color(n)
	case "size":
		i.Size = int(n)
	case "pool":
		i.Pool = int(n)
	case "weight":
		i.Weight = int(n)
	case "likes":
		i.Likes = n
	case "reports":
		i.Reports = n
	default:
		return i.wrongType(name)
	}
	return err
}
