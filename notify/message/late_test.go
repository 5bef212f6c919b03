package message_test

import (
	"bytes"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/notify/message"
)

// A caller gives up on a call, repeats it, and makes others, here or in another process.
// Then the request of the first call arrives.
func TestALateRequestUndoesNothingThatFollowed(t *testing.T) {
	t.Parallel()
	type call = func(t *testing.T, w world) error
	sends := func(conversation, sender, key string) call {
		return func(t *testing.T, w world) error { return failed(w.Send(t.Context(), say(conversation, sender, key))) }
	}
	adds := func(user string) call {
		return func(t *testing.T, w world) error { return failed(w.Add(t.Context(), of(user, "g"), "ann")) }
	}
	leaves := func(user, group string) call {
		return func(t *testing.T, w world) error {
			err := failed(w.Leave(t.Context(), of(user, group)))
			if errors.Is(err, message.ErrNotMember) { // never was one, as far as the store knows
				return nil
			}
			return err
		}
	}
	creates := func(t *testing.T, w world) error {
		return failed(w.Create(t.Context(), message.Group{ID: "new", Members: []string{"ann", "ben"}}, "ann"))
	}
	blocks := func(t *testing.T, w world) error {
		return failed(w.Block(t.Context(), message.Pair{User: "ann", Other: "ben"}))
	}
	reads := func(t *testing.T, w world) error { return failed(w.MarkRead(t.Context(), of("ben", "g"), 2)) }
	clears := func(t *testing.T, w world) error { return failed(w.Clear(t.Context(), of("ben", "g"))) }

	describes := func(t *testing.T, w world) error {
		return failed(w.Describe(t.Context(), of("ann", "g"), message.Description{Name: "n"}))
	}
	hands := func(from, to string) call {
		return func(t *testing.T, w world) error { return failed(w.SetOwner(t.Context(), of(from, "g"), to)) }
	}
	for name, c := range faults.Sample(3, map[string]struct {
		before []call
		late   call
		then   []call
	}{
		"sent, then again":                     {nil, sends("g", "ben", "k"), []call{sends("g", "ben", "k")}},
		"sent, then others, then again":        {nil, sends("g", "ben", "k"), []call{sends("g", "ann", "other"), sends("g", "ben", "k")}},
		"sent, then others":                    {nil, sends("g", "ben", "k"), []call{sends("g", "ann", "other")}},
		"sent, left":                           {nil, sends("g", "ben", "k"), []call{sends("g", "ben", "k"), leaves("ben", "g")}},
		"first of a pair, again":               {nil, sends(pair, "ben", "k"), []call{sends(pair, "ben", "k")}},
		"first of a pair, blocked":             {nil, sends(pair, "ben", "k"), []call{blocks}},
		"sent to a pair, blocked":              {[]call{sends(pair, "ann", "a")}, sends(pair, "ben", "k"), []call{blocks}},
		"added, repeated, left":                {nil, adds("dan"), []call{adds("dan"), leaves("dan", "g")}},
		"added again, repeated, left":          {[]call{adds("dan"), leaves("dan", "g")}, adds("dan"), []call{adds("dan"), leaves("dan", "g")}},
		"added, others joined":                 {nil, adds("dan"), []call{adds("eve")}},
		"added, then nothing to leave":         {nil, adds("dan"), []call{leaves("dan", "g")}},
		"left, then nothing to add":            {nil, leaves("ben", "g"), []call{adds("ben")}},
		"left, repeated, added":                {nil, leaves("ben", "g"), []call{leaves("ben", "g"), adds("ben")}},
		"described, then others joined":        {nil, describes, []call{adds("eve")}},
		"handed over, and back":                {nil, hands("ann", "ben"), []call{hands("ann", "ben"), hands("ben", "ann")}},
		"created, repeated, left":              {nil, creates, []call{creates, leaves("ben", "new")}},
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
		"read":     func(t *testing.T, w world) { does(t, true)(w.MarkRead(t.Context(), of("ben", "g"), 3)) },
		"cleared":  func(t *testing.T, w world) { does(t, true)(w.Clear(t.Context(), of("ben", "g"))) },
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
				late := &faults.Late{Holds: func(op string, _ []byte) bool { return op == "UpdateItem" }}
				w := newWorld(t, nil)
				w.create(t, "g", "ann", "ben", "cleo")
				w.send(t, "g", "ann", "ben")
				m := say("g", sender, "late")
				sent, created, err := w.process(t, nil, late.Wrap).Send(t.Context(), m)
				require.ErrorIs(t, err, plaza.ErrUnknownOutcome)
				require.True(t, created)
				require.EqualValues(t, 3, sent.Seq)
				w.repeats(t, m, sent)
				then(t, w)
				want := w.stored(t)
				require.Zero(t, late.Arrive(t))
				require.ElementsMatch(t, want, w.stored(t))
			})
		}
	}
}

// The first message of cleo leaves her entry with a number above what she has read. The
// write of that, or the one of ben's entry, arrives after they left or were erased.
func TestALateEntryBringsNobodyBack(t *testing.T) {
	t.Parallel()
	for name, goes := range map[string]func(t *testing.T, w world, user string){
		"left":   func(t *testing.T, w world, user string) { does(t, true)(w.Leave(t.Context(), of(user, "g"))) },
		"erased": func(t *testing.T, w world, user string) { require.NoError(t, w.Erase(t.Context(), user)) },
	} {
		for _, user := range []string{"ben", "cleo"} {
			t.Run(name+" "+user, func(t *testing.T) {
				t.Parallel()
				late := &faults.Late{Holds: func(op string, body []byte) bool {
					return op == "UpdateItem" && bytes.Contains(body, []byte("U#"+user)) && (user == "ben" || bytes.Contains(body, []byte(`"own"`)))
				}}
				w := newWorld(t, nil)
				w.create(t, "g", "ann", "ben", "cleo")
				w.send(t, "g", "ann")
				err := failed(w.process(t, nil, late.Wrap).Send(t.Context(), say("g", "cleo", "late")))
				require.ErrorIs(t, err, plaza.ErrUnknownOutcome)
				goes(t, w, user)
				gone := w.item(t, "U#"+user, "C#g")
				late.Arrive(t)
				require.Equal(t, gone, w.item(t, "U#"+user, "C#g"))
				require.Empty(t, w.inbox(t, user))
			})
		}
	}
}
