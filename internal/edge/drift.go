package edge

import (
	"context"
	"slices"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Drift counts what is wrong in the stored data of some ends.
type Drift struct {
	// Heads and Tail are the counts minus the numbers of edges. Heads has only the
	// kinds whose counts are wrong.
	Heads    map[string]int64
	Tail     int64
	Counters int // wrong or missing counters
	Torn     int // edges with one of their three items missing or wrong
	Orphans  int // items without the other two of their edge
	Damaged  int // items that cannot be read; the other fields count them as absent
}

func (d *Drift) add(e Drift) {
	for kind, n := range e.Heads {
		d.addHeads(kind, n)
	}
	d.Tail += e.Tail
	d.Counters += e.Counters
	d.Torn += e.Torn
	d.Orphans += e.Orphans
	d.Damaged += e.Damaged
}

func (d *Drift) addHeads(kind string, n int64) {
	if n == 0 {
		return
	}
	if d.Heads == nil {
		d.Heads = map[string]int64{}
	}
	if d.Heads[kind] += n; d.Heads[kind] == 0 {
		delete(d.Heads, kind)
	}
}

// candidate is an edge that may be torn. Its Place is the one that its guard or
// the list of its head has.
type candidate struct {
	Edge
	byHead bool // found in the head's list
}

// checkParallel is how many requests a Check, Repair or Erase runs at once.
const checkParallel = 8

// state is what is stored of a candidate edge.
type state struct {
	candidate
	guard Held // of the pair and kind, with this id or another
	// guardAlone means that guard has another id, which no list has. The guard
	// counts as absent.
	guardAlone bool
	// closed means that the guard holds this edge in a shard without a counter,
	// which readers do not know.
	closed bool

	head  string   // in the item of the tail's list
	tails []string // in the item of each shard of the head's list

	stored map[store.Key]dynamo.Item // the items that were read
}

// guarded reports whether the guard holds this edge.
func (s state) guarded() bool { return s.guard.ID == s.ID }

// readState reads what is stored of an edge: 66 RCU, 1 more if its shard is not
// the first, and 65 more if its pair has another edge of the kind.
func (g *Graph) readState(ctx context.Context, c candidate) (state, error) {
	s := state{candidate: c}
	found, err := g.table.GetAll(ctx, append(g.listKeys(c.Edge), g.GuardKey(c.Edge)), true, checkParallel)
	if err != nil {
		return s, err
	}
	s.stored = found
	s.head, s.tails = g.listedIn(c.Edge, found)
	if held, err := g.HeldBy(found[g.GuardKey(c.Edge)], c.Edge); err == nil { // a damaged guard counts as absent
		s.guard = held
	}
	if s.guarded() && s.guard.Place > 1 {
		counter := g.CounterKey(c.Head, s.guard.Place-1)
		if found, err = g.table.GetAll(ctx, []store.Key{counter}, true, 1); err != nil {
			return s, err
		}
		s.closed = found[counter] == nil
	}
	if s.guard.Exists() && !s.guarded() {
		if found, err = g.table.GetAll(ctx, g.listKeys(s.guard.Edge), true, checkParallel); err != nil {
			return s, err
		}
		head, tails := g.listedIn(s.guard.Edge, found)
		s.guardAlone = head != c.Head && !slices.Contains(tails, c.Tail)
	}
	return s, nil
}

// readSteadyState repeats readState until two results are equal. A tail that is
// not counted has no version, which would show a change between the reads of
// one readState. An id begins once and ends once, so during at least one of two
// equal results it did neither.
func (g *Graph) readSteadyState(ctx context.Context, c candidate) (state, error) {
	s, err := g.readState(ctx, c)
	for range attempts {
		if err != nil || s.fix() == nothing {
			return s, err
		}
		before := s
		if s, err = g.readState(ctx, c); err == nil && s.equal(before) {
			return s, nil
		}
	}
	return s, plaza.ErrBusy
}

func (s state) equal(t state) bool {
	return s.guard == t.guard && s.guardAlone == t.guardAlone && s.head == t.head && slices.Equal(s.tails, t.tails)
}

// listKeys are all keys that the edge can have in lists.
func (g *Graph) listKeys(e Edge) []store.Key {
	keys := []store.Key{g.TailKey(e)}
	for shard := range MaxShards {
		e.Place = shard + 1
		keys = append(keys, g.HeadKey(e))
	}
	return keys
}

// listedIn are the names in an edge's rows, "" for those that cannot be read.
func (g *Graph) listedIn(e Edge, found map[store.Key]dynamo.Item) (head string, tails []string) {
	keys := g.listKeys(e)
	for _, key := range keys[1:] {
		row, _ := g.listed(Edge{Head: e.Head}, found[key])
		tails = append(tails, row.Tail)
	}
	row, _ := g.listed(Edge{Tail: e.Tail}, found[keys[0]])
	return row.Head, tails
}

const (
	putGuard fix = iota
	putInTail
	putInHead
	dropGuard
	dropFromTail
	dropFromHead
	nothing
)

// fix is a write that makes an edge whole, or removes what is left of it.
type fix int

// removes reports whether the fix removes the item.
func (f fix) removes() bool { return f >= dropGuard }

// item is the index in pieces of the item that is written.
func (f fix) item() fix { return f % dropGuard }

func (f fix) drift() Drift {
	switch {
	case f == nothing:
		return Drift{}
	case f.removes():
		return Drift{Orphans: 1}
	}
	return Drift{Torn: 1}
}

// fix decides by two items of three. It removes an item only from the list in
// which the candidate was found, because that end's counts are set afterwards.
func (s state) fix() fix {
	inTail := s.head == s.Head
	switch {
	case s.guarded():
		return s.fixGuarded(inTail)
	case s.guard.Exists() && !s.guardAlone, s.guard.Ended >= s.ID:
		// The pair has another edge, or this one has ended: its items are
		// leftovers.
	case inTail && s.shard() >= 0:
		return putGuard
	}
	switch {
	case s.byHead && s.listedAt(s.Place-1):
		return dropFromHead
	case !s.byHead && inTail:
		return dropFromTail
	}
	return nothing
}

func (s state) fixGuarded(inTail bool) fix {
	switch {
	case s.byHead && s.listedAt(s.guard.Place-1):
		if s.Place != s.guard.Place && s.listedAt(s.Place-1) {
			return dropFromHead
		}
		return nothing
	case !s.listedAt(s.guard.Place-1) && s.shard() >= 0:
		return putGuard // it names the wrong shard
	case s.byHead:
		return nothing
	case inTail && (s.shard() < 0 || s.closed):
		return putInHead
	case inTail:
		return nothing
	case s.shard() >= 0:
		return putInTail
	}
	return dropGuard
}

// shard is the shard of the head's list that has the edge, -1 if none has.
func (s state) shard() int {
	if s.byHead && s.listedAt(s.Place-1) {
		return s.Place - 1
	}
	return slices.Index(s.tails, s.Tail)
}

func (s state) listedAt(shard int) bool {
	return shard < MaxShards && s.tails[shard] == s.Tail
}

// fixedShard is the shard of the head's list that f concerns.
func (s state) fixedShard(f fix) int {
	switch {
	case f == dropFromHead:
		return s.Place - 1
	case f != putGuard && s.guarded():
		return min(s.guard.Place, MaxShards) - 1
	}
	return max(s.shard(), 0)
}
