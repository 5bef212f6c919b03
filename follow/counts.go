package follow

import (
	"context"
	"fmt"

	"github.com/plaza-sdk/plaza/internal/edge"
	"github.com/plaza-sdk/plaza/internal/keys"
)

// Counts reads how many users follow user and how many user follows. A damaged
// count is plaza.ErrCorrupt.
//
// Cost: 1 request, 0.5 RCU, however many shards; 1 RCU with Options.Consistent.
func (r *Repository) Counts(ctx context.Context, user string) (Counts, error) {
	if err := keys.CheckName("User", user); err != nil {
		return Counts{}, err
	}
	count, err := r.graph.Counts(ctx, user, r.opts.Consistent)
	return countsOf(count), wrap("counts of", user, err)
}

// CountsMany is Counts for up to 100 users. The map has every one, except those
// whose counts are damaged: Options.OnCorrupt is called with these.
//
// Cost: 1 request, 0.5 RCU for each user; where some are sharded 1 request more
// for each 100 further shards, 0.5 RCU for each of these; twice the units with
// Options.Consistent.
func (r *Repository) CountsMany(ctx context.Context, users []string) (map[string]Counts, error) {
	if err := checkUsers("Users", users); err != nil {
		return nil, err
	}
	many, err := r.graph.CountsMany(ctx, users, r.opts.Consistent)
	if err != nil {
		return nil, fmt.Errorf("follow: counts of %d users: %w", len(users), err)
	}
	counts := make(map[string]Counts, len(many))
	for user, count := range many {
		counts[user] = countsOf(count)
	}
	return counts, nil
}

func countsOf(c edge.Count) Counts { return Counts{Followers: c.Heads[""], Following: c.Tail} }
