package follow

import (
	"context"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza/internal/store"
)

// parts is what stands of a suspect edge.
type parts struct {
	suspect
	guard *Edge // of the pair, of this id or another; nil for none
	// lone says that guard is of another id and in no list. It counts as none.
	lone bool

	following string   // whom the follower's list names under the id
	followers []string // whom each shard of the followee's list names under it
}

// partsOf reads what stands of an edge: 66 RCU, and 65 more where its pair has
// another edge.
func (r *Repository) partsOf(ctx context.Context, s suspect) (parts, error) {
	p := parts{suspect: s}
	found, err := r.getAll(ctx, append(listKeys(s.Edge), edgeKey(s.Follower, s.Followee)), checkParallel)
	if err != nil {
		return p, err
	}
	p.following, p.followers = listed(s.Edge, found)
	if item, stands := found[edgeKey(s.Follower, s.Followee)]; stands {
		guard, err := edgeOf(s.Follower, item)
		if err != nil {
			return p, err
		}
		p.guard = &guard
	}
	if p.guard != nil && p.guard.ID != s.ID {
		if found, err = r.getAll(ctx, listKeys(*p.guard), checkParallel); err != nil {
			return p, err
		}
		following, followers := listed(*p.guard, found)
		p.lone = following != s.Followee && !slices.Contains(followers, s.Follower)
	}
	return p, nil
}

// listKeys are the places where lists can have the edge.
func listKeys(e Edge) []store.Key {
	keys := []store.Key{followingKey(e.Follower, e.ID)}
	for shard := range MaxShards {
		keys = append(keys, followerKey(e.Followee, shard, e.ID))
	}
	return keys
}

func listed(e Edge, found map[store.Key]dynamo.Item) (following string, followers []string) {
	followers = make([]string, MaxShards)
	for shard := range followers {
		followers[shard] = textOf(found[followerKey(e.Followee, shard, e.ID)], "follower")
	}
	return textOf(found[followingKey(e.Follower, e.ID)], "followee"), followers
}

// textOf is "" where item has no such text.
func textOf(item dynamo.Item, attribute string) string {
	s, _ := item[attribute].(*types.AttributeValueMemberS)
	if s == nil {
		return ""
	}
	return s.Value
}

// piece is one of an edge's three items: its place, what it holds where it is
// right, and what was seen of it.
type piece struct {
	key             store.Key
	item            any
	attribute, seen string
}

// pieces are the guard, the place in the follower's list and that in a shard
// of the followee's.
func (p parts) pieces(shard int) [3]piece {
	guard, following, follower := edgeKey(p.Follower, p.Followee), followingKey(p.Follower, p.ID), followerKey(p.Followee, shard, p.ID)
	id := ""
	if p.guard != nil {
		id = p.guard.ID.String()
	}
	return [3]piece{
		{guard, edgeItem{PK: guard.PK, SK: guard.SK, ID: p.ID, Shard: shard}, "id", id},
		{following, followingItem{PK: following.PK, ID: p.ID, Followee: p.Followee}, "followee", p.following},
		{follower, followerItem{PK: follower.PK, ID: p.ID, Follower: p.Follower}, "follower", p.followers[shard]},
	}
}
