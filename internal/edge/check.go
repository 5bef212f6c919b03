package edge

import (
	"context"
	"hash/maphash"
	"iter"
	"slices"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Drift counts what is wrong in the stored data of some ends.
type Drift struct {
	// Heads and Tail are by how much the counts are above (or, if negative,
	// below) the edges. Heads has only the kinds whose counts are wrong.
	Heads    map[string]int64
	Tail     int64
	Counters int // wrong or missing counters
	Torn     int // edges with one of their three items missing or wrong
	Orphans  int // items without the other two of their edge
	Damaged  int // items that cannot be read; else they count as absent
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

// Check compares counts, lists and edges, and changes nothing. An edge whose
// item in the head's list is gone is found by Check of its tail. If the edges
// keep changing, the error is plaza.ErrBusy.
//
// Cost: 1 request for about 100 edges, 1 RCU for each edge and 1 for about 20.
func (g *Graph) Check(ctx context.Context, of Ends) (Drift, error) {
	for range attempts {
		drift, moved, err := g.checkOnce(ctx, of)
		if err != nil || !moved {
			return drift, err
		}
	}
	return Drift{}, plaza.ErrBusy
}

func (g *Graph) checkOnce(ctx context.Context, of Ends) (drift Drift, moved bool, err error) {
	damaged := func(dynamo.Item, []string) error {
		drift.Damaged++
		return nil
	}
	if of.Head == "" {
		err = g.findTorn(ctx, of, nil, damaged, func(c candidate) error {
			s, err := g.readSteadyState(ctx, c)
			drift.add(s.fix().drift())
			return err
		})
		return drift, false, err
	}
	before, err := g.everyCounter(ctx, of.Head, damaged)
	if err != nil {
		return Drift{}, false, err
	}
	lists := g.listsOf(before)
	want, err := g.countLists(ctx, of, lists)
	if err != nil {
		return Drift{}, false, err
	}
	err = g.findTorn(ctx, of, lists, damaged, func(c candidate) error {
		s, err := g.readState(ctx, c)
		if err != nil {
			return err
		}
		fix := s.fix()
		drift.add(fix.drift())
		switch fix {
		case putInTail:
			want.tail++
		case dropFromTail:
			want.tail--
		case dropFromHead:
			want.heads[c.Place-1][c.Kind]--
		}
		return nil
	})
	if err != nil {
		return Drift{}, false, err
	}
	for _, c := range corrections(before, want) {
		drift.add(c.drift())
	}
	after, err := g.everyCounter(ctx, of.Head, nil)
	return drift, !slices.EqualFunc(before, after, counter.sameVersion), err
}

// checkParallel is how many requests a Check, Repair or Erase runs at once.
const checkParallel = 8

// candidate is an edge that may be torn. Its Place is the one that its guard or
// the list of its head has.
type candidate struct {
	Edge
	byHead bool // found in the head's list
}

// findTorn visits the edges of these ends whose items do not agree, and some
// that changed meanwhile. Damaged items count as absent; it calls damaged with
// each of them first.
func (g *Graph) findTorn(ctx context.Context, of Ends, lists []place, damaged onDamaged, visit func(candidate) error) error {
	if of.Tail != "" {
		if err := g.findTornByTail(ctx, of.Tail, damaged, visit); err != nil {
			return err
		}
	}
	for _, list := range lists {
		err := g.compareRows(ctx, g.headList(ctx, of.Head, list.kind, list.shard, damaged), func(row, guard Edge) error {
			if row == guard {
				return nil
			}
			return visit(candidate{Edge: row, byHead: true})
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (g *Graph) findTornByTail(ctx context.Context, tail string, damaged onDamaged, visit func(candidate) error) error {
	paired, err := g.paired(ctx, tail, damaged)
	if err != nil {
		return err
	}
	if err := g.compareGuards(ctx, tail, paired, visit); err != nil || paired {
		return err
	}
	return g.compareRows(ctx, g.tailList(ctx, tail, nil), func(row, guard Edge) error {
		if row.ID == guard.ID {
			return nil
		}
		return visit(candidate{Edge: row})
	})
}

// paired reports whether the guards of tail and its lists hold the same edges.
// It compares sums of hashes, so it need not read each edge by key.
func (g *Graph) paired(ctx context.Context, tail string, damaged onDamaged) (bool, error) {
	seed := maphash.MakeSeed()
	var difference uint64
	for guards, err := range g.guards(ctx, tail, damaged) {
		if err != nil {
			return false, err
		}
		for _, e := range guards {
			e.Place = 0
			difference += maphash.Comparable(seed, e)
		}
	}
	for rows, err := range g.tailList(ctx, tail, damaged) {
		if err != nil {
			return false, err
		}
		for _, e := range rows {
			difference -= maphash.Comparable(seed, e)
		}
	}
	return difference == 0, nil
}

// compareGuards reads the list items of each guard. It reads those of the
// tail's lists only if guards and lists are not paired.
func (g *Graph) compareGuards(ctx context.Context, tail string, paired bool, visit func(candidate) error) error {
	for guards, err := range g.guards(ctx, tail, nil) {
		if err != nil {
			return err
		}
		var wanted []store.Key
		for _, e := range guards {
			wanted = append(wanted, g.HeadKey(e))
			if e.Place > 1 {
				wanted = append(wanted, g.CounterKey(e.Head, e.Place-1))
			}
			if !paired {
				wanted = append(wanted, g.TailKey(e))
			}
		}
		found, err := g.table.GetAll(ctx, wanted, true, checkParallel)
		if err != nil {
			return err
		}
		for _, e := range guards {
			open := e.Place == 1 || found[g.CounterKey(e.Head, e.Place-1)] != nil
			listed := open && textIn(found[g.HeadKey(e)][g.Tail]) == tail
			if listed && (paired || textIn(found[g.TailKey(e)][g.Head]) == e.Head) {
				continue
			}
			if err := visit(candidate{Edge: e}); err != nil {
				return err
			}
		}
	}
	return nil
}

// compareRows compares each row of a list with the guard of its pair. guard is
// the zero Edge if there is none.
func (g *Graph) compareRows(ctx context.Context, list iter.Seq2[[]Edge, error], compare func(row, guard Edge) error) error {
	for rows, err := range list {
		if err != nil {
			return err
		}
		wanted := make([]store.Key, len(rows))
		for i, row := range rows {
			wanted[i] = g.GuardKey(row)
		}
		found, err := g.table.GetAll(ctx, wanted, true, checkParallel)
		if err != nil {
			return err
		}
		for i, row := range rows {
			guard, err := g.Standing(row, found[wanted[i]])
			if err != nil { // not there, or damaged
				guard = Edge{}
			}
			if err := compare(row, guard); err != nil {
				return err
			}
		}
	}
	return nil
}

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
	if s.guard.Stands() && !s.guarded() {
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
