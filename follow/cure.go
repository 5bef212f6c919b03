package follow

import "slices"

// cure is the write that makes an edge whole, or ends what is left of it.
type cure int

const (
	putGuard cure = iota
	putFollowing
	putFollower
	dropGuard
	dropFollowing
	dropFollower
	whole // nothing to write
)

// drops says whether the piece is removed.
func (c cure) drops() bool { return c >= dropGuard }

// piece is the place of what is written among the pieces.
func (c cure) piece() cure { return c % dropGuard }

func (c cure) drift() Drift {
	switch {
	case c == whole:
		return Drift{}
	case c.drops():
		return Drift{Orphans: 1}
	}
	return Drift{Torn: 1}
}

// cure decides by two of three. Of the lists only the one that the suspect
// was found by loses an item, since that user's counts are set afterwards.
func (p parts) cure() cure {
	inFollowing := p.following == p.Followee
	switch {
	case p.guard != nil && p.guard.ID == p.ID:
		return p.cureGuarded(inFollowing)
	case p.guard != nil && !p.lone:
		// The pair's edge is another: what stands under this id is left over.
	case inFollowing && p.shard() >= 0:
		return putGuard
	}
	switch {
	case p.byFollowee && p.listedAt(p.place-1):
		return dropFollower
	case !p.byFollowee && inFollowing:
		return dropFollowing
	}
	return whole
}

func (p parts) cureGuarded(inFollowing bool) cure {
	switch {
	case p.byFollowee && p.listedAt(p.guard.place-1):
		if p.place != p.guard.place && p.listedAt(p.place-1) {
			return dropFollower
		}
		return whole
	case !p.listedAt(p.guard.place-1) && p.shard() >= 0:
		return putGuard // it names the wrong shard
	case p.byFollowee:
		return whole
	case inFollowing && p.shard() < 0:
		return putFollower
	case inFollowing:
		return whole
	case p.shard() >= 0:
		return putFollowing
	}
	return dropGuard
}

// shard is where the followee's list has the edge, -1 for nowhere.
func (p parts) shard() int {
	if p.byFollowee && p.listedAt(p.place-1) {
		return p.place - 1
	}
	return slices.Index(p.followers, p.Follower)
}

func (p parts) listedAt(shard int) bool {
	return shard < MaxShards && p.followers[shard] == p.Follower
}

// curedShard is the shard of the followee's list that the cure is about.
func (p parts) curedShard(c cure) int {
	switch {
	case c == dropFollower:
		return p.place - 1
	case c != putGuard && p.guard != nil && p.guard.ID == p.ID:
		return min(p.guard.place, MaxShards) - 1
	}
	return max(p.shard(), 0)
}
