package follow

import (
	"context"
	"iter"

	"golang.org/x/sync/errgroup"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Erase ends every edge of the user on both sides, mends what was torn on the
// way, and deletes the user's counters; the lists and counts of others follow.
// After an error, repeat it. Where new edges of the user keep arriving it is
// plaza.ErrBusy.
//
// One transaction of 10 WCU an edge, in turn: only the shards of the user's
// followers run side by side, since edges of one counter would get in each
// other's way. Then a Repair of what is left, and one transaction of 2 WCU for
// each counter. A user without counters costs about 200 reads.
func (r *Repository) Erase(ctx context.Context, user string) error {
	if err := keys.CheckName("User", user); err != nil {
		return err
	}
	for range turns {
		erased, err := r.eraseOnce(ctx, user)
		if err != nil || erased {
			return wrap("erase", user, err)
		}
	}
	return wrap("erase", user, plaza.ErrBusy)
}

func (r *Repository) eraseOnce(ctx context.Context, user string) (erased bool, err error) {
	counters, err := r.counters(ctx, user, true)
	if err != nil {
		return false, err
	}
	if err := r.endEdges(ctx, user, shardsOf(counters)); err != nil {
		return false, err
	}
	if _, err := r.Repair(ctx, user); err != nil {
		return false, err
	}
	if counters, err = r.counters(ctx, user, true); err != nil || len(counters) == 0 {
		return err == nil, err
	}
	tx := r.table.Tx()
	for _, c := range counters {
		if c.Followers != 0 || c.Following != 0 {
			return false, nil
		}
		tx.Delete(r.table.Delete(counterKey(user, int(c.Shard))).If(atVersion(c.Ver), c.Ver))
	}
	err = r.table.Run(ctx, tx)
	if _, changed := store.AsRefused(err); changed {
		return false, nil
	}
	return err == nil, err
}

// endEdges keeps to one edge at a time for each counter of the user.
func (r *Repository) endEdges(ctx context.Context, user string, shards []int) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(checkParallel)
	for _, shard := range shards {
		group.Go(func() error {
			if shard == 0 {
				if err := r.end(ctx, r.guards(ctx, user)); err != nil {
					return err
				}
			}
			return r.end(ctx, r.followers(ctx, user, shard))
		})
	}
	return group.Wait()
}

func (r *Repository) end(ctx context.Context, list iter.Seq2[[]Edge, error]) error {
	for edges, err := range list {
		if err != nil {
			return err
		}
		for _, e := range edges {
			if _, err := r.Unfollow(ctx, e); err != nil {
				return err
			}
		}
	}
	return nil
}
