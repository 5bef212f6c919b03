package edgetest

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/edge"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// damagedItems damages one item of ann's edge to bob at a time.
func damagedItems[E any](t *testing.T, f Feature[E]) {
	type on = scene[E]
	type damage struct {
		do         func(on)
		unreadable bool // the edge cannot be read
		uncounted  bool // bob's counts cannot be read
		unwritable bool // nor be written
		byKey      bool // but not if counters are read by key
		always     bool // tried by features whose tails are counted, even unless faults.Full
		unlisted   int  // edges missing in ann's list
		unheaded   int  // edges missing in bob's list
		ann, bob   edge.Drift
	}
	broken := func(attribute string, value any) damage {
		return damage{do: func(s on) { s.Set(s.guardKey(), s.attribute(attribute), value) }, unreadable: true, always: value == 0,
			ann: edge.Drift{Damaged: 1, Torn: 1}, bob: edge.Drift{Torn: 1}}
	}
	rowAt := func(sk string) damage {
		return damage{do: func(s on) { s.Set(Key{s.rowOfTail()[0], sk}, f.Shape.Head, "bob") }, ann: edge.Drift{Damaged: 1}}
	}
	miscounted := func(value any, unwritable bool) damage {
		return damage{do: func(s on) { s.Set(s.headCounter(), s.attribute(f.Shape.Count), value) }, uncounted: true, unwritable: unwritable,
			bob: edge.Drift{Damaged: 1, Heads: map[string]int64{f.first(): -1}, Counters: 1}}
	}
	version := func(value any) damage {
		return damage{do: func(s on) { s.Set(s.headCounter(), "ver", value) }, uncounted: true, unwritable: true, always: value == 1e100, bob: edge.Drift{Damaged: 1}}
	}
	cases := map[string]damage{
		"an id of another type": broken("id", 5),
		"an id that is none":    broken("id", "0000000000000"),
		"a shard that is none":  broken("shard", 1_000_000_000),
		"a negative shard":      broken("shard", -1),
		"the first shard":       broken("shard", 0), // which no guard names
		"an id that ended and is the last": {do: func(s on) {
			s.Set(s.guard(Edge{Tail: "ann", Head: "dan"}), s.attribute("ended"), ids.ID(1<<63-1).String())
			s.Set(s.guard(Edge{Tail: "ann", Head: "dan"}), "ttl", 5)
			s.Set(s.guard(Edge{Tail: "ann", Head: "dan"}), "ver", 5)
		}, always: true, ann: edge.Drift{Damaged: 1}},
		"an expiry beside an edge": {do: func(s on) { s.Set(s.guardKey(), "ttl", 5) },
			ann: edge.Drift{Damaged: 1}},
		"no name in the list": {do: func(s on) { s.Set(s.rowOfTail(), f.Shape.Head, true) }, unlisted: 1,
			ann: edge.Drift{Damaged: 1, Torn: 1}},
		"a key that is the zero id":  rowAt("0000000000000"),
		"a key that is none":         rowAt("zzz"),
		"a count of another type":    miscounted("many", true),
		"a count that is a fraction": miscounted(1.5, false),
		"a count past all digits":    miscounted(1e100, true),
		"a version of another type":  version("x"),
		"a version past all digits":  version(1e100),
		"a shard that readers cannot read": {do: func(s on) { s.Set(s.headCounter(), "shards", []int{-1}) }, uncounted: true,
			bob: edge.Drift{Damaged: 1, Counters: 1}},
	}
	if f.mutual() { // otherwise a name may be a tail and a head of one edge
		cases["the tail in its own list"] = damage{do: func(s on) { s.Set(s.rowOfTail(), f.Shape.Head, "ann") }, always: true, unlisted: 1,
			ann: edge.Drift{Damaged: 1, Torn: 1}}
		cases["the head in its own list"] = damage{do: func(s on) { s.Set(s.rowOfHead(), f.Shape.Tail, "bob") }, always: true, unheaded: 1,
			ann: edge.Drift{Torn: 1}, bob: edge.Drift{Damaged: 1, Heads: map[string]int64{f.first(): 1}, Counters: 1}}
		cases["an edge of a name to itself"] = damage{do: func(s on) {
			loop := Edge{Tail: "ann", Head: "ann", ID: otherID}
			s.Set(s.guard(loop), "id", otherID.String())
			s.Set(s.inTail(loop), f.Shape.Head, "ann")
			s.Set(s.inHead(loop, 0), f.Shape.Tail, "ann")
		}, always: true, ann: edge.Drift{Damaged: 3}}
	}
	if !f.Shape.Apart {
		cases["another item among the counters"] = damage{do: func(s on) { s.Set(Key{s.headCounter()[0], "1000000000"}, f.Shape.Count, 1) },
			uncounted: true, byKey: true, bob: edge.Drift{Damaged: 1}}
	}
	for i, name := range slices.Sorted(maps.Keys(cases)) {
		c := cases[name]
		brief := !faults.Full() && i/2%2 != i%2                              // half of those that a feature tries
		if (brief || !f.tries(i)) && !c.byKey && !(c.always && f.mutual()) { // only one of them can have that
			continue
		}
		t.Run(name, func(t *testing.T) {
			s := damagedScene(t, f, 1, func(on) {})
			reported := map[string]bool{}
			opts := spread(1)
			opts.OnCorrupt = func(e *plaza.CorruptError) { reported[e.PK] = true }
			w := s.process(t, opts)
			c.do(s)

			_, err := w.Get(t.Context(), f.Of(s.edge))
			kinds, reachable := w.Kinds(t.Context(), "ann", []string{"bob"})
			require.NoError(t, reachable)
			require.Equal(t, !c.unreadable, slices.Contains(kinds["bob"], s.edge.Kind))
			if c.unreadable {
				require.ErrorIs(t, err, plaza.ErrCorrupt)
				w.refuses(t, s.edge.anyID(), plaza.ErrCorrupt)
				_, err = w.End(t.Context(), f.Of(s.edge.anyID()))
				require.ErrorIs(t, err, plaza.ErrCorrupt)
				require.True(t, reported[s.guardKey()[0]])
			} else {
				require.NoError(t, err)
			}
			_, err = w.Counts(t.Context(), "bob")
			many, reachable := w.CountsMany(t.Context(), []string{"cat", "bob"})
			require.NoError(t, reachable)
			g := standing(append(s.others, s.edge)...)
			require.Equal(t, w.countIn(g, "cat"), many["cat"])
			if c.uncounted {
				require.ErrorIs(t, err, plaza.ErrCorrupt)
				_, there := many["bob"]
				require.Equal(t, c.byKey, there)
			} else {
				require.NoError(t, err)
				require.Equal(t, w.countIn(g, "bob"), many["bob"])
			}
			require.Len(t, w.read(t, w.ByTail, "ann", f.first(), 1), 2-c.unlisted)
			require.Len(t, w.read(t, w.ByHead, "bob", f.first(), 1), 1-c.unheaded)
			if c.unwritable {
				_, err := w.End(t.Context(), f.Of(s.edge))
				OnlyDamage(t, "End", err)
				require.Error(t, err)
				_, _, err = w.try(t.Context(), Edge{Tail: "eve", Head: "bob", Kind: f.first()})
				OnlyDamage(t, "Begin", err)
				require.Error(t, err)
			}

			for i, of := range s.edge.ends() {
				drift, err := w.Check(t.Context(), of)
				require.NoError(t, err)
				require.Equal(t, []edge.Drift{c.ann, c.bob}[i], drift, "Check of %+v", of)
			}
			w.repair(t, s.edge.ends()...)
			if faults.Full() {
				w.requireSound(t, s.edge)
			}
			w.requireStored(t, g.edges()...)
		})
	}
}

// damagedCounter tears an edge whose head's counter is damaged: the head must
// be repaired first.
func damagedCounter[E any](t *testing.T, f Feature[E]) {
	s := damagedScene(t, f, 1, func(s scene[E]) {
		s.Remove(s.rowOfHead())
		s.Set(s.headCounter(), "ver", 1.5)
	})
	_, err := s.Repair(t.Context(), edge.Ends{Tail: "ann"})
	require.ErrorIs(t, err, plaza.ErrCorrupt)
	s.repair(t, edge.Ends{Head: "bob"}, edge.Ends{Tail: "ann"})
	s.requireStored(t, append(s.others, s.edge)...)
	s.requireSound(t, s.edge)
}

// damagedShards damages the set that names the shards.
func damagedShards[E any](t *testing.T, f Feature[E]) {
	w := newWorld(t, f, spread(8))
	for i, shards := range faults.Some[any](1, []int{-1}, []string{"3"}, []int{1_000_000_000}, []int{0, 3}) {
		photo := fmt.Sprint("photo", i)
		all := w.crowd(t, photo, faults.Size(12, 6), f.free())
		key, last := layout{f.Shape}.counter(photo, 0), all[len(all)-1]
		require.NoError(t, dynamotest.DB(t).Table(w.table).Update("pk", key[0]).Range("sk", key[1]).SetSet("shards", shards).Run(t.Context()))
		gone := 0
		if shard := shardOf(last.ID, 8); shard > 0 {
			w.hand(t).Remove(layout{f.Shape}.counter(photo, shard))
			gone = 1
		}
		_, err := w.Counts(t.Context(), photo)
		require.ErrorIs(t, err, plaza.ErrCorrupt)
		many, err := w.CountsMany(t.Context(), []string{photo, "film"})
		require.NoError(t, err)
		require.NotContains(t, many, photo)
		require.Len(t, many, 1)
		require.Equal(t, standing(all...).edges(), w.read(t, w.ByHead, photo, f.free(), 25))
		drift, err := w.Repair(t.Context(), edge.Ends{Head: photo})
		require.NoError(t, err)
		require.Equal(t, 1, drift.Damaged)
		require.Equal(t, 1+gone, drift.Counters)
		w.holds(t, standing(all...), nil, []string{photo})
	}
}

// manyDamagedRows puts more damaged rows than a page reads into one of the
// merged lists.
func manyDamagedRows[E any](t *testing.T, f Feature[E]) {
	in := faults.New(t, 1, faults.Rates{})
	w := newWorld(t, f, spread(1), in.Wrap)
	all := w.crowd(t, "star", 8, f.some()...)
	want := standing(all...).edges()
	row := layout{f.Shape}.inHead(all[0], 0)
	batch := dynamotest.DB(t).Table(w.table).Batch("pk", "sk").Write()
	const n = 100 // with fewer, no page ends among them
	for i := range n {
		for _, sk := range []string{
			fmt.Sprintf("zzz%03d", i), fmt.Sprintf("%v%03d", all[2].ID, i), (all[3].ID + 1 + ids.ID(i)).String(), fmt.Sprintf("!%03d", i),
		} {
			batch = batch.Put(map[string]any{"pk": row[0], "sk": sk, f.Shape.Tail: i})
		}
	}
	_, err := batch.Run(t.Context())
	require.NoError(t, err)
	for _, limit := range faults.Some(2, 1, 3, 25) {
		require.Equal(t, want, w.boundedRead(t, w.ByHead, limit, in, 6*(1+len(f.kinds()))))
		if w.Walk != nil {
			require.Equal(t, want, w.boundedRead(t, w.walk, limit, in, f.WalkMost))
		}
	}
	// Then back.
	page, err := w.ByHead(t.Context(), "star", "", cursor.PageRequest{Limit: 3})
	require.NoError(t, err)
	for req := page.Prev; ; req = page.Prev {
		page, err = w.ByHead(t.Context(), "star", "", cursor.PageRequest{Cursor: req, Limit: 3})
		require.NoError(t, err)
		require.Empty(t, page.Items)
		if page.Prev == "" || page.Prev == req {
			break
		}
	}
	if !faults.Full() {
		return // damagedItems repairs such rows
	}
	w.repairs(t, edge.Ends{Head: "star"}, edge.Drift{Damaged: 4 * n})
	w.requireStored(t, all...)
}

// boundedRead reads star's edges by a list, each page in at most so many requests.
func (w world[E]) boundedRead(t *testing.T, list list[E], limit int, in *faults.Injector, most int) (got []Edge) {
	t.Helper()
	req := cursor.PageRequest{Limit: limit}
	for pages := 0; ; pages++ {
		require.Less(t, pages, 400, "by %d", limit)
		before := in.Requests()
		page, err := list(t.Context(), "star", "", req)
		require.NoError(t, err)
		require.LessOrEqual(t, in.Requests()-before, most, "by %d", limit)
		got = append(got, w.see(page.Items)...)
		if req.Cursor = page.Next; req.Cursor == "" {
			return got
		}
	}
}

// OnlyDamage fails on an error that neither damage nor one of or explains.
func OnlyDamage(t *testing.T, what string, err error, or ...error) {
	t.Helper()
	for _, other := range or {
		if errors.Is(err, other) {
			return
		}
	}
	if err != nil {
		require.ErrorIs(t, err, plaza.ErrCorrupt, what)
		require.NotErrorIs(t, err, plaza.ErrInvalid, what)
		var corrupt *plaza.CorruptError
		require.ErrorAs(t, err, &corrupt, what)
		require.NotEmpty(t, corrupt.Table+corrupt.PK+corrupt.Reason, what)
	}
}
