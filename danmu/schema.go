package danmu

import (
	"cmp"
	"fmt"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/indexes"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

var byUser = indexes.ByUser()

// Table returns the schema of a table with that name, and of its index.
func Table(name string) *dynamodb.CreateTableInput { return byUser.Schema(name) }

// TTL returns the request that turns on expiry, of likes and reports that were taken
// back and of what Options.SharedRate remembers.
func TTL(name string) *dynamodb.UpdateTimeToLiveInput { return store.TTL(name) }

// The first parts of the keys of comments and reactions.
const (
	commentPrefix  = "D"
	reactionPrefix = "U"
)

// place is a partition of comments: a shard of a segment of an object.
type place struct {
	object         string
	segment, shard int
}

func (p place) pk() string {
	return keys.Join(commentPrefix, p.object, strconv.Itoa(p.segment), strconv.Itoa(p.shard))
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

func feature() store.Feature {
	return store.Feature{Name: "danmu", Format: 1, Schema: Table, Expires: true}
}

// objectItem is M#object / M. It has at most about 9.5 KB: a bit for each segment, an
// owner and six growths.
type objectItem struct {
	Owner    string   `dynamo:"owner,omitempty"`
	Duration int64    `dynamo:"durationMs,omitempty"`
	Segment  int64    `dynamo:"segmentMs,omitempty"`
	Shards   []growth `dynamo:"shards,omitempty"`
	Segments []byte   `dynamo:"segs,omitempty"` // those that may have comments, as packSegments writes them

	Settings       store.Mark `dynamo:"settings,omitempty"` // the last Configure, or what created the item
	SettingsBefore store.Mark `dynamo:"settingsBefore,omitempty"`
}

// settingsPart is the attribute with the Mark of the last Configure.
const settingsPart = "settings"

func (i *objectItem) lastSettings() store.Last {
	return store.Last{Mark: i.Settings, Before: i.SettingsBefore}
}

// CheckItem refuses what no write of this package leaves.
func (i *objectItem) CheckItem() error {
	_, err := i.segments()
	switch length := time.Duration(i.Segment) * time.Millisecond; {
	case err != nil:
		return err
	case i.Segments != nil && len(i.Segments) == 0:
		return errSegments
	case i.Segment != 0 && (i.Segment > maxSegment.Milliseconds() || length < minSegment):
		return fmt.Errorf("segmentMs is %d", i.Segment)
	case i.Duration < 0 || i.Duration > MaxProgress.Milliseconds():
		return fmt.Errorf("durationMs is %d", i.Duration)
	}
	for at, g := range i.Shards {
		if g.N < 1 || g.N > maxShards || g.N&(g.N-1) != 0 || at > 0 && g.N <= i.Shards[at-1].N {
			return fmt.Errorf("shards is %v", i.Shards)
		}
	}
	return nil
}

// length returns the length of segments.
func (i *objectItem) length() time.Duration {
	return cmp.Or(time.Duration(i.Segment)*time.Millisecond, defaultSegment)
}

func (i *objectItem) segments() ([]int, error) {
	if length := i.length(); length >= minSegment && length <= maxSegment {
		return unpackSegments(i.Segments, int(MaxProgress/length))
	}
	return nil, nil
}

// growth is a number of shards and the time, in Unix ms, from which they are written to.
// They are read as soon as the growth is stored.
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
