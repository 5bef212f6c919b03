package follow

import (
	"context"
	"slices"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Repair mends what Check finds, and returns what it mended; a second Repair
// finds nothing. Of an edge's three items, the edge and its place in both
// lists, two restore the third, and one alone is removed; then the counts are
// set to what the lists hold. Follow and Unfollow may go on meanwhile. A
// restored follower is counted at the followee too, so two users may be
// repaired in either order. Users whose counts change faster than their lists
// can be read are plaza.ErrBusy; what was mended before stays.
//
// Check's reads; the lists once more where a counter is wrong, and 2 WCU for
// it. For each torn edge two requests of 66 RCU and one transaction of 10 WCU,
// and where a follower is restored 1 RCU for 40 followers of that shard.
func (r *Repository) Repair(ctx context.Context, user string) (Drift, error) {
	if err := keys.CheckName("User", user); err != nil {
		return Drift{}, err
	}
	counters, err := r.counters(ctx, user, true)
	if err != nil {
		return Drift{}, wrap("repair", user, err)
	}
	var mended Drift
	err = r.suspects(ctx, user, shardsOf(counters), func(s suspect) error {
		drift, err := r.mend(ctx, s)
		mended.add(drift)
		return err
	})
	if err != nil {
		return mended, wrap("repair", user, err)
	}
	counts, err := r.recount(ctx, user)
	mended.add(counts)
	return mended, wrap("repair", user, err)
}

// recount sets the user's counters to what the lists hold.
func (r *Repository) recount(ctx context.Context, user string) (mended Drift, err error) {
	for range turns {
		counters, err := r.counters(ctx, user, true)
		if err != nil {
			return mended, err
		}
		lists, err := r.tally(ctx, user, shardsOf(counters))
		if err != nil {
			return mended, err
		}
		wrong := corrections(counters, lists)
		for _, c := range wrong {
			set, err := r.correct(ctx, user, c)
			if err != nil {
				return mended, err
			}
			if set {
				mended.add(c.drift())
			}
		}
		if len(wrong) > 0 {
			continue // and see that it holds
		}
		after, err := r.counters(ctx, user, true)
		if err != nil || slices.EqualFunc(counters, after, counterItem.sameVersion) {
			return mended, err
		}
	}
	return mended, plaza.ErrBusy
}

// correct sets a counter unless it changed since it was read, and reports
// whether it did. A guard on the count alone would not tell: it may have
// changed there and back while the list was read. It is a transaction for its
// token: a request that is sent twice is not taken for somebody else's.
func (r *Repository) correct(ctx context.Context, user string, c correction) (bool, error) {
	err := r.table.Run(ctx, r.table.Tx().Update(r.correctionOf(user, c.want)))
	if _, changed := store.AsRefused(err); changed {
		return false, nil
	}
	return err == nil, err
}

// correctionOf guards on the version that want was made of.
func (r *Repository) correctionOf(user string, want counterItem) *dynamo.Update {
	return r.table.Update(counterKey(user, int(want.Shard))).
		Set("followers", want.Followers).
		Set("following", want.Following).
		SetSet("shards", want.Shards).
		Add("ver", 1).
		If(atVersion(want.Ver), want.Ver)
}

// atVersion is the condition that a counter has the version that was seen, 0
// for one that was not there.
func atVersion(ver int64) string {
	if ver == 0 {
		return "ver = ? OR attribute_not_exists(ver)"
	}
	return "ver = ?"
}
