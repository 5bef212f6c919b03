package message_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/notify/message"
	"github.com/plaza-sdk/plaza/notify/prefs"
)

// newPrefs returns preferences in a table of their own.
func newPrefs(t testing.TB, wrap ...wrapper) *prefs.Repository {
	t.Helper()
	p, err := prefs.New(dynamotest.DB(t, wrap...), dynamotest.Table(t, notify.Table), new(clock), nil)
	require.NoError(t, err)
	return p
}

// down is the script of a table that does not answer.
func down(string, []byte, int) faults.Fault { return faults.Fault{Kind: faults.KilledBefore} }

func (w world) blocks(t testing.TB, user, other string, on, want bool) {
	t.Helper()
	call := w.Unblock
	if on {
		call = w.Block
	}
	does(t, want)(call(t.Context(), message.Pair{User: user, Other: other}))
}

// A head that has no message expires unless it keeps a block.
func TestABlockEndsAPairUntilItIsTakenBack(t *testing.T) {
	t.Parallel()
	for _, begun := range []bool{false, true} {
		w := newWorld(t, nil)
		other := w.process(t, nil)
		w.create(t, "g", "ann", "ben")
		var last message.Message
		if begun {
			last = other.send(t, pair, "ann", "ben")
		}
		refused := func() {
			t.Helper()
			for _, sender := range []string{"ann", "ben"} {
				_, created, err := other.Send(t.Context(), w.says(pair, sender, "hello"))
				fails(t, message.ErrBlocked)(created, err)
			}
			if begun {
				other.repeats(t, last, last)
			}
			require.Nil(t, w.item(t, "C#"+pair, "~")["ttl"])
		}
		w.blocks(t, "ann", "ben", true, true)
		w.blocks(t, "ann", "ben", true, false)
		refused()
		w.blocks(t, "ben", "ann", false, false)
		w.blocks(t, "ben", "ann", true, true)
		w.blocks(t, "ann", "ben", false, true)
		w.blocks(t, "ann", "ben", false, false)
		refused() // ben still blocks ann
		w.blocks(t, "ben", "ann", false, true)
		require.Equal(t, begun, w.item(t, "C#"+pair, "~")["ttl"] == nil)
		w.blocks(t, "ann", "ben", true, true)
		refused()
		w.blocks(t, "ann", "ben", false, true)
		require.Equal(t, last.Seq+1, other.send(t, pair, "ben").Seq)
		require.Equal(t, last.Seq+1, w.settled(t, pair, "ann", "ben"))
		w.blocks(t, "ann", "ben", true, true)
		w.send(t, "g", "ann", "ben") // groups go on
	}
}

func TestABlockIsOneOfNotificationsToo(t *testing.T) {
	t.Parallel()
	preferences := newPrefs(t)
	w := newWorld(t, &message.Options{Blocks: preferences})
	p := prefs.Pair{User: "ann", Actor: "ben"}
	w.blocks(t, "ann", "ben", true, true)
	does(t, true)(preferences.Blocked(t.Context(), p))
	does(t, false)(preferences.Blocked(t.Context(), prefs.Pair{User: "ben", Actor: "ann"}))
	does(t, true)(preferences.Unblock(t.Context(), p))
	w.blocks(t, "ann", "ben", true, true) // there
	w.blocks(t, "ann", "ben", true, false)
	w.blocks(t, "ann", "ben", false, true)
	does(t, false)(preferences.Blocked(t.Context(), p))
	w.send(t, pair, "ben")
}

// A block is made in preferences, which the head of the pair does not know.
func TestABlockInPrefsStopsWhatHasBegun(t *testing.T) {
	t.Parallel()
	for _, p := range []prefs.Pair{{User: "ann", Actor: "ben"}, {User: "ben", Actor: "ann"}} {
		asked := faults.New(t, 1, faults.Rates{})
		elsewhere := newPrefs(t, asked.Wrap)
		w := newWorld(t, &message.Options{Blocks: elsewhere})
		w.create(t, "g", "ann", "ben")
		last := w.send(t, pair, "ann", "ben")
		does(t, true)(elsewhere.Block(t.Context(), p))
		for _, sender := range []string{"ann", "ben"} {
			for _, process := range []world{w, w.process(t, &message.Options{Blocks: elsewhere})} {
				fails(t, message.ErrBlocked)(sends(t.Context(), process, w.says(pair, sender, "hello")))
			}
		}
		w.repeats(t, last, last)
		w.send(t, "g", "ann", "ben") // groups go on
		require.EqualValues(t, 3, w.process(t, &message.Options{Blocks: elsewhere, BlocksOnce: true}).send(t, pair, "ann").Seq)
		asked.Script(down)
		fails(t, plaza.ErrBusy)(sends(t.Context(), w, w.says(pair, "ann", "hello")))
		asked.Off()
		does(t, true)(elsewhere.Unblock(t.Context(), p))
		require.EqualValues(t, 4, w.send(t, pair, "ben").Seq)
	}
}

// Somebody who was blocked makes a group with the other, or adds the other to one.
func TestABlockInPrefsKeepsUsersOutOfEachOthersGroups(t *testing.T) {
	t.Parallel()
	for _, p := range []prefs.Pair{{User: "ann", Actor: "ben"}, {User: "ben", Actor: "ann"}} {
		asked := faults.New(t, 1, faults.Rates{})
		elsewhere := newPrefs(t, asked.Wrap)
		w := newWorld(t, &message.Options{Blocks: elsewhere})
		before := message.Group{ID: "before", Members: []string{"ann", "ben", "cleo"}}
		w.create(t, before.ID, before.Members...)
		w.create(t, "bens", "ben", "cleo")
		does(t, true)(elsewhere.Block(t.Context(), p))
		stored := w.stored(t)

		fails(t, message.ErrBlocked)(w.Create(t.Context(), message.Group{ID: "new", Members: before.Members}, "ben"))
		for _, process := range []world{w, w.process(t, &message.Options{Blocks: elsewhere})} {
			fails(t, message.ErrBlocked)(process.Add(t.Context(), of("ann", "bens"), "ben"))
		}

		does(t, false, "it repeats a call that came before the block")(w.Create(t.Context(), before, "ben"))
		fails(t, plaza.ErrConflict)(w.Create(t.Context(), message.Group{ID: before.ID, Members: []string{"ann", "ben"}}, "ben"))
		does(t, false, "she is in it")(w.Add(t.Context(), of("ann", before.ID), "ben"))
		require.Len(t, w.stored(t), len(stored))

		does(t, true)(w.Add(t.Context(), of("ann", "bens"), "cleo"))
		does(t, true)(w.Create(t.Context(), message.Group{ID: "new", Members: before.Members}, "cleo"))

		asked.Script(down)
		fails(t, plaza.ErrBusy)(w.Create(t.Context(), message.Group{ID: "other", Members: before.Members}, "cleo"))
		fails(t, plaza.ErrBusy)(w.Add(t.Context(), of("dan", "new"), "cleo"))
	}
}

func TestABlockThatPrefsDoesNotStoreIsNone(t *testing.T) {
	t.Parallel()
	asked := faults.New(t, 1, faults.Rates{})
	asked.Script(down)
	w := newWorld(t, &message.Options{Blocks: newPrefs(t, asked.Wrap)})
	fails(t, plaza.ErrBusy)(w.Block(t.Context(), message.Pair{User: "ann", Other: "ben"}))
	fails(t, plaza.ErrBusy)(w.Unblock(t.Context(), message.Pair{User: "ann", Other: "ben"}))
	require.Empty(t, w.stored(t))
}
