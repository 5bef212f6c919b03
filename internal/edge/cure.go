package edge

import "slices"

// cure is the write that makes an edge whole, or ends what is left of it.
type cure int

const (
	putGuard cure = iota
	putInTail
	putInHead
	dropGuard
	dropFromTail
	dropFromHead
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
// was found by loses an item, since that end's counts are set afterwards.
func (p parts) cure() cure {
	inTail := p.head == p.Head
	switch {
	case p.guarded():
		return p.cureGuarded(inTail)
	case p.guard.Stands() && !p.lone, p.guard.Ended >= p.ID:
		// The pair's edge is another, or this one has ended: what stands under
		// the id is left over.
	case inTail && p.shard() >= 0:
		return putGuard
	}
	switch {
	case p.byHead && p.listedAt(p.Place-1):
		return dropFromHead
	case !p.byHead && inTail:
		return dropFromTail
	}
	return whole
}

func (p parts) cureGuarded(inTail bool) cure {
	switch {
	case p.byHead && p.listedAt(p.guard.Place-1):
		if p.Place != p.guard.Place && p.listedAt(p.Place-1) {
			return dropFromHead
		}
		return whole
	case !p.listedAt(p.guard.Place-1) && p.shard() >= 0:
		return putGuard // it names the wrong shard
	case p.byHead:
		return whole
	case inTail && p.shard() < 0:
		return putInHead
	case inTail:
		return whole
	case p.shard() >= 0:
		return putInTail
	}
	return dropGuard
}

// shard is where the head's list has the edge, -1 for nowhere.
func (p parts) shard() int {
	if p.byHead && p.listedAt(p.Place-1) {
		return p.Place - 1
	}
	return slices.Index(p.tails, p.Tail)
}

func (p parts) listedAt(shard int) bool {
	return shard < MaxShards && p.tails[shard] == p.Tail
}

// curedShard is the shard of the head's list that the cure is about.
func (p parts) curedShard(c cure) int {
	switch {
	case c == dropFromHead:
		return p.Place - 1
	case c != putGuard && p.guarded():
		return min(p.guard.Place, MaxShards) - 1
	}
	return max(p.shard(), 0)
}
