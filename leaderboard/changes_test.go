package leaderboard_test

import (
	"context"
	"fmt"
	"log"
	"maps"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/streamtest"
	"github.com/plaza-sdk/plaza/leaderboard"
	"github.com/plaza-sdk/plaza/stream"
)

// A handler of the table's stream gets each score that stands.
func ExampleChanges() {
	ctx := context.Background()
	boards, db, table, done := openStreamed(ctx, nil)
	defer done()
	if _, err := boards.Define(ctx, leaderboard.Board{Name: "StarWar"}); err != nil {
		log.Fatal(err)
	}
	for _, score := range []int64{60, 50, 90} {
		_, _, err := boards.Submit(ctx, leaderboard.Submission{Board: "StarWar", Player: "userA", Score: leaderboard.Int(score)})
		if err != nil {
			log.Fatal(err)
		}
	}
	if _, err := boards.Remove(ctx, leaderboard.In{Board: "StarWar"}, "userA"); err != nil {
		log.Fatal(err)
	}

	handler := func(_ context.Context, r stream.Record) error {
		changes, err := leaderboard.Changes(r)
		for _, c := range changes {
			fmt.Println(c.Player, c.Kind, c.Entry.Score, "before:", c.Old)
		}
		return err
	}
	if err := streamtest.Each(ctx, db, table, handler); err != nil {
		log.Fatal(err)
	}
	// Output:
	// userA scored 60 before: 0
	// userA scored 90 before: 60
	// userA removed 90 before: 90
}

// newStreamed is newWorld whose table has a stream.
func newStreamed(t *testing.T, wrap ...wrapper) (world, *streamtest.Changes[leaderboard.Change]) {
	t.Helper()
	w := world{table: dynamotest.Table(t, streamtest.Streamed(leaderboard.Table)), clock: &clock{now: noon}}
	return w.process(t, nil, wrap...), streamtest.Watch(t, w.table, leaderboard.Changes)
}

func TestEachWriteReportsItsChanges(t *testing.T) {
	t.Parallel()
	streamtest.UnderFaults(t, func(t *testing.T, wrap func(aws.HTTPClient) aws.HTTPClient) {
		w, changes := newStreamed(t, wrap)
		ctx := t.Context()
		sees := func(what string, want ...leaderboard.Change) []leaderboard.Change {
			t.Helper()
			got := changes.Next(t)
			require.Len(t, got, len(want), what)
			for i := range want {
				require.False(t, got[i].At.IsZero())
				require.Equal(t, got[i].At.Truncate(time.Second), got[i].At)
				want[i].At = got[i].At
				if want[i].Op == 0 {
					require.NotZero(t, got[i].Op)
					want[i].Op = got[i].Op // the call's own
				}
			}
			require.Equal(t, want, got, what)
			return got
		}
		does := func(changed bool, err error) {
			t.Helper()
			require.NoError(t, err)
			require.True(t, changed)
		}
		w.define(t, leaderboard.Board{Name: "a#b", Shards: 4})
		w.define(t, leaderboard.Board{
			Name: "golf", Kind: leaderboard.KindFloat, Order: leaderboard.Ascending, SubOrder: leaderboard.Ascending,
			Operator: leaderboard.Set, Allow: []leaderboard.Operator{leaderboard.Increment}, Cron: "0 0 * * *", Zone: "UTC", Ties: leaderboard.LaterFirst,
		})
		sees("Define")

		in := leaderboard.In{Board: "a#b"}
		s := leaderboard.Submission{
			Board: "a#b", Player: "ann#1", Score: leaderboard.Int(40), Sub: -7, Name: "Ann", Meta: []byte(`{"a":1}`), Op: w.id(),
		}
		entry := func(s leaderboard.Submission) leaderboard.Entry {
			t.Helper()
			e, err := w.Entry(ctx, in, s.Player)
			require.NoError(t, err)
			require.Equal(t, s.Sub, e.Sub)
			require.Equal(t, s.Score, e.Score)
			return e
		}
		w.submit(t, s)
		first := leaderboard.Change{Kind: leaderboard.Scored, Player: "ann#1", Entry: entry(s), Op: s.Op}
		sees("the first Submit, which opens the period", first)
		w.repeat(t, s)
		worse := s
		worse.Score, worse.Op = leaderboard.Int(39), w.id()
		w.submit(t, worse)
		renamed := s
		renamed.Name, renamed.Op = "Anna", w.id()
		w.submit(t, renamed)
		sees("a repeat, a score that is no better, a new name")
		s.Score, s.Sub, s.Op, s.Name = leaderboard.Int(50), 0, w.id(), ""
		w.submit(t, s)
		better := leaderboard.Change{Kind: leaderboard.Scored, Player: "ann#1", Entry: entry(s), Old: leaderboard.Int(40), Existed: true, Op: s.Op}
		require.Equal(t, "Anna", better.Entry.Name)
		sees("a better score", better)

		moved := better
		moved.Kind, moved.Old, moved.Entry.Hidden, moved.Op = leaderboard.Hidden, leaderboard.Int(50), true, 0
		does(w.Hide(ctx, in, "ann#1"))
		sees("Hide", moved)
		_, err := w.Hide(ctx, in, "ann#1")
		require.NoError(t, err)
		sees("another Hide")
		s.Score, s.Op = leaderboard.Int(60), w.id()
		w.submit(t, s)
		better = leaderboard.Change{Kind: leaderboard.Scored, Player: "ann#1", Entry: entry(s), Old: leaderboard.Int(50), Existed: true, Op: s.Op}
		require.True(t, better.Entry.Hidden)
		sees("a better score of who is hidden", better)
		does(w.Unhide(ctx, in, "ann#1"))
		moved = better
		moved.Kind, moved.Entry.Hidden, moved.Old, moved.Op = leaderboard.Unhidden, false, leaderboard.Int(60), 0
		sees("Unhide", moved)
		moved.Kind = leaderboard.Removed
		does(w.Remove(ctx, in, "ann#1"))
		moved.Op = 0
		sees("Remove", moved)
		_, err = w.Remove(ctx, in, "ann#1")
		require.NoError(t, err)
		_, _, err = w.Submit(ctx, s)
		require.ErrorIs(t, err, plaza.ErrRemoved)
		sees("another Remove, and a late Submit")
		s.Op = w.id()
		w.submit(t, s)
		sees("a later Submit", leaderboard.Change{Kind: leaderboard.Scored, Player: "ann#1", Entry: entry(s), Op: s.Op})

		golf := leaderboard.Submission{Board: "golf", Player: "ann#1", Score: leaderboard.Float(72.5), Sub: 3, Version: 1 << 60, Op: w.id()}
		w.submit(t, golf)
		got := sees("Set by Version", leaderboard.Change{
			Kind: leaderboard.Scored, Player: "ann#1", Op: golf.Op, Version: 1 << 60, Old: leaderboard.Float(0),
			Entry: leaderboard.Entry{Board: "golf", Period: "20260310T000000Z", Score: golf.Score, Sub: 3},
		})
		for _, version := range []uint64{1<<60 - 1, 1 << 60, 1<<60 + 1} {
			golf.Version, golf.Op = version, w.id()
			w.submit(t, golf)
		}
		sees("an older Version, and a newer one with the same score")
		many, err := w.SubmitMany(ctx, []leaderboard.Submission{
			{Board: "golf", Player: "bob", Score: leaderboard.Float(1), Operator: leaderboard.Increment, Op: w.id()},
			{Board: "golf", Player: "bob", Score: leaderboard.Float(2), Operator: leaderboard.Increment, Op: w.id()},
		})
		require.NoError(t, err)
		one := leaderboard.Change{Kind: leaderboard.Scored, Player: "bob", Old: leaderboard.Float(0), Op: many[0].Value.Op, Entry: got[0].Entry}
		one.Entry.Score, one.Entry.Sub = leaderboard.Float(1), 0
		two := one
		two.Entry.Score, two.Old, two.Existed, two.Op = leaderboard.Float(3), leaderboard.Float(1), true, many[1].Value.Op
		sees("SubmitMany", one, two)

		for _, in := range []leaderboard.In{in, {Board: "golf"}} {
			drift, err := w.Check(ctx, in)
			require.NoError(t, err)
			require.Zero(t, drift)
			_, err = w.Repair(ctx, in)
			require.NoError(t, err)
		}
		sees("Repair of what is whole")
		require.NoError(t, w.Erase(ctx, "ann#1"))
		erased := changes.Next(t)
		require.Len(t, erased, 2)
		for _, c := range erased {
			require.Equal(t, leaderboard.Erased, c.Kind)
			require.Equal(t, "ann#1", c.Player)
			require.NotZero(t, c.Op)
		}
		require.NoError(t, w.Erase(ctx, "ann#1"))
		sees("another Erase")
	})
}

func TestChangesAreReadFromTheImages(t *testing.T) {
	t.Parallel()
	type attributes = map[string]types.AttributeValue
	text := func(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }
	key := attributes{"pk": text("P#ann"), "sk": text("LB#b#" + forever)}
	with := func(item, more attributes) attributes {
		item = maps.Clone(item)
		maps.Copy(item, more)
		return item
	}
	order := &types.AttributeValueMemberB{Value: append(make([]byte, 24), "ann"...)}
	living := with(key, attributes{"key": order, "part": text("b#" + forever + "#0"), "score": text("40")})
	hidden := with(living, attributes{"part": text("b#" + forever + "#hidden")})
	other := with(hidden, attributes{"key": &types.AttributeValueMemberB{Value: append(make([]byte, 23), "\x01ann"...)}, "score": text("41")})
	gone := with(key, attributes{"removed": text("32SBCWQRR0001"), "rev": &types.AttributeValueMemberN{Value: "9"}})
	erased := with(key, attributes{"removed": text("32SBCWQRR0001"), "ttl": &types.AttributeValueMemberN{Value: "9"}})
	left, low := maps.Clone(living), maps.Clone(other) // Board.Above leaves them out
	delete(left, "part")
	delete(low, "part")
	unscored := maps.Clone(living)
	delete(unscored, "score")
	type kinds = []leaderboard.ChangeKind
	for name, c := range map[string]struct {
		record stream.Record
		want   kinds
		err    error
	}{
		"it appears":              {stream.Record{Kind: stream.Insert, New: living}, kinds{leaderboard.Scored}, nil},
		"it comes back":           {stream.Record{Kind: stream.Modify, Old: gone, New: living}, kinds{leaderboard.Scored}, nil},
		"it moves and hides":      {stream.Record{Kind: stream.Modify, Old: living, New: other}, kinds{leaderboard.Scored, leaderboard.Hidden}, nil},
		"it is hidden":            {stream.Record{Kind: stream.Modify, Old: living, New: hidden}, kinds{leaderboard.Hidden}, nil},
		"it is not any more":      {stream.Record{Kind: stream.Modify, Old: hidden, New: living}, kinds{leaderboard.Unhidden}, nil},
		"another shard":           {stream.Record{Kind: stream.Modify, Old: living, New: with(living, attributes{"part": text("b#" + forever + "#1")})}, nil, nil},
		"a name":                  {stream.Record{Kind: stream.Modify, Old: living, New: with(living, attributes{"name": text("Ann")})}, nil, nil},
		"it is removed":           {stream.Record{Kind: stream.Modify, Old: living, New: gone}, kinds{leaderboard.Removed}, nil},
		"it is left out":          {stream.Record{Kind: stream.Modify, Old: living, New: low}, kinds{leaderboard.Removed}, nil},
		"unhidden and left out":   {stream.Record{Kind: stream.Modify, Old: hidden, New: left}, kinds{leaderboard.Removed}, nil},
		"what is left out moves":  {stream.Record{Kind: stream.Modify, Old: low, New: left}, nil, nil},
		"it is back":              {stream.Record{Kind: stream.Modify, Old: low, New: living}, kinds{leaderboard.Scored}, nil},
		"what is left out goes":   {stream.Record{Kind: stream.Modify, Old: low, New: erased}, nil, nil},
		"it is erased":            {stream.Record{Kind: stream.Modify, Old: living, New: erased}, kinds{leaderboard.Erased}, nil},
		"what is gone is erased":  {stream.Record{Kind: stream.Modify, Old: gone, New: erased}, nil, nil},
		"it goes":                 {stream.Record{Kind: stream.Remove, Old: living}, kinds{leaderboard.Erased}, nil},
		"its period expires":      {stream.Record{Kind: stream.Remove, Old: living, ByTTL: true}, nil, nil},
		"its key is damaged":      {stream.Record{Kind: stream.Insert, New: with(living, attributes{"key": &types.AttributeValueMemberB{Value: []byte("x")}})}, nil, plaza.ErrCorrupt},
		"its key was damaged":     {stream.Record{Kind: stream.Modify, Old: with(living, attributes{"key": text("x")}), New: living}, nil, plaza.ErrCorrupt},
		"it has no score":         {stream.Record{Kind: stream.Insert, New: unscored}, nil, plaza.ErrCorrupt},
		"its images were dropped": {stream.Record{Kind: stream.Insert, Truncated: true}, nil, stream.ErrTruncated},
		"one image is missing":    {stream.Record{Kind: stream.Modify, New: living}, nil, stream.ErrView},
	} {
		c.record.Keys = key
		got, err := leaderboard.Changes(c.record)
		require.ErrorIs(t, err, c.err, name)
		var found kinds
		for _, change := range got {
			found = append(found, change.Kind)
		}
		require.Equal(t, c.want, found, name)
	}
}

func FuzzChanges(f *testing.F) {
	for seed := range uint64(8) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		streamtest.Junk(t, seed, 200, streamtest.Shapes{
			PKs:        []string{"P#ann", "P", "P#", "P#a#b", "B#b", "B#", "~"},
			SKs:        []string{"LB#b#" + forever, "LB#b", "LB", "LB##", "", "T#" + forever},
			Attributes: []string{"key", "part", "score", "sub", "name", "meta", "version", "lastOp", "removed", "managed", "rev", "ttl"},
			Values:     []string{"32SBCWQRR0001", "40", "4.5", "b#" + forever + "#hidden", string(make([]byte, 24)) + "ann", `{"a":1}`},
		}, func(r stream.Record) error {
			_, err := leaderboard.Changes(r)
			return err
		})
	})
}
