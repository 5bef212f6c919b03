package follow

import (
	"context"
	"fmt"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Counts tells how many follow user and how many user follows.
//
// One read, 0.5 RCU eventually consistent, however many shards.
func (r *Repository) Counts(ctx context.Context, user string) (Counts, error) {
	if err := keys.CheckName("User", user); err != nil {
		return Counts{}, err
	}
	counters, err := r.counters(ctx, user, r.opts.Consistent)
	if err != nil {
		return Counts{}, wrap("counts of", user, err)
	}
	var counts Counts
	for _, c := range counters {
		counts.Followers += c.Followers
		counts.Following += c.Following
	}
	return counts, nil
}

// CountsMany tells the counts of up to 100 users; the map has every one.
//
// One read, or two where a user is sharded, and one more for each 100 further
// shards: 0.5 RCU eventually consistent for
// each user and further shard.
func (r *Repository) CountsMany(ctx context.Context, users []string) (map[string]Counts, error) {
	if err := checkUsers("Users", users); err != nil {
		return nil, err
	}
	counts := make(map[string]Counts, len(users))
	owner := make(map[store.Key]string, len(users))
	for _, user := range users {
		counts[user] = Counts{}
		owner[counterKey(user, 0)] = user
	}
	for len(owner) > 0 {
		found, err := r.table.GetAll(ctx, keysOf(owner), r.opts.Consistent)
		if err != nil {
			return nil, fmt.Errorf("follow: counts of %d users: %w", len(users), err)
		}
		further := map[store.Key]string{}
		for key, user := range owner {
			var c counterItem
			if err := dynamo.UnmarshalItem(found[key], &c); err != nil {
				return nil, err
			}
			sum := counts[user]
			sum.Followers += c.Followers
			sum.Following += c.Following
			counts[user] = sum
			for _, shard := range c.Shards {
				further[counterKey(user, shard)] = user
			}
		}
		owner = further
	}
	return counts, nil
}

func keysOf[V any](m map[store.Key]V) []store.Key {
	wanted := make([]store.Key, 0, len(m))
	for key := range m {
		wanted = append(wanted, key)
	}
	return wanted
}
