package edgetest

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/edge"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// scene is a table with one edge to damage, from ann to bob, in a shard of
// bob's list other than 0 if there is one. Other edges are: ann to cat; with
// kinds, ann to bob and zoe to bob of another kind, in shard 0; if a name can
// be both a tail and a head, bob to ann.
type scene[E any] struct {
	world[E]
	Hand
	layout
	edge   Edge
	shard  int
	others []Edge
}

// damagedScene damages a new scene. Only bob is sharded.
func damagedScene[E any](t *testing.T, f Feature[E], shards int, damage func(scene[E])) scene[E] {
	t.Helper()
	opts := spread(1)
	opts.Shards = func(head string) int {
		if head == "bob" {
			return shards
		}
		return 1
	}
	w := newWorld(t, f, opts)
	s := scene[E]{world: w, Hand: w.hand(t), layout: layout{f.Shape}}
	give := func(tail, kind string, inFirst bool) Edge {
		return w.give(t, Edge{Tail: tail, Head: "bob", Kind: kind, ID: w.idIn(t, shards, inFirst)})
	}
	s.edge = give("ann", f.first(), shards == 1)
	s.others = append(s.others, w.begin(t, "ann", "cat", f.first()))
	if f.hasKinds() {
		s.others = append(s.others, give("ann", f.free(), true), give("zoe", f.free(), true))
	}
	if f.mutual() {
		s.others = append(s.others, w.begin(t, "bob", "ann", f.first()))
	}
	s.shard = shardOf(s.edge.ID, shards)
	damage(s)
	return s
}

// The items of the edge.
func (s scene[E]) guardKey() Key             { return s.guard(s.edge) }
func (s scene[E]) rowOfTail() Key            { return s.inTail(s.edge) }
func (s scene[E]) rowOfHead() Key            { return s.inHead(s.edge, s.shard) }
func (s scene[E]) headCounter() Key          { return s.counter("bob", s.shard) }
func (s scene[E]) attribute(n string) string { return of(s.edge.Kind, n) }

// unguard removes the edge from its guard and leaves the others.
func (s scene[E]) unguard() {
	switch {
	case !s.f.hasKinds():
		s.Remove(s.guardKey())
	case s.shard == 0:
		s.unset(s.guardKey(), s.attribute("id"))
	default:
		s.unset(s.guardKey(), s.attribute("id"), s.attribute("shard"))
	}
}

// another is the edge with another id.
func (s scene[E]) another() Edge {
	e := s.edge
	e.ID = otherID
	return e
}

var otherID = func() ids.ID {
	id, err := ids.Parse("0000000000ZZZ")
	if err != nil {
		panic(err)
	}
	return id
}()

// damage is a damage of a scene, and the drift that Check reports for ann and
// bob before any Repair.
type damage[E any] struct {
	do       func(scene[E])
	ann, bob edge.Drift
	repaired *edge.Drift // the report of Repair of ann, if it differs
	ends     bool        // the edge does not survive
	shards   int         // 0: any number
}

// damages returns all damages that the feature can have.
func damages[E any](f Feature[E]) map[string]damage[E] {
	type broken = scene[E]
	kind, free := f.first(), f.free()
	torn, orphan := edge.Drift{Torn: 1}, edge.Drift{Orphans: 1}
	off := func(kind string, n int64) edge.Drift {
		return edge.Drift{Heads: map[string]int64{kind: n}, Counters: 1}
	}
	// An edge that is gone is still counted if tails are counted.
	tailOff := func(d edge.Drift) edge.Drift {
		if f.mutual() {
			d.Tail, d.Counters = 1, d.Counters+1
		}
		return d
	}
	// The drift if the counter of bob's first shard is missing, without the
	// edge.
	inFirst := off(free, -2)
	if f.mutual() {
		inFirst = edge.Drift{Tail: -1, Counters: 1}
	}
	allGone := inFirst
	allGone.Heads = maps.Clone(inFirst.Heads)
	if allGone.Heads == nil {
		allGone.Heads = map[string]int64{}
	}
	allGone.Heads[kind]--
	twoGone := allGone
	twoGone.Counters = 2
	offAndOrphan := off(kind, 1)
	offAndOrphan.Orphans = 1

	all := map[string]damage[E]{
		"guard gone":          {do: broken.unguard, ann: torn, bob: torn},
		"the tail's row gone": {do: func(s broken) { s.Remove(s.rowOfTail()) }, ann: torn},
		"the head's row gone": {do: func(s broken) { s.Remove(s.rowOfHead()) }, ann: torn, bob: off(kind, 1)},

		"only the guard left": {do: func(s broken) { s.Remove(s.rowOfTail(), s.rowOfHead()) }, ends: true,
			ann: tailOff(orphan), bob: off(kind, 1)},
		"only the tail's row left": {do: func(s broken) { s.unguard(); s.Remove(s.rowOfHead()) }, ends: true,
			ann: tailOff(orphan), bob: off(kind, 1)},
		"only the head's row left": {do: func(s broken) { s.unguard(); s.Remove(s.rowOfTail()) }, ends: true,
			ann: tailOff(edge.Drift{}), bob: offAndOrphan},
		"nothing left": {do: func(s broken) { s.unguard(); s.Remove(s.rowOfTail(), s.rowOfHead()) }, ends: true,
			ann: tailOff(edge.Drift{}), bob: off(kind, 1)},

		"wrong count":            {do: func(s broken) { s.Set(s.headCounter(), of(kind, f.Shape.Count), 41) }, bob: off(kind, 40)},
		"edge not counted":       {do: func(s broken) { s.Set(s.headCounter(), of(kind, f.Shape.Count), 0) }, bob: off(kind, -1)},
		"counter gone":           {shards: 1, do: func(s broken) { s.Remove(s.headCounter()) }, bob: allGone},
		"a shard's counter gone": {shards: 5, do: func(s broken) { s.Remove(s.headCounter()) }, ann: torn, bob: off(kind, -1)},
		"first counter gone":     {shards: 5, do: func(s broken) { s.Remove(s.counter("bob", 0)) }, bob: inFirst},
		"every counter gone":     {shards: 5, do: func(s broken) { s.Remove(s.counter("bob", 0), s.headCounter()) }, ann: torn, bob: twoGone},
		"shard closed":           {shards: 5, do: func(s broken) { s.Remove(s.headCounter()); s.unset(s.counter("bob", 0), "shards") }, ann: torn},
		"shard not named":        {shards: 5, do: func(s broken) { s.unset(s.counter("bob", 0), "shards") }, bob: edge.Drift{Counters: 1}},
		"version gone": {do: func(s broken) {
			s.unset(s.headCounter(), "ver")
			s.Set(s.headCounter(), of(kind, f.Shape.Count), 7)
		}, bob: off(kind, 6)},
		"the head's row gone with its counter": {shards: 5, do: func(s broken) { s.Remove(s.rowOfHead(), s.headCounter()) },
			ann: torn, bob: edge.Drift{Counters: 1}},

		"guard of another id": {do: func(s broken) { s.Set(s.guardKey(), s.attribute("id"), otherID.String()) },
			ann: edge.Drift{Torn: 1, Orphans: 1}, bob: torn},
		"guard of another shard": {do: func(s broken) { s.Set(s.guardKey(), s.attribute("shard"), 63) }, ann: torn, bob: torn},
		"the tail's row of another": {do: func(s broken) { s.Set(s.rowOfTail(), f.Shape.Head, "zoo") },
			ann: edge.Drift{Torn: 1, Orphans: 1}, repaired: &torn},
		"the head's row of another": {do: func(s broken) { s.Set(s.rowOfHead(), f.Shape.Tail, "zoe") }, ann: torn, bob: offAndOrphan},
		"a second row of the tail":  {do: func(s broken) { s.Set(s.inTail(s.another()), f.Shape.Head, "bob") }, ann: orphan},
		"a second row of the head":  {do: func(s broken) { s.Set(s.inHead(s.another(), 0), f.Shape.Tail, "ann") }, bob: orphan},
		"a second row of both": {do: func(s broken) {
			s.Set(s.inTail(s.another()), f.Shape.Head, "bob")
			s.Set(s.inHead(s.another(), 0), f.Shape.Tail, "ann")
		}, ann: orphan, bob: orphan},
		"a row in a second shard": {shards: 5, do: func(s broken) { s.Set(s.inHead(s.edge, 0), f.Shape.Tail, "ann") }, bob: orphan},
	}
	if f.hasKinds() {
		all["guard of two gone"] = damage[E]{do: func(s broken) { s.Remove(s.guardKey()) },
			ann: edge.Drift{Torn: 2}, bob: edge.Drift{Torn: 2}}
		all["a row of another kind"] = damage[E]{do: func(s broken) {
			e := s.another()
			e.Kind = f.OneOf[1]
			s.Set(s.inTail(e), f.Shape.Head, "bob")
		}, ann: orphan}
	}
	if f.mutual() {
		all["wrong count of the tail"] = damage[E]{do: func(s broken) { s.Set(s.counter("ann", 0), f.Shape.TailCount, -1) },
			ann: edge.Drift{Tail: -3, Counters: 1}}
		all["the tail's counter gone"] = damage[E]{do: func(s broken) { s.Remove(s.counter("ann", 0)) },
			ann: edge.Drift{Heads: map[string]int64{kind: -1}, Tail: -2, Counters: 1}}
	}
	return all
}

// left returns the edges that are there after the repairs.
func (d damage[E]) left(s scene[E]) []Edge {
	if d.ends {
		return s.others
	}
	return append([]Edge{s.edge.anyID()}, s.others...)
}

func (e Edge) ends() []edge.Ends { return []edge.Ends{{Tail: e.Tail}, {Head: e.Head}} }

func repairDamages[E any](t *testing.T, f Feature[E]) {
	all := damages(f)
	for i, name := range slices.Sorted(maps.Keys(all)) {
		if every := faults.Size(1, 4); i%every > 0 || !f.tries(i/every) {
			continue
		}
		for _, c := range waysToRepair(i, all[name].shards) {
			t.Run(fmt.Sprint(name, ", ", c.shards, " shards, first ", []string{"ann", "bob"}[c.first]), func(t *testing.T) {
				t.Parallel()
				repairDamage(t, f, all[name], c.shards, c.first)
			})
		}
	}
}

// way is the number of shards of the head's list, and the end that is repaired
// first.
type way struct{ shards, first int }

// waysToRepair returns all ways if faults.Full, otherwise one: in one shard if it can
// be, and either end first, alternately.
func waysToRepair(i, shards int) (ways []way) {
	for _, n := range []int{1, 5} {
		if shards == 0 || shards == n {
			ways = append(ways, way{n, 0}, way{n, 1})
		}
	}
	if !faults.Full() {
		i %= 2
		ways = ways[i : i+1]
	}
	return ways
}

func repairDamage[E any](t *testing.T, f Feature[E], damage damage[E], shards, first int) {
	s := damagedScene(t, f, shards, damage.do)
	sides, want := s.edge.ends(), []edge.Drift{damage.ann, damage.bob}
	for i, of := range sides {
		drift, err := s.Check(t.Context(), of)
		require.NoError(t, err)
		require.Equal(t, want[i], drift, "Check of %+v", of)
	}
	if damage.repaired != nil {
		want[0] = *damage.repaired
	}

	s.repairs(t, sides[first], want[first])
	s.repair(t, sides[1-first])
	s.requireStored(t, damage.left(s)...)

	before := Scan(t, s.world.table)
	if faults.Full() {
		s.requireSound(t, s.edge)
	}
	for _, of := range faults.Some(1, sides[1-first], sides[first]) {
		s.repairs(t, of, edge.Drift{})
	}
	require.Equal(t, before, Scan(t, s.world.table))
}

// repairSeveral combines damages, also of what cannot be read. Some torn edges are repaired
// only after the counter of the other end.
func repairSeveral[E any](t *testing.T, f Feature[E]) {
	all := map[string]func(scene[E]){
		"an id of another type":     func(s scene[E]) { s.Set(s.guardKey(), s.attribute("id"), 5) },
		"no name in ann's list":     func(s scene[E]) { s.Set(s.rowOfTail(), f.Shape.Head, true) },
		"no name in bob's list":     func(s scene[E]) { s.Set(s.rowOfHead(), f.Shape.Tail, true) },
		"a count of another type":   func(s scene[E]) { s.Set(s.headCounter(), of(f.first(), f.Shape.Count), "many") },
		"a version of another type": func(s scene[E]) { s.Set(s.headCounter(), "ver", "x") },
		"a shard that is none":      func(s scene[E]) { s.Set(s.counter("bob", 0), "shards", []int{-1}) },
	}
	for name, damage := range damages(f) {
		all[name] = damage.do
	}
	names := slices.Sorted(maps.Keys(all))
	for seed := range faults.Seeds(25) {
		random := rand.New(rand.NewPCG(seed, 5))
		some := []string{"a shard's counter gone", "only the head's row left", "a shard that is none"}
		for i := 0; seed > 0 && i < len(some); i++ {
			some[i] = names[random.IntN(len(names))]
		}
		t.Run(strings.Join(some, ", "), func(t *testing.T) {
			t.Parallel()
			s := damagedScene(t, f, 5, func(s scene[E]) {
				s.loose = true
				for _, name := range some {
					all[name](s)
				}
			})
			e, plain := f.Of(s.edge), f.Of(s.edge.anyID())
			OnlyDamage(t, "Get", failed(s.Get(t.Context(), plain)), plaza.ErrNotFound)
			for name, call := range s.Further {
				OnlyDamage(t, name, call(t.Context(), e), plaza.ErrNotFound, plaza.ErrConflict)
			}
			if seed%3 == 0 {
				OnlyDamage(t, "Begin", failed(s.Begin(t.Context(), plain)), plaza.ErrConflict, plaza.ErrBusy)
				OnlyDamage(t, "End", failed(s.End(t.Context(), plain)))
			}

			tails, heads := []string{"ann", "bob", "zoe"}, []string{"bob", "cat", "ann"}
			for range 3 {
				for i, tail := range tails {
					s.read(t, s.ByTail, tail, "", 1)
					s.read(t, s.ByHead, heads[i], "", 1)
					for _, of := range []edge.Ends{{Tail: tail}, {Head: heads[i]}} {
						OnlyDamage(t, "Check", failed(s.Check(t.Context(), of)))
						OnlyDamage(t, "Repair", failed(s.Repair(t.Context(), of)))
					}
				}
			}
			g := graph{}
			for i, tail := range tails {
				s.requireSound(t, Edge{Tail: tail, Head: heads[i]})
				maps.Copy(g, standing(s.read(t, s.ByTail, tail, "", 7)...))
			}
			s.holds(t, g, tails, heads)
		})
	}
}

// endsUncounted ends and replaces an edge that a counter does not count.
func endsUncounted[E any](t *testing.T, f Feature[E]) {
	all := damages(f)
	for _, name := range []string{"edge not counted", "counter gone", "a shard's counter gone", "shard closed", "the tail's counter gone"} {
		damage, ok := all[name]
		if !ok {
			continue
		}
		s := damagedScene(t, f, max(damage.shards, 1), damage.do)
		before := Scan(t, s.world.table)
		_, err := s.End(t.Context(), f.Of(s.edge.anyID()))
		require.ErrorIs(t, err, plaza.ErrCorrupt, name)
		require.Equal(t, before, Scan(t, s.world.table), name)
		if f.hasKinds() {
			other := s.edge.anyID()
			other.Kind = f.OneOf[1]
			s.refuses(t, other, plaza.ErrCorrupt)
		}
		s.repair(t, s.edge.ends()...)
		s.finish(t, s.edge.anyID(), true)
		s.requireStored(t, s.others...)
	}
}

// repairRestoresHeadCount repairs a tail whose edge is missing in the head's
// list or elsewhere. The head's count is right at once, and a concurrent Check
// of the head notices.
func repairRestoresHeadCount[E any](t *testing.T, f Feature[E]) {
	for _, name := range faults.Some(2, "the head's row gone", "guard gone", "the tail's row gone", "the head's row of another") {
		damage := damages(f)[name]
		s := damagedScene(t, f, 5, damage.do)
		versions := func() (sum int) {
			stored := Scan(t, s.world.table)
			for shard := range edge.MaxShards {
				sum += number(t, cmp.Or(stored[s.counter("bob", shard)]["ver"], "0"))
			}
			return sum
		}
		before := versions()
		s.repairs(t, edge.Ends{Tail: "ann"}, edge.Drift{Torn: 1})
		require.Greater(t, versions(), before, name)
		s.requireStored(t, damage.left(s)...)
		s.requireSound(t, s.edge)
	}
}

// repairEnded repairs an edge that both lists still have, but whose guard says
// that it has ended.
func repairEnded[E any](t *testing.T, f Feature[E]) {
	w := newWorld(t, f, spread(1))
	e := w.begin(t, "ann", "bob", f.first())
	w.finish(t, e, true)
	l, h := layout{f.Shape}, w.hand(t)
	h.Set(l.inTail(e), f.Shape.Head, "bob")
	h.Set(l.inHead(e, 0), f.Shape.Tail, "ann")
	for _, of := range e.ends() {
		w.repairs(t, of, edge.Drift{Orphans: 1})
	}
	w.requireStored(t)
	w.requireSound(t, e)
}
