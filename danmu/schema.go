package danmu

import (
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// byUser is where the comments of a user stand by the time they were sent. It
// has their keys alone: a like would else be written there too.
var byUser = store.Index{Name: "byUser", Partition: "userId", Sort: "sent", Text: true}

// Table is the schema of the table name, with its index.
func Table(name string) *dynamodb.CreateTableInput { return byUser.Schema(name) }

// TTL switches on the expiry of what a TableLimiter keeps.
func TTL(name string) *dynamodb.UpdateTimeToLiveInput { return store.TTL(name) }

// place is where comments of an object lie: a segment of its playing time, and
// a shard of that.
type place struct {
	object         string
	segment, shard int
}

func (p place) pk() string {
	return keys.Join("D", p.object, strconv.Itoa(p.segment), strconv.Itoa(p.shard))
}

func (p place) key(id ID) store.Key { return store.Key{PK: p.pk(), SK: id.String()} }

// parsePlace undoes pk.
func parsePlace(pk string) (p place, ok bool) {
	parts := keys.Split(pk)
	if len(parts) != 4 {
		return place{}, false
	}
	segment, err := strconv.Atoi(parts[2])
	shard, err2 := strconv.Atoi(parts[3])
	return place{parts[1], segment, shard}, err == nil && err2 == nil
}

// objectItem is M#object / M.
type objectItem struct {
	Owner    string   `dynamo:"owner,omitempty"`
	Duration int64    `dynamo:"durationMs,omitempty"`
	Segment  int64    `dynamo:"segmentMs,omitempty"`
	Shards   []growth `dynamo:"shards,omitempty"`
	Segments []int    `dynamo:"segs,set,omitempty"` // those that may have comments
}

// growth says that so many shards are written to from then on, in Unix ms. They
// are read from the moment it is there.
type growth struct {
	N    int   `dynamo:"n"`
	From int64 `dynamo:"from,omitempty"`
}

func objectKey(object string) store.Key { return store.Key{PK: keys.Join("M", object), SK: "M"} }

// sentItem is an item of the index.
type sentItem struct {
	PK   string `dynamo:"pk"`
	ID   ID     `dynamo:"sk"`
	Sent ids.ID `dynamo:"sent"`
}
