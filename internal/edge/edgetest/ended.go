package edgetest

import (
	"cmp"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// late holds back the first n transactions of a process.
func late(n int) *faults.Late {
	return &faults.Late{Holds: func(op string, _ []byte) bool {
		if op != "TransactWriteItems" || n == 0 {
			return false
		}
		n--
		return true
	}}
}

// always is more than the SDK's attempts of a request.
const always = 100

// endedStaysEnded lets the request of a Begin arrive after its caller has given
// up, and has begun and ended the edge in another way.
func endedStaysEnded[E any](t *testing.T, f Feature[E]) {
	type step = func(t *testing.T, w world[E], e Edge)
	var (
		again    = func(t *testing.T, w world[E], e Edge) { w.give(t, e) }
		end      = func(t *testing.T, w world[E], e Edge) { w.finish(t, e.anyID(), true) }
		endID    = func(t *testing.T, w world[E], e Edge) { w.finish(t, e, true) }
		remember = func(t *testing.T, w world[E], e Edge) { w.finish(t, e, false) }
		another  = func(t *testing.T, w world[E], e Edge) { w.begin(t, e.Tail, e.Head, e.Kind) }
		older    = func(t *testing.T, w world[E], e Edge) {
			e.ID--
			w.finish(t, e, false)
		}
		erase = func(t *testing.T, w world[E], e Edge) {
			for _, of := range e.ends() {
				require.NoError(t, w.Erase(t.Context(), of))
			}
		}
	)
	type story struct {
		given bool // the caller gives the ID
		held  int
		then  []step
		left  []Edge
	}
	stories := map[string]story{
		"repeated with its id, and ended":                     {true, always, []step{again, end}, nil},
		"repeated with the minted id, and ended":              {false, always, []step{again, endID}, nil},
		"repeated by the SDK with the minted id, and ended":   {false, 1, []step{end}, nil},
		"repeated by the SDK with its id, and ended":          {true, 1, []step{end}, nil},
		"ended at once, by its id":                            {true, always, []step{remember, remember}, nil},
		"ended at once, by the minted id":                     {false, always, []step{remember}, nil},
		"ended at once, by its id, after another was":         {true, always, []step{older, remember}, nil},
		"ended, and begun and ended again":                    {true, always, []step{remember, another, end}, nil},
		"begun and ended by another process, with a later id": {true, always, []step{another, end}, nil},
		"repeated, and erased":                                {true, always, []step{again, erase}, nil},
	}
	if f.hasKinds() {
		other := Edge{Tail: "jack", Head: "chris", Kind: f.OneOf[1]}
		free := Edge{Tail: "jack", Head: "chris", Kind: f.free()}
		begins := func(e Edge) step { return func(t *testing.T, w world[E], _ Edge) { w.give(t, e) } }
		ends := func(e Edge) step { return func(t *testing.T, w world[E], _ Edge) { w.finish(t, e, true) } }
		stories["repeated, and switched"] = story{true, always, []step{again, begins(other)}, []Edge{other}}
		stories["repeated, switched, and ended"] = story{true, always, []step{again, begins(other), ends(other)}, nil}
		stories["repeated, ended, and another kind begun"] = story{true, always, []step{again, end, begins(free)}, []Edge{free}}
	}
	for i, name := range slices.Sorted(maps.Keys(stories)) {
		if !f.tries(i) {
			continue
		}
		c := stories[name]
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, f, spread(2))
			l := late(c.held)
			first := w.process(t, spread(2), l.Wrap)
			e := Edge{Tail: "jack", Head: "chris", Kind: f.first()}
			if c.given {
				e.ID = first.id(t)
			}
			e, _, err := first.try(t.Context(), e)
			if c.held == 1 {
				require.NoError(t, err)
			} else {
				require.ErrorIs(t, err, plaza.ErrUnknownOutcome)
			}
			for _, then := range c.then {
				then(t, w, e)
			}

			require.Zero(t, l.Arrive(t))
			w.refuses(t, e, plaza.ErrRemoved)
			w.requireStored(t, c.left...)
			if faults.Full() {
				w.requireSound(t, e)
			}
		})
	}
}

// lateEnd lets an End arrive after the edge has ended and begun again.
func lateEnd[E any](t *testing.T, f Feature[E]) {
	w := newWorld(t, f, spread(1))
	old, _, err := w.Begin(t.Context(), f.Of(Edge{Tail: "jack", Head: "chris", Kind: f.first()}))
	require.NoError(t, err)
	l := late(always)
	_, err = w.process(t, spread(1), l.Wrap).End(t.Context(), old)
	require.ErrorIs(t, err, plaza.ErrUnknownOutcome)
	w.finish(t, f.See(old), true)
	again := w.begin(t, "jack", "chris", f.first())
	require.Zero(t, l.Arrive(t))
	w.requireStored(t, again)
}

// endMeetsBegin lets the Begin arrive just before End remembers its id.
func endMeetsBegin[E any](t *testing.T, f Feature[E]) {
	w := newWorld(t, f, spread(1))
	e := Edge{Tail: "jack", Head: "chris", Kind: f.first(), ID: w.id(t)}
	arrived := false
	meeting := w.process(t, spread(1), faults.Before(t, "UpdateItem", func() {
		arrived = true
		w.give(t, e)
	}).Wrap)
	meeting.finish(t, e, true)
	require.True(t, arrived)
	w.requireStored(t)
	w.refuses(t, e, plaza.ErrRemoved)
}

// clockBehind checks that a minted id that is too small becomes one after the
// ended id, in the shard of the new id.
func clockBehind[E any](t *testing.T, f Feature[E]) {
	const shards = 8
	now := newWorld(t, f, spread(shards))
	behind := now.withClock(t, spread(shards), -time.Hour)
	var last ids.ID
	for range faults.Seeds(20) {
		before := now.begin(t, "jack", "chris", f.first())
		if f.hasKinds() { // a switch ends it
			now.finish(t, now.begin(t, "jack", "chris", f.OneOf[1]), true)
		} else {
			now.finish(t, before.anyID(), true)
		}
		again := behind.begin(t, "jack", "chris", f.first())
		require.Equal(t, before.ID.Time().Add(time.Millisecond), again.ID.Time())
		now.requireStored(t, again)
		guard := Scan(t, now.table)[layout{f.Shape}.guard(again)]
		require.Equal(t, shardOf(again.ID, shards), shardIn(t, guard, again.Kind))

		require.Equal(t, again, behind.give(t, again))
		now.finish(t, again.anyID(), true)
		now.refuses(t, again, plaza.ErrRemoved)
		last = again.ID
	}

	// Each further edge has an id one millisecond later.
	for range 5 {
		e := behind.begin(t, "jack", "chris", f.first())
		require.Greater(t, e.ID, last)
		last = e.ID
		behind.finish(t, e.anyID(), true)
	}
	now.requireSound(t, Edge{Tail: "jack", Head: "chris"})
}

func lateWrongClocks[E any](t *testing.T, f Feature[E]) {
	for name, off := range map[string]time.Duration{"behind": -time.Hour, "ahead": time.Hour} {
		w := newWorld(t, f, spread(1))
		e := w.begin(t, "jack", "chris", f.first()).anyID()
		w.finish(t, e, true)
		// With a clock that is behind, the first transaction is refused and the
		// second has a later id.
		held := 0
		l := &faults.Late{Holds: func(op string, _ []byte) bool {
			if op == "TransactWriteItems" {
				held++
			}
			return held > 0 && (off > 0 || held > 1)
		}}
		e, _, err := w.withClock(t, spread(1), off, l.Wrap).try(t.Context(), e)
		require.ErrorIs(t, err, plaza.ErrUnknownOutcome, name)
		then := w
		if off > 0 {
			opts := spread(1)
			opts.Now = func() time.Time { return time.Now().Add(off) }
			then = w.withClock(t, opts, off)
		}
		then.give(t, e)
		w.finish(t, e.anyID(), true)
		require.Zero(t, l.Arrive(t), name)
		w.requireStored(t)
	}
}

// shardIn is the shard in a guard of the edge of a kind.
func shardIn(t testing.TB, guard map[string]string, kind string) int {
	t.Helper()
	return number(t, cmp.Or(guard[of(kind, "shard")], "0"))
}
