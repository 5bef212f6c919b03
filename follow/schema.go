package follow

import (
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza/internal/edge"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Table returns the schema of a table with that name.
func Table(name string) *dynamodb.CreateTableInput { return store.Schema(name) }

// TTL returns the request that turns on expiry, of the records of ended edges.
func TTL(name string) *dynamodb.UpdateTimeToLiveInput { return store.TTL(name) }

func feature() store.Feature {
	return store.Feature{Name: "follow", Format: 1, Schema: Table, Expires: true}
}

// shape is how edges are stored:
//   - E#follower / followee {id, shard, import, or ended and ttl} is the edge, which guards
//     the other items
//   - F#follower / id {followee} and R#followee#shard / id {follower} are the lists
//   - C#user / shard {followers, following, ver, shards} are the counters
func shape() edge.Shape {
	return edge.Shape{
		Guard:     "E",
		Tails:     "F",
		Heads:     "R",
		Counter:   "C",
		Tail:      "follower",
		Head:      "followee",
		Count:     "followers",
		TailCount: "following",
		Kinds:     []string{""},
		Stamp:     importAttr,
		Stamped:   isStamp,
	}
}

// importAttr names the import and window that wrote an edge. Edges that Follow
// wrote have none.
const importAttr = "import"

// importOf is the stamp of a guard, "" if it has none or a damaged one.
func importOf(item dynamo.Item) string {
	if stamp, ok := item[importAttr].(*types.AttributeValueMemberS); ok && isStamp(stamp) {
		return stamp.Value
	}
	return ""
}

// isStamp reports whether an import may have written the stamp: a name and the number
// of a window.
func isStamp(value types.AttributeValue) bool {
	stamp, _ := value.(*types.AttributeValueMemberS)
	if stamp == nil {
		return false
	}
	parts := keys.Split(stamp.Value)
	window, err := strconv.Atoi(parts[len(parts)-1])
	return len(parts) == 2 && keys.CheckName("import", parts[0]) == nil && err == nil && window > 0
}
