package feed

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/jsontext"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
	"github.com/plaza-sdk/plaza/internal/work"
)

// Table returns the schema of a table with that name.
func Table(name string) *dynamodb.CreateTableInput { return store.Schema(name) }

// TTL returns the request that turns on expiry, of home entries and tombstones.
func TTL(name string) *dynamodb.UpdateTimeToLiveInput { return store.TTL(name) }

func feature() store.Feature {
	return store.Feature{Name: "feed", Format: 1, Schema: Table, Expires: true}
}

//go:generate rm -f activity_gen.go entry_gen.go pulled_gen.go
//go:generate go test -run TestTheCodeOfRowsIsGenerated -write

// activityItem is O#owner / id: an activity, a tombstone if it was Removed, or
// a reference, in an outbox of To, to the activity in Owner's outbox.
type activityItem struct {
	PK         string     `dynamo:"pk"`
	ID         ids.ID     `dynamo:"sk"`
	Actor      Ref        `dynamo:"actor,omitempty" role:"content"`
	Verb       string     `dynamo:"verb,omitempty" role:"content"`
	Object     Ref        `dynamo:"object,omitempty" role:"content"`
	Target     Ref        `dynamo:"target,omitempty" role:"content"`
	ForeignID  string     `dynamo:"foreignId,omitempty"`
	Time       time.Time  `dynamo:"time,omitempty" role:"content"` // absent if it is the id's
	Data       string     `dynamo:"data,omitempty" role:"content"`
	Hash       []byte     `dynamo:"hash,omitempty"` // of what was published
	To         []string   `dynamo:"to,omitempty"`
	Removed    ids.ID     `dynamo:"removed,omitempty" role:"removal"` // by this call
	Edit       store.Mark `dynamo:"edit,omitempty"`                   // the first is Publish, the last may be Remove
	EditBefore store.Mark `dynamo:"editBefore,omitempty"`
	Owner      string     `dynamo:"owner,omitempty"`
	About      string     `dynamo:"about,omitempty"` // a Ref's text, as in entries
	TTL        int64      `dynamo:"ttl,omitempty"`
}

func (i *activityItem) lastEdit() store.Last { return store.Last{Mark: i.Edit, Before: i.EditBefore} }

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

// CheckItem refuses what no write of this package leaves.
func (i *activityItem) CheckItem() error {
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
	case i.Data != "" && !jsontext.Valid([]byte(i.Data)):
		return errors.New("data is not JSON")
	}
	return nil
}

// owner is the owner of the item's outbox.
func (i activityItem) owner() string {
	parts := keys.Split(i.PK)
	return parts[len(parts)-1]
}

func (i activityItem) activity() Activity { return i.activityOf(i.owner()) }

// activityOf is activity for a reader that knows the owner.
func (i *activityItem) activityOf(owner string) Activity {
	a := Activity{
		ID: i.ID, Owner: owner, Actor: i.Actor, Verb: i.Verb, Object: i.Object, Target: i.Target, ForeignID: i.ForeignID, Time: i.Time, To: i.To,
	}
	if i.Time.IsZero() {
		a.Time = i.ID.Time()
	}
	if i.Data != "" {
		a.Data = []byte(i.Data)
	}
	return a
}

// pulledItem is an activityItem without its content.
type pulledItem struct {
	ID      ids.ID `dynamo:"sk"`
	Owner   string `dynamo:"owner"`
	About   string `dynamo:"about"`
	Removed ids.ID `dynamo:"removed"`
}

// CheckItem refuses one that names no activity.
func (i *pulledItem) CheckItem() error {
	if err := keys.CheckID("id", i.ID); err != nil || i.Owner == "" {
		return err
	}
	return keys.CheckName("owner", i.Owner)
}

func pulledAttributes() []string { return []string{"pk", "sk", "owner", "about", "removed"} }

// outbox is the first part of the partition keys of activities.
const outbox = "O"

func outboxPK(owner string) string { return keys.Join(outbox, owner) }

// sourceItem is O#owner / ~: how the owner's activities reach homes. A source
// without one is Pushed.
type sourceItem struct {
	PK           string     `dynamo:"pk"`
	SK           string     `dynamo:"sk"`
	Mode         Mode       `dynamo:"mode"`
	At           ids.ID     `dynamo:"at,omitempty"`     // the last switch; it only rises
	Switch       store.Mark `dynamo:"switch,omitempty"` // by SetPulled; workers that change the mode leave it
	SwitchBefore store.Mark `dynamo:"switchBefore,omitempty"`
}

func (i *sourceItem) lastSwitch() store.Last {
	return store.Last{Mark: i.Switch, Before: i.SwitchBefore}
}

// CheckItem refuses an unknown mode.
func (i *sourceItem) CheckItem() error {
	switch i.Mode {
	case Pushed: // perhaps never switched
		return nil
	case Opening, Pulled, Closing:
		return keys.CheckID("at", i.At)
	}
	return fmt.Errorf("mode is %q", i.Mode)
}

func sourceKey(owner string) store.Key { return store.Key{PK: outboxPK(owner), SK: headerSK} }

func activityKey(owner string, id ids.ID) store.Key {
	return store.Key{PK: outboxPK(owner), SK: id.String()}
}

// foreignItem is X#owner / foreignId: the id of the activity that has the
// foreign id.
type foreignItem struct {
	PK string `dynamo:"pk"`
	SK string `dynamo:"sk"`
	ID ids.ID `dynamo:"id"`
}

func foreignKey(owner, foreignID string) store.Key {
	return store.Key{PK: keys.Join("X", owner), SK: foreignID}
}

// CheckItem refuses a guard of nothing.
func (i *foreignItem) CheckItem() error { return keys.CheckID("id", i.ID) }

// entryItem is H#reader / id#owner#edge: owner's activity id, which the follow
// edge brought to reader.
type entryItem struct {
	PK     string   `dynamo:"pk"`
	Key    entryKey `dynamo:"sk"`
	Source string   `dynamo:"source,omitempty"` // the followee, if not the owner
	About  string   `dynamo:"about,omitempty"`  // a Ref's text
	TTL    int64    `dynamo:"ttl"`
}

// CheckItem refuses an entry that would never expire.
func (e *entryItem) CheckItem() error {
	if e.TTL <= 0 {
		return errors.New("has no ttl")
	}
	return nil
}

func (e entryItem) source() string { return cmp.Or(e.Source, e.Key.Owner) }

// entryKey sorts a home by id, then owner, then edge. The entries of one
// activity are a range.
type entryKey struct {
	CacheKey // of the activity
	edge     ids.ID
}

func (k entryKey) String() string { return keys.Join(k.ID.String(), k.Owner, k.edge.String()) }

func (k entryKey) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalDynamo spares long lists the copies of UnmarshalText.
func (k *entryKey) UnmarshalDynamo(value types.AttributeValue) (err error) {
	text, ok := value.(*types.AttributeValueMemberS)
	if !ok {
		return errors.New("is no text")
	}
	*k, err = parseEntryKey(text.Value)
	return err
}

func parseEntryKey(text string) (k entryKey, err error) {
	parts := keys.Split(text)
	if len(parts) != 3 {
		return k, fmt.Errorf("has %d parts", len(parts))
	}
	if k.CacheKey, err = parseActivity(parts[:2]); err != nil {
		return k, err
	}
	if k.edge, err = ids.Parse(parts[2]); err != nil {
		return k, err
	}
	if strings.Contains(text, `\`) && k.String() != text {
		return k, errors.New("is escaped in another way")
	}
	return k, nil
}

func parseActivity(parts []string) (key CacheKey, err error) {
	if key.ID, err = ids.Parse(parts[0]); err != nil {
		return key, err
	}
	key.Owner = parts[1]
	return key, errors.Join(keys.CheckID("id", key.ID), keys.CheckName("owner", key.Owner))
}

// belowActivity and aboveActivity are the gaps directly below and above all entries of
// an activity.
func belowActivity(key CacheKey) string { return keys.Join(key.ID.String(), key.Owner, "") }
func aboveActivity(key CacheKey) string { return keys.Join(key.ID.String(), key.Owner) + "$" }

// afterEntry, appended to an entry's key, makes the gap above the entry.
const afterEntry = "\x00"

// besideEntry returns the activity of the entry that a gap is next to.
func besideEntry(gap string) (activity CacheKey, ok bool) {
	k, err := parseEntryKey(strings.TrimSuffix(gap, afterEntry))
	return k.CacheKey, err == nil
}

// validGap recognizes the gaps of a home: next to an entry, next to all entries of an
// activity, or below all entries of an id.
func validGap(gap string) bool {
	if _, ok := besideEntry(gap); ok {
		return true
	}
	if id, err := ids.Parse(gap); err == nil {
		return id != 0
	}
	parts := keys.Split(gap[:max(len(gap)-1, 0)]) // without its '#' or '$'
	if len(parts) != 2 {
		return false
	}
	key, err := parseActivity(parts)
	return err == nil && (gap == belowActivity(key) || gap == aboveActivity(key))
}

func homePK(reader string) string { return keys.Join("H", reader) }

const (
	headerSK = "~" // of a home and of a source, above every entry and activity
	aboveIDs = "9" // above every id and below the header; no item has this key
)

func headerKey(reader string) store.Key { return store.Key{PK: homePK(reader), SK: headerSK} }

type deliveryJob = work.Job[jobItem]

// jobItem is J#shard / id#owner, an activity that not all followers have yet,
// or J#shard / id#owner#switch, a switch that not all of their homes have yet.
type jobItem struct {
	Key    jobKey   `dynamo:"sk"`
	To     []string `dynamo:"to,omitempty"`
	About  string   `dynamo:"about,omitempty"`
	Switch bool     `dynamo:"switch,omitempty"`
	At     int      `dynamo:"at,omitempty"`     // whose followers come next: 0 is the owner, then To
	Cursor string   `dynamo:"cursor,omitempty"` // into the list of these followers
	Told   bool     `dynamo:"told,omitempty"`   // of a switch: all homes have it, except those that could not take it
}

// CheckItem refuses what cannot be delivered.
func (j *jobItem) CheckItem() error {
	switch {
	case j.At < 0:
		return fmt.Errorf("at is %d", j.At)
	case j.Switch != j.Key.Switch:
		return fmt.Errorf("switch is %v", j.Switch)
	}
	return checkTo(j.To)
}

// jobKey sorts jobs by activity or switch. A switch's key has a third part,
// because publishers choose the ids of activities.
type jobKey struct {
	CacheKey
	Switch bool
}

const switchPart = "switch"

func (k jobKey) String() string {
	if k.Switch {
		return keys.Join(k.ID.String(), k.Owner, switchPart)
	}
	return keys.Join(k.ID.String(), k.Owner)
}

func (k jobKey) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

func (k *jobKey) UnmarshalText(text []byte) (err error) {
	parts := keys.Split(string(text))
	k.Switch = len(parts) == 3 && parts[2] == switchPart
	if len(parts) != 2 && !k.Switch {
		return fmt.Errorf("has %d parts, or an unknown third one", len(parts))
	}
	if k.CacheKey, err = parseActivity(parts[:2]); err == nil && k.String() != string(text) {
		err = errors.New("is escaped in another way")
	}
	return err
}

func jobPK(shard int) string { return keys.Join("J", strconv.Itoa(shard)) }

// jobShardsKey is the key of the item that holds the number of job shards.
var jobShardsKey = store.Key{PK: keys.Join("J"), SK: "shards"}
