package follow

import (
	"context"
	"hash/maphash"
	"iter"

	"github.com/plaza-sdk/plaza/internal/store"
)

// checkParallel is how many requests a Check, Repair or Erase runs at once.
const checkParallel = 8

// suspect is an edge that may be torn, placed where its guard or the list of
// followers says, wherever it was found.
type suspect struct {
	Edge
	byFollowee bool // found in the list of followers
}

// suspects visits the edges of a user whose items do not agree, and some that
// were changed meanwhile.
func (r *Repository) suspects(ctx context.Context, user string, shards []int, visit func(suspect) error) error {
	paired, err := r.paired(ctx, user)
	if err != nil {
		return err
	}
	if err := r.suspectGuards(ctx, user, paired, visit); err != nil {
		return err
	}
	if !paired {
		err := r.suspectRows(ctx, r.following(ctx, user), func(row, guard Edge) error {
			if row.ID == guard.ID {
				return nil
			}
			return visit(suspect{Edge: row})
		})
		if err != nil {
			return err
		}
	}
	for _, shard := range shards {
		err := r.suspectRows(ctx, r.followers(ctx, user, shard), func(row, guard Edge) error {
			if row == guard {
				return nil
			}
			return visit(suspect{Edge: row, byFollowee: true})
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// paired reports whether the guards of whom user follows and the list of them
// are of the same edges: they are if their hashes add up to the same. It
// spares reading each by key.
func (r *Repository) paired(ctx context.Context, user string) (bool, error) {
	seed := maphash.MakeSeed()
	var difference uint64
	for guards, err := range r.guards(ctx, user) {
		if err != nil {
			return false, err
		}
		for _, e := range guards {
			e.place = 0
			difference += maphash.Comparable(seed, e)
		}
	}
	for rows, err := range r.following(ctx, user) {
		if err != nil {
			return false, err
		}
		for _, e := range rows {
			difference -= maphash.Comparable(seed, e)
		}
	}
	return difference == 0, nil
}

// suspectGuards looks for the list items of each guard; for those of the
// follower's list only where guards and list are not paired.
func (r *Repository) suspectGuards(ctx context.Context, user string, paired bool, visit func(suspect) error) error {
	for guards, err := range r.guards(ctx, user) {
		if err != nil {
			return err
		}
		var wanted []store.Key
		for _, e := range guards {
			wanted = append(wanted, followerKey(e.Followee, e.place-1, e.ID))
			if !paired {
				wanted = append(wanted, followingKey(user, e.ID))
			}
		}
		found, err := r.getAll(ctx, wanted, checkParallel)
		if err != nil {
			return err
		}
		for _, e := range guards {
			listed := textOf(found[followerKey(e.Followee, e.place-1, e.ID)], "follower") == user
			if listed && (paired || textOf(found[followingKey(user, e.ID)], "followee") == e.Followee) {
				continue
			}
			if err := visit(suspect{Edge: e}); err != nil {
				return err
			}
		}
	}
	return nil
}

// suspectRows sets each row of a list against the guard of its pair, which is
// the zero Edge where there is none.
func (r *Repository) suspectRows(ctx context.Context, list iter.Seq2[[]Edge, error], compare func(row, guard Edge) error) error {
	for rows, err := range list {
		if err != nil {
			return err
		}
		wanted := make([]store.Key, len(rows))
		for i, row := range rows {
			wanted[i] = edgeKey(row.Follower, row.Followee)
		}
		found, err := r.getAll(ctx, wanted, checkParallel)
		if err != nil {
			return err
		}
		for i, row := range rows {
			var guard Edge
			if item, stands := found[wanted[i]]; stands {
				if guard, err = edgeOf(row.Follower, item); err != nil {
					return err
				}
			}
			if err := compare(row, guard); err != nil {
				return err
			}
		}
	}
	return nil
}
