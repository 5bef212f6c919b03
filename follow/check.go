package follow

import (
	"context"
	"slices"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/keys"
)

// Drift is how far what is stored of a user is from being whole. The zero
// Drift says that nothing is off.
type Drift struct {
	// Followers and Following are by how much the counts are above (or, if
	// negative, below) the edges.
	Followers, Following int64
	// Counters is how many counters, one a shard, are wrong or missing.
	Counters int
	// Torn edges lack one of their three items, or one that contradicts the
	// other two stands there. Repair restores it.
	Torn int
	// Orphans are items without the other two of their edge. Repair removes
	// them.
	Orphans int
}

func (d *Drift) add(e Drift) {
	d.Followers += e.Followers
	d.Following += e.Following
	d.Counters += e.Counters
	d.Torn += e.Torn
	d.Orphans += e.Orphans
}

// Check compares the user's counts, lists and edges, and changes nothing. Of
// an edge to the user whose item in the list of followers is gone, Check of
// the follower tells. While edges of the user keep changing it is
// plaza.ErrBusy.
//
// 1 RCU an edge in hundreds a request, and about 1 RCU for 20 edges in
// thousands; where something is off, 3 RCU an edge that the user follows and
// 66 RCU for each that is torn. For a user without counters 130 requests more.
func (r *Repository) Check(ctx context.Context, user string) (Drift, error) {
	if err := keys.CheckName("User", user); err != nil {
		return Drift{}, err
	}
	for range turns {
		drift, moved, err := r.checkOnce(ctx, user)
		if err != nil || !moved {
			return drift, wrap("check", user, err)
		}
	}
	return Drift{}, wrap("check", user, plaza.ErrBusy)
}

func (r *Repository) checkOnce(ctx context.Context, user string) (drift Drift, moved bool, err error) {
	before, err := r.counters(ctx, user, true)
	if err != nil {
		return Drift{}, false, err
	}
	shards := shardsOf(before)
	want, err := r.tally(ctx, user, shards)
	if err != nil {
		return Drift{}, false, err
	}
	err = r.suspects(ctx, user, shards, func(s suspect) error {
		p, err := r.partsOf(ctx, s)
		if err != nil {
			return err
		}
		cure := p.cure()
		drift.add(cure.drift())
		switch cure {
		case putFollowing:
			want.following++
		case dropFollowing:
			want.following--
		case dropFollower:
			want.followers[s.place-1]--
		}
		return nil
	})
	if err != nil {
		return Drift{}, false, err
	}
	for _, c := range corrections(before, want) {
		drift.add(c.drift())
	}
	after, err := r.counters(ctx, user, true)
	return drift, !slices.EqualFunc(before, after, counterItem.sameVersion), err
}

func (c counterItem) sameVersion(d counterItem) bool { return c.Shard == d.Shard && c.Ver == d.Ver }
