package danmu

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/jsontext"
	"github.com/plaza-sdk/plaza/internal/store"
)

//go:generate rm -f item_gen.go
//go:generate go test -run TestTheCodeOfItemsIsGenerated -write

// commentItem is D#object#segment#shard / id: a comment, or the tombstone of one.
// Defaults are not stored.
type commentItem struct {
	PK        string `dynamo:"pk"`
	ID        ID     `dynamo:"sk" role:"identity"`
	User      string `dynamo:"userId,omitempty" role:"content"`
	Sent      ids.ID `dynamo:"sent,omitempty" role:"cleared"` // an id of the call; imports without a User have none
	Text      string `dynamo:"text,omitempty" role:"content"`
	Mode      Mode   `dynamo:"mode,omitempty" role:"content"`
	Color     Color  `dynamo:"color,omitempty" role:"content"`
	Size      int    `dynamo:"size,omitempty" role:"content"`
	Pool      int    `dynamo:"pool,omitempty" role:"content"`
	Weight    int    `dynamo:"weight,omitempty" role:"content"`
	Likes     int64  `dynamo:"likes,omitempty" role:"counter"`
	Reports   int64  `dynamo:"reports,omitempty" role:"counter"`
	Protected bool   `dynamo:"protected,omitempty" role:"cleared"`
	State     string `dynamo:"state,omitempty" role:"removal"`  // of a tombstone
	Key       string `dynamo:"key,omitempty" role:"cleared"`    // of an imported comment
	SentMs    int64  `dynamo:"sentMs,omitempty" role:"cleared"` // when an imported comment was sent, by its file
	Extra     string `dynamo:"extra,omitempty" role:"content"`

	Protect store.Mark `dynamo:"protect,omitempty" role:"cleared"` // the last Protect or Unprotect
	End     store.Mark `dynamo:"end,omitempty"`                    // the call that left the tombstone
}

func newItem(c Comment, p place, sent ids.ID) commentItem {
	return commentItem{
		PK: p.pk(), ID: c.ID, User: c.User, Sent: sent,
		Text: c.Text, Mode: c.Mode, Color: c.Color, Size: c.Size,
		Pool: c.Pool, Weight: c.Weight, Extra: string(c.Extra),
	}
}

func (i *commentItem) gone() bool { return i.State != "" }

func (i *commentItem) lastEnd() store.Last { return store.Last{Mark: i.End, Life: i.Sent} }

func (i *commentItem) comment(object string) Comment {
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

// join makes one item of two copies in different shards. Two sends may leave copies while
// the shards grow. Each copy has its own counts.
func (i commentItem) join(other commentItem) commentItem {
	if other.gone() && !i.gone() || other.gone() == i.gone() && other.Sent < i.Sent {
		i, other = other, i
	}
	i.Likes += other.Likes
	i.Reports += other.Reports
	i.Protected = i.Protected || other.Protected
	return i
}

// CheckItem refuses what no write of this package leaves.
func (i *commentItem) CheckItem() error {
	const first, last = -62135596800000, 253402300799999 // of the years 1 to 9999
	switch {
	case i.Text == "" && !i.gone():
		return errors.New("attribute text: is missing")
	case i.Extra != "" && !jsontext.Valid([]byte(i.Extra)):
		return errors.New("attribute extra: is not JSON")
	case i.SentMs < first || i.SentMs > last:
		return errors.New("attribute sentMs: is not a time")
	}
	return nil
}
