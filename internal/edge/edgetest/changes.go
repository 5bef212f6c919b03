package edgetest

import (
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/edge"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/streamtest"
	"github.com/plaza-sdk/plaza/stream"
)

func begun(e Edge) Change { return Change{true, e} }
func ended(e Edge) Change { return Change{false, e} }

// newStreamed is newWorld whose table has a stream.
func newStreamed[E any](t testing.TB, f Feature[E], opts Options) (world[E], *streamtest.Changes[Change]) {
	t.Helper()
	w := world[E]{f: f, table: dynamotest.Table(t, streamtest.Streamed(f.Table))}
	return w.process(t, opts), streamtest.Watch(t, w.table, f.Changes)
}

// reader follows a stream that delivers late and twice. It recognizes an edge by its ID.
type reader struct {
	*streamtest.Changes[Change]
	began, ended map[Edge]bool
}

func newReader[E any](t testing.TB, w world[E], records *faults.Records) reader {
	t.Helper()
	return reader{streamtest.WatchTwice(t, w.table, w.f.Changes, records), map[Edge]bool{}, map[Edge]bool{}}
}

// standing are the edges that stand, from the records so far.
func (s reader) standing(t testing.TB) graph {
	t.Helper()
	for _, c := range s.Next(t) {
		if s.began[c.Edge] = true; !c.Began {
			s.ended[c.Edge] = true
		}
	}
	g := graph{}
	for e := range s.began {
		if !s.ended[e] {
			require.NotContains(t, g, e.anyID(), "a pair has one edge of a kind")
			g[e.anyID()] = e.ID
		}
	}
	return g
}

// eachChange makes each write once, and reads what the stream reports of it.
func eachChange[E any](t *testing.T, f Feature[E]) {
	w, changes := newStreamed(t, f, spread(1))
	sees := func(what string, want ...Change) {
		t.Helper()
		require.ElementsMatch(t, want, changes.Next(t), what)
	}
	e := w.begin(t, "ann", "bob", f.first())
	sees("begin", begun(e))
	_, _, err := w.try(t.Context(), e)
	require.NoError(t, err)
	_, _, err = w.try(t.Context(), e.anyID())
	require.NoError(t, err)
	sees("a repeated begin")
	w.finish(t, e, true)
	sees("end", ended(e))
	w.finish(t, e, false)
	sees("a repeated end")
	w.refuses(t, e, plaza.ErrRemoved)
	sees("a late begin")
	w.finish(t, Edge{Tail: "ann", Head: "cat", Kind: f.first(), ID: w.id(t)}, false)
	sees("an end that came first")
	again := w.begin(t, "ann", "bob", f.first())
	sees("another edge of the pair", begun(again))

	wide := w.process(t, spread(4))
	for range faults.Size(8, 2) {
		e := wide.give(t, Edge{Tail: "ann", Head: "star", Kind: f.first(), ID: wide.idIn(t, 4, false)})
		sees("begin in another shard", begun(e))
		wide.finish(t, e.anyID(), true)
		sees("end in another shard", ended(e))
	}

	left := []Change{ended(again)}
	if len(f.OneOf) > 1 {
		other := w.begin(t, "ann", "bob", f.OneOf[1])
		got := changes.Next(t)
		require.Equal(t, []Change{ended(again), begun(other)}, got, "a switch is one record, its end first")
		free := w.begin(t, "ann", "bob", f.free())
		sees("a kind of no group", begun(free))
		left = []Change{ended(other), ended(free)}
	}
	w.repair(t, e.ends()...)
	sees("Repair of what is whole")
	require.NoError(t, w.Erase(t.Context(), edge.Ends{Tail: "ann"}))
	sees("Erase", left...)
	require.NoError(t, w.Erase(t.Context(), edge.Ends{Tail: "ann"}))
	require.NoError(t, w.Erase(t.Context(), edge.Ends{Head: "bob"}))
	sees("another Erase")
}

// repairChanges takes away the guard of an edge: Repair reports the edge again,
// with its id.
func repairChanges[E any](t *testing.T, f Feature[E]) {
	w, changes := newStreamed(t, f, spread(1))
	e := w.begin(t, "ann", "bob", f.first())
	changes.Next(t)
	w.hand(t).Remove(layout{f.Shape}.guard(e))
	require.Equal(t, []Change{ended(e)}, changes.Next(t))
	w.repair(t, e.ends()...)
	require.Equal(t, []Change{begun(e)}, changes.Next(t))
}

// expiredChanges scripts what the engine does not do within a test: a guard that
// ended long ago expires.
func expiredChanges[E any](t *testing.T, f Feature[E]) {
	const id = "32SBCWQRR0001"
	key := map[string]types.AttributeValue{
		"pk": &types.AttributeValueMemberS{Value: f.Shape.Guard + "#ann"}, "sk": &types.AttributeValueMemberS{Value: "bob"},
	}
	with := func(attributes ...string) map[string]types.AttributeValue {
		item := map[string]types.AttributeValue{"pk": key["pk"], "sk": key["sk"]}
		for i := 0; i < len(attributes); i += 2 {
			item[of(f.first(), attributes[i])] = &types.AttributeValueMemberS{Value: attributes[i+1]}
		}
		return item
	}
	parsed, err := ids.Parse(id)
	require.NoError(t, err)
	e := Edge{Tail: "ann", Head: "bob", Kind: f.first(), ID: parsed}
	for name, c := range map[string]struct {
		record stream.Record
		want   []Change
		err    error
	}{
		"an ended guard expires": {stream.Record{Kind: stream.Remove, Old: with("ended", id), ByTTL: true}, nil, nil},
		"whatever it held":       {stream.Record{Kind: stream.Remove, Old: with("id", id), ByTTL: true}, nil, nil},
		"it is deleted by hand":  {stream.Record{Kind: stream.Remove, Old: with("id", id)}, []Change{ended(e)}, nil},
		"it comes again":         {stream.Record{Kind: stream.Modify, Old: with("ended", id), New: with("id", id)}, []Change{begun(e)}, nil},
		"an id is no id":         {stream.Record{Kind: stream.Insert, New: with("id", "x")}, nil, plaza.ErrCorrupt},
		"it was no id":           {stream.Record{Kind: stream.Modify, Old: with("id", "x"), New: with("id", id)}, nil, plaza.ErrCorrupt},
		"what ended is no id":    {stream.Record{Kind: stream.Insert, New: with("ended", "x")}, nil, plaza.ErrCorrupt},
	} {
		c.record.Keys = key
		got, err := f.Changes(c.record)
		require.ErrorIs(t, err, c.err, name)
		require.ElementsMatch(t, c.want, got, name)
	}
	shard := with("id", id)
	shard[of(f.first(), "shard")] = &types.AttributeValueMemberN{Value: "64"}
	_, err = f.Changes(stream.Record{Kind: stream.Insert, Keys: key, New: shard})
	require.ErrorIs(t, err, plaza.ErrCorrupt)
	if f.mutual() { // otherwise ann may be both ends
		key["sk"] = &types.AttributeValueMemberS{Value: "ann"}
		_, err = f.Changes(stream.Record{Kind: stream.Insert, Keys: key, New: with("id", id)})
		require.ErrorIs(t, err, plaza.ErrCorrupt)
	}
}

// FuzzChanges reads guards with arbitrary attributes: it must not panic, nor
// report an edge that does not exist.
func FuzzChanges[E any](t *testing.F, f Feature[E]) {
	for seed := range uint64(8) {
		t.Add(seed)
	}
	t.Fuzz(func(t *testing.T, seed uint64) {
		streamtest.Junk(t, seed, 200, streamtest.Shapes{
			PKs: []string{f.Shape.Guard + "#ann", f.Shape.Guard, f.Shape.Guard + "#", f.Shape.Guard + "#a#b", f.Shape.Counter + "#ann"},
			SKs: []string{"bob", "", "x#y"},
			Attributes: slices.Concat(
				[]string{"id", "shard", "ended", "ttl", "import", "id#", "id#like#x"},
				[]string{of(f.first(), "id"), of(f.first(), "shard"), of(f.first(), "ended")}),
			Values: []string{"32SBCWQRR0001", "7ZZZZZZZZZZZZ", "0000000000000"},
		}, func(r stream.Record) error {
			changes, err := f.Changes(r)
			for _, c := range changes {
				if c.Edge.ID == 0 || c.Edge.Tail == "" || c.Edge.Head == "" {
					t.Errorf("%+v is no edge", c)
				}
			}
			return err
		})
	})
}
