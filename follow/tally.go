package follow

import (
	"context"
	"maps"
	"slices"
)

// tally is what the lists of a user hold.
type tally struct {
	following int64
	followers map[int]int64 // by shard
}

func (r *Repository) tally(ctx context.Context, user string, shards []int) (t tally, err error) {
	t.followers = make(map[int]int64, len(shards))
	t.following, err = countEdges(r.following(ctx, user))
	for i := 0; i < len(shards) && err == nil; i++ {
		t.followers[shards[i]], err = countEdges(r.followers(ctx, user, shards[i]))
	}
	return t, err
}

// shardsOf are the shards that may hold followers of a user. The counter of
// shard 0 names the others; without it, any may.
func shardsOf(counters []counterItem) []int {
	shards := []int{0}
	first := false
	for _, c := range counters {
		first = first || c.Shard == 0
		shards = append(append(shards, int(c.Shard)), c.Shards...)
	}
	for shard := 0; shard < MaxShards && !first; shard++ {
		shards = append(shards, shard)
	}
	slices.Sort(shards)
	return slices.Compact(shards)
}

// correction is a counter that is not what the lists say. Both have the
// version that was seen, 0 where there is no counter.
type correction struct{ is, want counterItem }

func (c correction) drift() Drift {
	return Drift{Followers: c.is.Followers - c.want.Followers, Following: c.is.Following - c.want.Following, Counters: 1}
}

func corrections(counters []counterItem, lists tally) []correction {
	standing := make(map[int]counterItem, len(counters))
	needed := make(map[int]bool)
	for _, c := range counters {
		standing[int(c.Shard)] = c
		needed[int(c.Shard)] = true
		for _, shard := range c.Shards {
			needed[shard] = true
		}
	}
	var further []int
	var wrong []correction
	for _, shard := range slices.Backward(slices.Sorted(maps.Keys(lists.followers))) {
		is, stands := standing[shard]
		want := counterItem{Shard: shardNo(shard), Followers: lists.followers[shard], Ver: is.Ver}
		if shard == 0 {
			want.Following = lists.following
			want.Shards = further
		}
		if !needed[shard] && want.Followers == 0 && want.Following == 0 && len(want.Shards) == 0 {
			continue
		}
		if shard > 0 {
			further = append(further, shard)
		}
		if !stands || !is.equal(want) {
			wrong = append(wrong, correction{is, want})
		}
	}
	return wrong
}

func (c counterItem) equal(d counterItem) bool {
	slices.Sort(c.Shards)
	slices.Sort(d.Shards)
	return c.Followers == d.Followers && c.Following == d.Following && slices.Equal(c.Shards, d.Shards)
}
