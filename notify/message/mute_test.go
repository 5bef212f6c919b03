package message_test

import (
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/notify/message"
)

func (w world) count(t testing.TB, user string) message.Count {
	t.Helper()
	count, err := w.Unread(t.Context(), user)
	require.NoError(t, err)
	return count
}

func TestAMutedConversationIsListedAndNotCounted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.create(t, "g", "ann", "ben")
	ben := of("ben", "g")
	w.send(t, pair, "ann")
	for _, changed := range []bool{true, false} {
		does(t, changed)(w.Mute(t.Context(), ben))
	}
	w.send(t, "g", "ann", "ann")
	require.Equal(t, message.Count{Conversations: 1, Messages: 1}, w.count(t, "ben"))
	first := w.inbox(t, "ben")[0]
	require.Equal(t, []any{"g", int64(2), true}, []any{first.Conversation, first.Unread, first.Muted})
	access, err := w.Access(t.Context(), ben)
	require.NoError(t, err)
	require.True(t, access.Muted)
	does(t, true)(w.Leave(t.Context(), ben))
	does(t, true)(w.Add(t.Context(), ben, "ann"))
	does(t, false, "it outlasts a membership")(w.Mute(t.Context(), ben))
	w.send(t, "g", "ann")
	does(t, true)(w.Unmute(t.Context(), ben))
	require.Equal(t, message.Count{Conversations: 2, Messages: 2}, w.count(t, "ben"))
	silent := of("ann", message.Pair{User: "ann", Other: "zoe"}.Conversation())
	fails(t, plaza.ErrNotFound)(w.Mute(t.Context(), silent))
	require.Nil(t, w.item(t, "U#ann", "C#"+silent.Conversation))
}

func TestAConversationIsMarkedUnreadUntilItIsRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.send(t, pair, "ann", "ann", "ben", "ann", "ann")
	ann, ben := of("ann", pair), of("ben", pair)
	does(t, true)(w.MarkRead(t.Context(), ben, 4))
	marks := func(from, shown int64, changed bool) {
		t.Helper()
		does(t, changed)(w.MarkUnread(t.Context(), ben, from))
		e := w.inbox(t, "ben")[0]
		require.Equal(t, []int64{shown, 4, 1}, []int64{e.UnreadFrom, e.Read, e.Unread})
		require.EqualValues(t, 4, w.receipts(t, ann)["ben"])
	}
	marks(5, 0, false) // it is unread anyway
	marks(9, 0, false)
	marks(3, 3, true)
	marks(3, 3, false)
	marks(2, 2, true)
	does(t, false, "it was read")(w.MarkRead(t.Context(), ben, 1))
	require.EqualValues(t, 2, w.inbox(t, "ben")[0].UnreadFrom, "which is below the mark")
	for _, changed := range []bool{true, false} {
		does(t, changed)(w.MarkRead(t.Context(), ben, 3))
		require.Zero(t, w.inbox(t, "ben")[0].UnreadFrom)
	}
	does(t, true)(w.MarkRead(t.Context(), ben, 5))
	require.Zero(t, w.count(t, "ben"))
	does(t, true)(w.MarkUnread(t.Context(), ben, 4))
	require.Equal(t, message.Count{Conversations: 1}, w.count(t, "ben"))
	w.send(t, pair, "ben")
	require.Equal(t, message.Count{Conversations: 1}, w.count(t, "ben"), "an answer is no reading")
	does(t, true)(w.Clear(t.Context(), ben))
	require.Zero(t, w.count(t, "ben"))
	does(t, false)(w.MarkUnread(t.Context(), ben, 6))
	fails(t, plaza.ErrNotFound)(w.MarkUnread(t.Context(), of("ann", message.Pair{User: "ann", Other: "zoe"}.Conversation()), 1))
}

// A request of an earlier call arrives after the user marked otherwise.
func TestALateMarkChangesNothing(t *testing.T) {
	t.Parallel()
	unread := func(t *testing.T, w world) error { return failed(w.MarkUnread(t.Context(), of("ben", pair), 2)) }
	read := func(upTo int64) func(*testing.T, world) error {
		return func(t *testing.T, w world) error { return failed(w.MarkRead(t.Context(), of("ben", pair), upTo)) }
	}
	for name, c := range map[string]struct {
		late func(*testing.T, world) error
		then []func(*testing.T, world) error
	}{
		"unread, repeated, read": {unread, []func(*testing.T, world) error{unread, read(3)}},
		"unread, read on":        {unread, []func(*testing.T, world) error{read(4)}},
		"read, again, unread":    {read(4), []func(*testing.T, world) error{read(4), unread}},
	} {
		holding := new(atomic.Bool)
		late := &faults.Late{Holds: func(op string, _ []byte) bool { return op == "UpdateItem" && holding.Load() }}
		w := newWorld(t, nil, late.Wrap)
		w.send(t, pair, "ann", "ann", "ann", "ann")
		require.NoError(t, read(3)(t, w))
		holding.Store(true)
		require.ErrorIs(t, c.late(t, w), plaza.ErrUnknownOutcome, name)
		holding.Store(false)
		for _, do := range c.then {
			require.NoError(t, do(t, w.process(t, nil)), name)
		}
		want := w.stored(t)
		require.Zero(t, late.Arrive(t))
		require.ElementsMatch(t, want, w.stored(t), name)
	}
}

// A read that began earlier reads on, and leaves the mark.
func TestAnEarlierReadDoesNotEndALaterMark(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.send(t, pair, "ann", "ann", "ann", "ann")
	ben := of("ben", pair)
	does(t, true)(w.MarkRead(t.Context(), ben, 2))
	meanwhile := faults.Before(t, "UpdateItem", func() { does(t, true)(w.MarkUnread(t.Context(), ben, 1)) })
	does(t, true)(w.process(t, nil, meanwhile.Wrap).MarkRead(t.Context(), ben, 4))
	e := w.inbox(t, "ben")[0]
	require.Equal(t, []int64{1, 4, 0}, []int64{e.UnreadFrom, e.Read, e.Unread})
	meanwhile = faults.Before(t, "UpdateItem", func() { does(t, true)(w.MarkUnread(t.Context(), ben, 2)) })
	does(t, false, "it has read that far")(w.process(t, nil, meanwhile.Wrap).MarkRead(t.Context(), ben, 4))
	require.EqualValues(t, 2, w.inbox(t, "ben")[0].UnreadFrom)
}
