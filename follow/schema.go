package follow

import (
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Table is the schema of the table name.
func Table(name string) *dynamodb.CreateTableInput { return store.Schema(name) }

// edgeItem is E#follower / followee: the edge itself, which guards the rest.
type edgeItem struct {
	PK    string `dynamo:"pk"`
	SK    string `dynamo:"sk"`
	ID    ids.ID `dynamo:"id"`
	Shard int    `dynamo:"shard,omitempty"`

	// Import is the import and window that wrote the edge, "" for Follow.
	Import string `dynamo:"import,omitempty"`
}

func (i edgeItem) edge(follower string) Edge {
	return Edge{Follower: follower, Followee: i.SK, ID: i.ID, place: i.Shard + 1}
}

func edgeKey(follower, followee string) store.Key {
	return store.Key{PK: keys.Join("E", follower), SK: followee}
}

// followingItem is F#follower / id.
type followingItem struct {
	PK       string `dynamo:"pk"`
	ID       ids.ID `dynamo:"sk"`
	Followee string `dynamo:"followee"`
}

func followingKey(follower string, id ids.ID) store.Key {
	return store.Key{PK: followingPK(follower), SK: id.String()}
}

func followingPK(follower string) string { return keys.Join("F", follower) }

// followerItem is R#followee#shard / id.
type followerItem struct {
	PK       string `dynamo:"pk"`
	ID       ids.ID `dynamo:"sk"`
	Follower string `dynamo:"follower"`
}

func followerKey(followee string, shard int, id ids.ID) store.Key {
	return store.Key{PK: followerPK(followee, shard), SK: id.String()}
}

func followerPK(followee string, shard int) string {
	return keys.Join("R", followee, strconv.Itoa(shard))
}

// counterItem is C#user / shard. Every write of an edge raises ver. Following
// is counted in shard 0, which also names the further shards that were opened.
type counterItem struct {
	PK        string  `dynamo:"pk"`
	Shard     shardNo `dynamo:"sk"`
	Followers int64   `dynamo:"followers"`
	Following int64   `dynamo:"following"`
	Ver       int64   `dynamo:"ver"`
	Shards    []int   `dynamo:"shards,set"`
}

// shardNo is a shard as a sort key: text.
type shardNo int

func (s shardNo) MarshalText() ([]byte, error) { return strconv.AppendInt(nil, int64(s), 10), nil }

func (s *shardNo) UnmarshalText(text []byte) error {
	n, err := strconv.Atoi(string(text))
	*s = shardNo(n)
	return err
}

func counterKey(user string, shard int) store.Key {
	return store.Key{PK: counterPK(user), SK: strconv.Itoa(shard)}
}

func counterPK(user string) string { return keys.Join("C", user) }
