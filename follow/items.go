package follow

import (
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
)

// The items of an imported edge, as their structs marshal: by hand, since an
// import makes three for every edge.

func (e Edge) guardItem(stamp string) dynamo.Item {
	item := dynamo.Item{
		"pk":     text(edgeKey(e.Follower, e.Followee).PK),
		"sk":     text(e.Followee),
		"id":     text(e.ID.String()),
		"import": text(stamp),
	}
	if shard := e.place - 1; shard > 0 {
		item["shard"] = &types.AttributeValueMemberN{Value: strconv.Itoa(shard)}
	}
	return item
}

func (e Edge) followingItem() dynamo.Item {
	return dynamo.Item{
		"pk":       text(followingPK(e.Follower)),
		"sk":       text(e.ID.String()),
		"followee": text(e.Followee),
	}
}

func (e Edge) followerItem() dynamo.Item {
	return dynamo.Item{
		"pk":       text(followerPK(e.Followee, e.place-1)),
		"sk":       text(e.ID.String()),
		"follower": text(e.Follower),
	}
}

func text(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }
