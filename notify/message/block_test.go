package message_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/notify/message"
	"github.com/plaza-sdk/plaza/notify/prefs"
)

func (w world) blocks(t testing.TB, user, other string, on, want bool) {
	t.Helper()
	call := w.Unblock
	if on {
		call = w.Block
	}
	does(t, want)(call(t.Context(), message.Pair{User: user, Other: other}))
}

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
		require.Equal(t, last.Seq+1, other.send(t, pair, "ben").Seq)
		require.Equal(t, last.Seq+1, w.settled(t, pair, "ann", "ben"))
		w.blocks(t, "ann", "ben", true, true)
		w.send(t, "g", "ann", "ben") // groups go on
	}
}

func TestABlockIsOneOfNotificationsToo(t *testing.T) {
	t.Parallel()
	db := dynamotest.DB(t)
	preferences, err := prefs.New(db, dynamotest.Table(t, notify.Table), new(clock), nil)
	require.NoError(t, err)
	w := newWorld(t, &message.Options{Blocks: preferences})
	blocked := func(user, actor string) bool {
		found, err := preferences.Blocked(t.Context(), prefs.Pair{User: user, Actor: actor})
		require.NoError(t, err)
		return found
	}
	w.blocks(t, "ann", "ben", true, true)
	require.True(t, blocked("ann", "ben"))
	require.False(t, blocked("ben", "ann"))
	does(t, true)(preferences.Unblock(t.Context(), prefs.Pair{User: "ann", Actor: "ben"}))
	w.blocks(t, "ann", "ben", true, true) // there
	w.blocks(t, "ann", "ben", true, false)
	w.blocks(t, "ann", "ben", false, true)
	require.False(t, blocked("ann", "ben"))
	w.send(t, pair, "ben")
}

// Somebody who was blocked makes a group with the other, or adds the other to one.
func TestABlockInPrefsKeepsUsersOutOfEachOthersGroups(t *testing.T) {
	t.Parallel()
	for _, p := range []prefs.Pair{{User: "ann", Actor: "ben"}, {User: "ben", Actor: "ann"}} {
		elsewhere := &blocks{blocked: map[prefs.Pair]bool{}}
		w := newWorld(t, &message.Options{Blocks: elsewhere})
		before := message.Group{ID: "before", Members: []string{"ann", "ben", "cleo"}}
		w.create(t, before.ID, before.Members...)
		w.create(t, "bens", "ben", "cleo")
		elsewhere.blocked[p] = true
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

		elsewhere.err = plaza.ErrBusy
		fails(t, plaza.ErrBusy)(w.Create(t.Context(), message.Group{ID: "other", Members: before.Members}, "cleo"))
		fails(t, plaza.ErrBusy)(w.Add(t.Context(), of("dan", "new"), "cleo"))
	}
}

func TestABlockThatPrefsDoesNotStoreIsNone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, &message.Options{Blocks: &blocks{err: plaza.ErrBusy, blocked: map[prefs.Pair]bool{}}})
	fails(t, plaza.ErrBusy)(w.Block(t.Context(), message.Pair{User: "ann", Other: "ben"}))
	fails(t, plaza.ErrBusy)(w.Unblock(t.Context(), message.Pair{User: "ann", Other: "ben"}))
	require.Empty(t, w.stored(t))
}

// A head that has no message expires unless it keeps a block.
func TestAHeadWithoutMessagesIsKeptForABlock(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	expires := func(want bool) {
		t.Helper()
		items := w.stored(t)
		require.Len(t, items, 1)
		require.Equal(t, want, items[0]["ttl"] != nil)
	}
	w.blocks(t, "ann", "ben", true, true)
	w.blocks(t, "ben", "ann", true, true)
	expires(false)
	w.blocks(t, "ann", "ben", false, true)
	expires(false)
	w.blocks(t, "ben", "ann", false, true)
	expires(true)
	w.blocks(t, "ann", "ben", true, true)
	expires(false)
}
