package message_test

import (
	"bytes"
	"sync/atomic"
	"testing"

	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/notify/message"
)

// stored returns all items of the table.
func (w world) stored(t testing.TB) (items []dynamo.Item) {
	t.Helper()
	require.NoError(t, dynamotest.DB(t).Table(w.table).Scan().Consistent(true).All(t.Context(), &items))
	return items
}

// A caller gives up on a call, repeats it, and makes others, here or in another process.
// Then the request of the first call arrives.
func TestALateRequestUndoesNothingThatFollowed(t *testing.T) {
	t.Parallel()
	type call = func(t *testing.T, w world) error
	writes := func(do func(t *testing.T, w world) (bool, error)) call {
		return func(t *testing.T, w world) error { _, err := do(t, w); return err }
	}
	sends := func(conversation, sender, key string) call {
		return func(t *testing.T, w world) error {
			_, _, err := w.Send(t.Context(), say(conversation, sender, key))
			return err
		}
	}
	adds := func(user string) call {
		return writes(func(t *testing.T, w world) (bool, error) { return w.Add(t.Context(), of(user, "g"), "ann") })
	}
	leaves := func(user string) call {
		return writes(func(t *testing.T, w world) (bool, error) { return w.Leave(t.Context(), of(user, "g")) })
	}
	creates := writes(func(t *testing.T, w world) (bool, error) {
		return w.Create(t.Context(), message.Group{ID: "new", Members: []string{"ann", "ben"}}, "ann")
	})
	leavesNew := writes(func(t *testing.T, w world) (bool, error) { return w.Leave(t.Context(), of("ben", "new")) })
	who := message.Pair{User: "ann", Other: "ben"}
	blocks := writes(func(t *testing.T, w world) (bool, error) { return w.Block(t.Context(), who) })
	reads := func(t *testing.T, w world) error { return errOf(w.MarkRead(t.Context(), of("ben", "g"), 2)) }
	clears := func(t *testing.T, w world) error { return errOf(w.Clear(t.Context(), of("ben", "g"))) }

	for name, c := range faults.Sample(3, map[string]struct {
		before []call
		late   call
		then   []call
	}{
		"sent, then again":                     {nil, sends("g", "ben", "k"), []call{sends("g", "ben", "k")}},
		"sent, then others, then again":        {nil, sends("g", "ben", "k"), []call{sends("g", "ann", "other"), sends("g", "ben", "k")}},
		"sent, then others":                    {nil, sends("g", "ben", "k"), []call{sends("g", "ann", "other")}},
		"sent, left":                           {nil, sends("g", "ben", "k"), []call{sends("g", "ben", "k"), leaves("ben")}},
		"first of a pair, again":               {nil, sends(pair, "ben", "k"), []call{sends(pair, "ben", "k")}},
		"first of a pair, blocked":             {nil, sends(pair, "ben", "k"), []call{blocks}},
		"sent to a pair, blocked":              {[]call{sends(pair, "ann", "a")}, sends(pair, "ben", "k"), []call{blocks}},
		"added, repeated, left":                {nil, adds("dan"), []call{adds("dan"), leaves("dan")}},
		"added again, repeated, left":          {[]call{adds("dan"), leaves("dan")}, adds("dan"), []call{adds("dan"), leaves("dan")}},
		"added, others joined":                 {nil, adds("dan"), []call{adds("eve")}},
		"added, then nothing to leave":         {nil, adds("dan"), []call{leaves("dan")}},
		"left, then nothing to add":            {nil, leaves("ben"), []call{adds("ben")}},
		"left, repeated, added":                {nil, leaves("ben"), []call{leaves("ben"), adds("ben")}},
		"created, repeated, left":              {nil, creates, []call{creates, leavesNew}},
		"sent after reading, read and sent on": {[]call{reads}, sends("g", "ben", "k"), []call{sends("g", "ben", "k"), sends("g", "ann", "x"), clears}},
	}, "first of a pair, blocked", "added, repeated, left") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			holding := new(atomic.Bool)
			late := &faults.Late{Holds: func(op string, _ []byte) bool {
				return (op == "TransactWriteItems" || op == "UpdateItem") && holding.Load()
			}}
			w := newWorld(t, nil, late.Wrap)
			w.create(t, "g", "ann", "ben", "cleo")
			w.send(t, "g", "ann", "ann")
			for _, do := range c.before {
				require.NoError(t, do(t, w))
			}
			holding.Store(true)
			require.ErrorIs(t, c.late(t, w), plaza.ErrUnknownOutcome)
			holding.Store(false)
			other := w.process(t, nil)
			for i, do := range c.then {
				require.NoError(t, do(t, []world{w, other}[(i+len(c.then))%2]))
			}
			want := w.stored(t)
			require.Zero(t, late.Arrive(t))
			require.ElementsMatch(t, want, w.stored(t))
		})
	}
}

// The message is stored. The writes of its entries arrive after other messages were sent,
// read and cleared, or after the member left.
func TestEntriesOfAnEarlierMessageChangeNothing(t *testing.T) {
	t.Parallel()
	for name, then := range faults.Sample(7, map[string]func(t *testing.T, w world){
		"repeated": func(*testing.T, world) {},
		"sent":     func(t *testing.T, w world) { w.send(t, "g", "ben", "ann", "cleo") },
		"read":     func(t *testing.T, w world) { require.NoError(t, errOf(w.MarkRead(t.Context(), of("ben", "g"), 3))) },
		"cleared":  func(t *testing.T, w world) { require.NoError(t, errOf(w.Clear(t.Context(), of("ben", "g")))) },
		"left": func(t *testing.T, w world) {
			for _, user := range []string{"ben", "ann"} {
				does(t, true)(w.Leave(t.Context(), of(user, "g")))
			}
		},
		"left and joined": func(t *testing.T, w world) {
			for _, user := range []string{"ben", "ann"} {
				does(t, true)(w.Leave(t.Context(), of(user, "g")))
				does(t, true)(w.Add(t.Context(), of(user, "g"), "ann"))
			}
		},
		"erased": func(t *testing.T, w world) { require.NoError(t, w.Erase(t.Context(), "ann")) },
	}, "left and joined") {
		for _, sender := range []string{"ann", "ben"} {
			t.Run(name+" "+sender, func(t *testing.T) {
				t.Parallel()
				holding := new(atomic.Bool)
				late := &faults.Late{Holds: func(op string, _ []byte) bool { return op == "UpdateItem" && holding.Load() }}
				w := newWorld(t, nil, late.Wrap)
				w.create(t, "g", "ann", "ben", "cleo")
				w.send(t, "g", "ann", "ben")
				holding.Store(true)
				m := say("g", sender, "late")
				sent, created, err := w.Send(t.Context(), m)
				require.ErrorIs(t, err, plaza.ErrUnknownOutcome)
				require.True(t, created)
				require.EqualValues(t, 3, sent.Seq)
				holding.Store(false)
				w.repeats(t, m, sent)
				then(t, w)
				want := w.stored(t)
				require.Zero(t, late.Arrive(t))
				require.ElementsMatch(t, want, w.stored(t))
			})
		}
	}
}

// A request that was sent before the user left arrives afterwards.
func TestALateEntryBringsNobodyBack(t *testing.T) {
	t.Parallel()
	for _, sender := range []string{"ann", "ben"} {
		holding := new(atomic.Bool)
		late := &faults.Late{Holds: func(op string, _ []byte) bool { return op == "UpdateItem" && holding.Load() }}
		w := newWorld(t, nil, late.Wrap)
		w.create(t, "g", "ann", "ben", "cleo")
		holding.Store(true)
		_, _, err := w.Send(t.Context(), say("g", sender, "late"))
		require.ErrorIs(t, err, plaza.ErrUnknownOutcome)
		holding.Store(false)
		does(t, true)(w.Leave(t.Context(), of("ben", "g")))
		left := w.entry(t, "g", "ben")
		late.Arrive(t)
		require.Equal(t, left, w.entry(t, "g", "ben"))
		require.Empty(t, w.inbox(t, "ben"))
	}
}

// The sender has read nothing, so the late write of the entry expects nothing that is there.
func TestALateEntryOfAnErasedUserStaysAway(t *testing.T) {
	t.Parallel()
	late := &faults.Late{Holds: func(op string, body []byte) bool {
		return op == "UpdateItem" && bytes.Contains(body, []byte("U#ann")) && bytes.Contains(body, []byte(`"own"`))
	}}
	w := newWorld(t, nil, late.Wrap)
	w.create(t, "g", "ann", "ben")
	w.send(t, "g", "ben")
	_, _, err := w.Send(t.Context(), say("g", "ann", "late"))
	require.ErrorIs(t, err, plaza.ErrUnknownOutcome)
	require.NoError(t, w.Erase(t.Context(), "ann"))
	late.Arrive(t)
	_, err = w.Access(t.Context(), of("ann", "g"))
	require.ErrorIs(t, err, message.ErrNotMember)
}
