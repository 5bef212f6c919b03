package feed

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
	"github.com/plaza-sdk/plaza/internal/work"
)

// Table is the schema of the table name.
func Table(name string) *dynamodb.CreateTableInput { return store.Schema(name) }

// TTL turns on the expiry of home entries and tombstones.
func TTL(name string) *dynamodb.UpdateTimeToLiveInput { return store.TTL(name) }

func feature() store.Feature {
	return store.Feature{Name: "feed", Format: 1, Schema: Table, Expires: true}
}

// activityItem is O#owner / id: an activity, its tombstone once Removed, or, in
// an outbox that it was addressed to, a reference to the one in Owner's.
type activityItem struct {
	PK        string    `dynamo:"pk"`
	ID        ids.ID    `dynamo:"sk"`
	Actor     Ref       `dynamo:"actor,omitempty"`
	Verb      string    `dynamo:"verb,omitempty"`
	Object    Ref       `dynamo:"object,omitempty"`
	Target    Ref       `dynamo:"target,omitempty"`
	ForeignID string    `dynamo:"foreignId,omitempty"`
	Time      time.Time `dynamo:"time,omitempty"` // absent where it is the id's
	Data      string    `dynamo:"data,omitempty"`
	Hash      []byte    `dynamo:"hash,omitempty"` // of what was published
	To        []string  `dynamo:"to,omitempty"`
	Removed   ids.ID    `dynamo:"removed,omitempty"`
	Edited    ids.ID    `dynamo:"edited,omitempty"` // the last edit, and the one before it
	EditedOld ids.ID    `dynamo:"editedOld,omitempty"`
	Owner     string    `dynamo:"owner,omitempty"`
	TTL       int64     `dynamo:"ttl,omitempty"`
}

func newActivityItem(a Activity) activityItem {
	item := activityItem{
		PK: outboxPK(a.Owner), ID: a.ID,
		Actor: a.Actor, Verb: a.Verb, Object: a.Object, Target: a.Target, ForeignID: a.ForeignID,
		Data: string(a.Data), Hash: a.hash(), To: a.To,
	}
	if !a.Time.Equal(a.ID.Time()) {
		item.Time = a.Time
	}
	return item
}

// UnmarshalDynamoItem refuses what no write of this package leaves.
func (i *activityItem) UnmarshalDynamoItem(item dynamo.Item) error {
	if err := store.Fields(item, i.attribute); err != nil {
		return err
	}
	switch {
	case i.ID == 0:
		return errors.New("id is zero")
	case i.Owner != "":
		return keys.CheckName("owner", i.Owner)
	}
	if err := checkTo(i.To); err != nil {
		return err
	}
	switch {
	case i.Removed != 0:
		return nil
	case i.Verb == "" || i.Actor.ID == "":
		return errors.New("lacks its verb or its actor")
	case i.Data != "" && !json.Valid([]byte(i.Data)):
		return errors.New("data is not JSON")
	}
	return nil
}

func (i *activityItem) attribute(name string) any {
	switch name {
	case "pk":
		return &i.PK
	case "sk":
		return &i.ID
	case "actor":
		return &i.Actor
	case "verb":
		return &i.Verb
	case "object":
		return &i.Object
	case "target":
		return &i.Target
	case "foreignId":
		return &i.ForeignID
	case "time":
		return &i.Time
	case "data":
		return &i.Data
	case "hash":
		return &i.Hash
	case "to":
		return &i.To
	case "removed":
		return &i.Removed
	case "edited":
		return &i.Edited
	case "editedOld":
		return &i.EditedOld
	case "owner":
		return &i.Owner
	case "ttl":
		return &i.TTL
	}
	return nil
}

// owner is in whose outbox the item lies.
func (i activityItem) owner() string {
	parts := keys.Split(i.PK)
	return parts[len(parts)-1]
}

func (i activityItem) activity() Activity {
	a := Activity{
		ID: i.ID, Owner: i.owner(), Actor: i.Actor, Verb: i.Verb, Object: i.Object, Target: i.Target, ForeignID: i.ForeignID, Time: i.Time, To: i.To,
	}
	if i.Time.IsZero() {
		a.Time = i.ID.Time()
	}
	if i.Data != "" {
		a.Data = []byte(i.Data)
	}
	return a
}

func outboxPK(owner string) string { return keys.Join("O", owner) }

func activityKey(owner string, id ids.ID) store.Key {
	return store.Key{PK: outboxPK(owner), SK: id.String()}
}

// foreignItem is X#owner / foreignId: which activity has the foreign id.
type foreignItem struct {
	PK string `dynamo:"pk"`
	SK string `dynamo:"sk"`
	ID ids.ID `dynamo:"id"`
}

func foreignKey(owner, foreignID string) store.Key {
	return store.Key{PK: keys.Join("X", owner), SK: foreignID}
}

// UnmarshalDynamoItem refuses a guard of nothing.
func (i *foreignItem) UnmarshalDynamoItem(item dynamo.Item) error {
	type plain foreignItem
	if err := dynamo.UnmarshalItem(item, (*plain)(i)); err != nil {
		return err
	}
	return keys.CheckID("id", i.ID)
}

// entryItem is H#reader / id#owner#edge: the activity id of owner came to
// reader by the follow edge.
type entryItem struct {
	PK     string   `dynamo:"pk"`
	Key    entryKey `dynamo:"sk"`
	Source string   `dynamo:"source,omitempty"` // whom the reader follows, where that is not the owner
	About  string   `dynamo:"about,omitempty"`  // what it repeats, a Ref's text
	TTL    int64    `dynamo:"ttl"`
}

// UnmarshalDynamoItem refuses an entry that would never expire.
func (e *entryItem) UnmarshalDynamoItem(item dynamo.Item) error {
	if err := store.Fields(item, e.attribute); err != nil {
		return err
	}
	if e.TTL <= 0 {
		return errors.New("has no ttl")
	}
	return nil
}

func (e *entryItem) attribute(name string) any {
	switch name {
	case "pk":
		return &e.PK
	case "sk":
		return &e.Key
	case "source":
		return &e.Source
	case "about":
		return &e.About
	case "ttl":
		return &e.TTL
	}
	return nil
}

func (e entryItem) source() string { return cmp.Or(e.Source, e.Key.Owner) }

// entryKey sorts a home by activity, then by whose it is, then by edge. The
// entries of one activity of one owner are a range: their row.
type entryKey struct {
	CacheKey // what the entry refers to
	edge     ids.ID
}

func (k entryKey) String() string { return keys.Join(k.ID.String(), k.Owner, k.edge.String()) }

func (k entryKey) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

func (k *entryKey) UnmarshalText(text []byte) (err error) {
	*k, err = parseEntryKey(string(text))
	return err
}

func parseEntryKey(text string) (k entryKey, err error) {
	parts := keys.Split(text)
	if len(parts) != 3 {
		return k, fmt.Errorf("has %d parts", len(parts))
	}
	if k.CacheKey, err = parseRow(parts[:2]); err != nil {
		return k, err
	}
	if k.edge, err = ids.Parse(parts[2]); err != nil {
		return k, err
	}
	if k.String() != text {
		return k, errors.New("is escaped in another way")
	}
	return k, nil
}

func parseRow(parts []string) (row CacheKey, err error) {
	if row.ID, err = ids.Parse(parts[0]); err != nil {
		return row, err
	}
	row.Owner = parts[1]
	return row, errors.Join(keys.CheckID("id", row.ID), keys.CheckName("owner", row.Owner))
}

// belowRow and aboveRow are the gaps on the two sides of a row.
func belowRow(row CacheKey) string { return keys.Join(row.ID.String(), row.Owner, "") }
func aboveRow(row CacheKey) string { return keys.Join(row.ID.String(), row.Owner) + "$" }

// afterEntry makes of an entry's key the gap above the entry.
const afterEntry = "\x00"

// insideRow is the row that a gap beside an entry lies in.
func insideRow(gap string) (row CacheKey, ok bool) {
	k, err := parseEntryKey(strings.TrimSuffix(gap, afterEntry))
	return k.CacheKey, err == nil
}

// validGap recognizes the gaps of a home: beside an entry, beside a row, or below
// all that have an id.
func validGap(gap string) bool {
	if _, ok := insideRow(gap); ok {
		return true
	}
	if id, err := ids.Parse(gap); err == nil {
		return id != 0
	}
	parts := keys.Split(gap[:max(len(gap)-1, 0)]) // without its '#' or '$'
	if len(parts) != 2 {
		return false
	}
	row, err := parseRow(parts)
	return err == nil && (gap == belowRow(row) || gap == aboveRow(row))
}

func homePK(reader string) string { return keys.Join("H", reader) }

const (
	headerSK = "~" // above every entry
	aboveIDs = "9" // above every id and below the header; no item stands there
)

func headerKey(reader string) store.Key { return store.Key{PK: homePK(reader), SK: headerSK} }

// deliveryJob is a job of the delivery queue.
type deliveryJob = work.Job[jobItem]

// jobItem is J#shard / id#owner: an activity that still has followers to reach.
type jobItem struct {
	Key    jobKey   `dynamo:"sk"`
	To     []string `dynamo:"to,omitempty"`
	About  string   `dynamo:"about,omitempty"`
	At     int      `dynamo:"at,omitempty"`     // whose followers it is at: 0 the owner's, then To's
	Cursor string   `dynamo:"cursor,omitempty"` // of the walk over these
}

// UnmarshalDynamoItem refuses what cannot be delivered.
func (j *jobItem) UnmarshalDynamoItem(item dynamo.Item) error {
	type plain jobItem
	if err := dynamo.UnmarshalItem(item, (*plain)(j)); err != nil {
		return err
	}
	if j.At < 0 {
		return fmt.Errorf("at is %d", j.At)
	}
	return checkTo(j.To)
}

// jobKey sorts jobs by activity.
type jobKey struct{ CacheKey }

func (k jobKey) String() string { return keys.Join(k.ID.String(), k.Owner) }

func (k jobKey) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

func (k *jobKey) UnmarshalText(text []byte) (err error) {
	parts := keys.Split(string(text))
	if len(parts) != 2 {
		return fmt.Errorf("has %d parts", len(parts))
	}
	if k.CacheKey, err = parseRow(parts); err == nil && k.String() != string(text) {
		err = errors.New("is escaped in another way")
	}
	return err
}

func jobPK(shard int) string { return keys.Join("J", strconv.Itoa(shard)) }

// jobShardsKey is of the item that says over how many shards jobs are spread.
var jobShardsKey = store.Key{PK: keys.Join("J"), SK: "shards"}
