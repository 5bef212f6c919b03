package announce

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/jsontext"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
	"github.com/plaza-sdk/plaza/notify"
)

//go:generate rm -f row_gen.go
//go:generate go test -run TestTheCodeOfRowsIsGenerated -write

// row is A#audience#0 / id in the table of package notify: an announcement, or a mark that
// keeps one away. A mark has no title. The last part of the partition's key leaves room for
// replicas that share the reads.
type row struct {
	PK string `dynamo:"pk"`
	SK string `dynamo:"sk"`

	// Op is the write that put the announcement here.
	Op    ids.ID `dynamo:"op,omitempty"`
	Title string `dynamo:"title,omitempty"`
	Text  string `dynamo:"text,omitempty"`
	Refs  refs   `dynamo:"refs,omitempty"`
	Data  string `dynamo:"data,omitempty"`
	From  int64  `dynamo:"from,omitempty"`  // in ms; 0 is the id's time
	Until int64  `dynamo:"until,omitempty"` // in ms

	Withdrawn ids.ID `dynamo:"withdrawn,omitempty"` // the write that withdrew it
	Moved     ids.ID `dynamo:"moved,omitempty"`     // the id under which it is stored instead
	TTL       int64  `dynamo:"ttl"`

	Edit       store.Mark `dynamo:"edit,omitempty"` // of Edit
	EditBefore store.Mark `dynamo:"editBefore,omitempty"`

	id ids.ID
}

// partition is the first part of the partition keys of announcements.
const partition = "A"

func audiencePK(audience string) string { return keys.Join(partition, audience, "0") }

func rowKey(audience string, id ids.ID) store.Key {
	return store.Key{PK: audiencePK(audience), SK: id.String()}
}

func newRow(a notify.Announcement, op ids.ID) row {
	key := rowKey(a.Audience, a.ID)
	i := row{
		PK: key.PK, SK: key.SK, id: a.ID, Op: op,
		Title: a.Title, Text: a.Text, Refs: a.Refs, Data: string(a.Data),
		Until: a.Until.UnixMilli(), TTL: expiry(a.Until),
	}
	if !a.From.IsZero() {
		i.From = a.From.UnixMilli()
	}
	return i
}

// newMark leads from a's ID to the one under which a is stored instead. It stays until a's
// Until: later repeats are refused anyway.
func newMark(a notify.Announcement, moved ids.ID) row {
	key := rowKey(a.Audience, a.ID)
	return row{PK: key.PK, SK: key.SK, id: a.ID, Moved: moved, TTL: expiry(a.Until)}
}

func (i *row) lastEdit() store.Last {
	return store.Last{Mark: i.Edit, Before: i.EditBefore, Life: i.Op}
}

// expiry is the whole second at or after t.
func expiry(t time.Time) int64 { return t.Add(time.Second - 1).Unix() }

func (i row) announcement(audience string) notify.Announcement {
	a := notify.Announcement{
		ID: i.id, Audience: audience, Title: i.Title, Text: i.Text, Refs: i.Refs,
		From: i.id.Time(), Until: time.UnixMilli(i.Until).UTC(),
	}
	if i.Data != "" {
		a.Data = json.RawMessage(i.Data)
	}
	if i.From != 0 {
		a.From = time.UnixMilli(i.From).UTC()
	}
	if i.Edit.Call != 0 {
		a.Edited = i.Edit.Call.Time()
	}
	if i.Withdrawn != 0 {
		a.Withdrawn = i.Withdrawn.Time()
	}
	return a
}

// listed reports whether an editor's list shows the row.
func (i row) listed(now time.Time) bool { return i.Title != "" && now.UnixMilli() < i.Until }

// live reports whether readers may see the row, now or later.
func (i row) live(now time.Time) bool { return i.listed(now) && i.Withdrawn == 0 }

// refs are stored as a list of texts.
type refs []feed.Ref

// UnmarshalDynamo needs no reflection: a reading has many.
func (r *refs) UnmarshalDynamo(value types.AttributeValue) error {
	list, ok := value.(*types.AttributeValueMemberL)
	if !ok {
		return errRefs
	}
	*r = make(refs, len(list.Value))
	for i, value := range list.Value {
		text, ok := value.(*types.AttributeValueMemberS)
		if !ok {
			return errRefs
		}
		var err error
		if (*r)[i], err = feed.ParseRef(text.Value); err != nil {
			return err
		}
	}
	return nil
}

// store adds the item's key to these.
var (
	errRefs = errors.New("refs are not a list of texts")
	errKey  = errors.New("its sort key is no id")
	errMark = errors.New("it is neither an announcement nor a mark")
	errTime = errors.New("it has no end")
	errData = errors.New("data is not JSON")
)

// CheckItem sets the id too.
func (i *row) CheckItem() error {
	i.id, _ = ids.Parse(i.SK)
	switch {
	case i.id == 0:
		return errKey
	case (i.Title == "") != (i.Op == 0), i.Title == "" && i.Withdrawn == 0 && i.Moved == 0:
		return errMark
	case i.Title != "" && i.Until <= 0:
		return errTime
	case i.Data != "" && !jsontext.Valid([]byte(i.Data)):
		return errData
	}
	return nil
}
