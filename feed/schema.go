package feed

import (
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Table is the schema of the table name.
func Table(name string) *dynamodb.CreateTableInput { return store.Schema(name) }

// TTL switches on the expiry of home entries and tombstones.
func TTL(name string) *dynamodb.UpdateTimeToLiveInput { return store.TTL(name) }

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
	Owner     string    `dynamo:"owner,omitempty"`
	TTL       int64     `dynamo:"ttl,omitempty"`
}

func newActivityItem(owner string, a Activity) activityItem {
	item := activityItem{
		PK: outboxPK(owner), ID: a.ID,
		Actor: a.Actor, Verb: a.Verb, Object: a.Object, Target: a.Target, ForeignID: a.ForeignID,
		Data: string(a.Data), Hash: a.hash(), To: a.To,
	}
	if !a.Time.Equal(a.ID.Time()) {
		item.Time = a.Time
	}
	return item
}

func (i activityItem) activity() Activity {
	a := Activity{
		ID: i.ID, Actor: i.Actor, Verb: i.Verb, Object: i.Object, Target: i.Target, ForeignID: i.ForeignID, Time: i.Time, To: i.To,
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

// entryItem is H#reader / id#edge: the activity id of owner came to reader by
// the follow edge.
type entryItem struct {
	PK     string   `dynamo:"pk"`
	Key    entryKey `dynamo:"sk"`
	Owner  string   `dynamo:"owner"`            // in whose outbox the activity lies
	Source string   `dynamo:"source,omitempty"` // whom the reader follows, where that is another
	About  string   `dynamo:"about,omitempty"`  // what it repeats, a Ref's text
	TTL    int64    `dynamo:"ttl"`
}

// activity is what the entry refers to.
func (e entryItem) activity() CacheKey { return CacheKey{Owner: e.Owner, ID: e.Key.id} }

// entryKey sorts a home by activity, then by edge.
type entryKey struct{ id, edge ids.ID }

func (k entryKey) MarshalText() ([]byte, error) {
	return []byte(keys.Join(k.id.String(), k.edge.String())), nil
}

func (k *entryKey) UnmarshalText(text []byte) (err error) {
	id, edge, _ := strings.Cut(string(text), "#")
	if k.id, err = ids.Parse(id); err != nil {
		return err
	}
	k.edge, err = ids.Parse(edge)
	return err
}

func homePK(reader string) string { return keys.Join("H", reader) }

const (
	headerSK = "~" // above every entry
	aboveIDs = "9" // above every id and below the header; no item stands there
)

func headerKey(reader string) store.Key { return store.Key{PK: homePK(reader), SK: headerSK} }

// jobItem is J#shard / id: an activity that still has followers to reach.
type jobItem struct {
	PK     string   `dynamo:"pk"`
	ID     ids.ID   `dynamo:"sk"`
	Owner  string   `dynamo:"owner"`
	To     []string `dynamo:"to,omitempty"`
	About  string   `dynamo:"about,omitempty"`
	At     int      `dynamo:"at,omitempty"`     // whose followers it is at: 0 the owner's, then To's
	Cursor string   `dynamo:"cursor,omitempty"` // of the walk over these
	Lease  int64    `dynamo:"lease,omitempty"`  // until when others leave it alone, in milliseconds; a hint
}

func jobPK(shard int) string { return keys.Join("J", strconv.Itoa(shard)) }

// jobShardsKey is of the item that says over how many shards jobs are spread.
var jobShardsKey = store.Key{PK: keys.Join("J"), SK: "shards"}
