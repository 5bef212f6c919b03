package message_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/notify/message"
)

// unreadIn is what a user's inbox and its count say about the only conversation there.
func (w world) unreadIn(t testing.TB, user string) int64 {
	t.Helper()
	e := w.inbox(t, user)[0]
	count, err := w.Unread(t.Context(), user)
	require.NoError(t, err)
	require.Equal(t, e.Unread, count.Messages)
	require.Equal(t, e.Unread > 0, count.Conversations == 1)
	return e.Unread
}

func TestARecalledMessageIsNotUnread(t *testing.T) {
	t.Parallel()
	for _, conversation := range []string{"g", pair} {
		w := newWorld(t, nil)
		if conversation == "g" {
			w.create(t, "g", "ann", "ben")
		}
		other := w.process(t, nil)
		w.send(t, conversation, "ann", "ann", "ben", "ann")
		require.EqualValues(t, 3, w.unreadIn(t, "ben"))
		for _, first := range []bool{true, false} {
			does(t, first)(other.Recall(t.Context(), of("ann", conversation), 2))
			require.EqualValues(t, 2, w.unreadIn(t, "ben"))
		}
		require.Zero(t, w.receipts(t, of("ben", conversation))["ben"])
		does(t, true)(w.MarkRead(t.Context(), of("ben", conversation), 1))
		require.EqualValues(t, 1, w.unreadIn(t, "ben"))
		does(t, true, "which was read")(w.Recall(t.Context(), of("ann", conversation), 1))
		require.EqualValues(t, 1, w.unreadIn(t, "ben"))
		does(t, true)(w.MarkRead(t.Context(), of("ben", conversation), 4))
		w.send(t, conversation, "ann", "ann")
		require.EqualValues(t, 2, w.unreadIn(t, "ben"))
		require.Equal(t, []int64{2}, w.entry(t, conversation, "ben").Recalled)
	}
}

// An entry keeps the newest numbers. Those below what was read make room.
func TestManyRecalledMessages(t *testing.T) {
	t.Parallel()
	const most, n = 64, 70
	w := newWorld(t, nil)
	w.lay(t, pair, 0, "ann", "ben").send(t, n)
	for seq := range int64(n) {
		does(t, true)(w.Recall(t.Context(), of("ann", pair), seq+1))
		require.Equal(t, max(n-seq-1, n-most), w.unreadIn(t, "ben"))
	}
	gone := w.entry(t, pair, "ben").Recalled
	require.Len(t, gone, most)
	require.NotContains(t, gone, int64(n-most))
	does(t, false)(w.Recall(t.Context(), of("ann", pair), 1))
	require.EqualValues(t, n-most, w.unreadIn(t, "ben"))
	does(t, true)(w.MarkRead(t.Context(), of("ben", pair), n-1))
	w.send(t, pair, "ann")
	does(t, true)(w.Recall(t.Context(), of("ann", pair), n+1))
	require.ElementsMatch(t, []int64{n, n + 1}, w.entry(t, pair, "ben").Recalled)
	require.Zero(t, w.unreadIn(t, "ben"))
}

// A process remembers the group without the member who joined since.
func TestARecallReachesWhoJoinedMeanwhile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.create(t, "g", "ann", "ben")
	w.send(t, "g", "ann")
	other := w.process(t, nil)
	does(t, true)(other.Add(t.Context(), of("cleo", "g"), "ann"))
	other.send(t, "g", "ann")
	does(t, true)(w.Recall(t.Context(), of("ann", "g"), 2))
	require.Zero(t, w.unreadIn(t, "cleo"))
	does(t, true)(w.Recall(t.Context(), of("ann", "g"), 1))
	require.Empty(t, w.entry(t, "g", "ann").Recalled)
	require.Equal(t, []int64{2}, w.entry(t, "g", "cleo").Recalled, "she cannot see the first")
}

// The write of ben's entry arrives after he has read the message, left, or was erased.
func TestALateNumberOfARecalledMessageChangesNothing(t *testing.T) {
	t.Parallel()
	for name, then := range map[string]func(t *testing.T, w world){
		"repeated": func(*testing.T, world) {},
		"read":     func(t *testing.T, w world) { does(t, true)(w.MarkRead(t.Context(), of("ben", "g"), 2)) },
		"cleared":  func(t *testing.T, w world) { does(t, true)(w.Clear(t.Context(), of("ben", "g"))) },
		"left":     func(t *testing.T, w world) { does(t, true)(w.Leave(t.Context(), of("ben", "g"))) },
		"erased":   func(t *testing.T, w world) { require.NoError(t, w.Erase(t.Context(), "ben")) },
		"left and joined": func(t *testing.T, w world) {
			does(t, true)(w.Leave(t.Context(), of("ben", "g")))
			does(t, true)(w.Add(t.Context(), of("ben", "g"), "ann"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			late := &faults.Late{Holds: func(op string, body []byte) bool {
				return op == "UpdateItem" && bytes.Contains(body, []byte("U#ben"))
			}}
			w := newWorld(t, nil)
			w.create(t, "g", "ann", "ben")
			w.send(t, "g", "ann", "ann")
			changed, err := w.process(t, nil, late.Wrap).Recall(t.Context(), of("ann", "g"), 2)
			require.ErrorIs(t, err, plaza.ErrUnknownOutcome)
			require.True(t, changed, "the message is recalled")
			does(t, false)(w.Recall(t.Context(), of("ann", "g"), 2))
			then(t, w)
			want := w.stored(t)
			require.Zero(t, late.Arrive(t))
			require.ElementsMatch(t, want, w.stored(t))
		})
	}
}

// A damaged entry keeps nobody else's message unread.
func TestARecallGoesOnPastADamagedEntry(t *testing.T) {
	t.Parallel()
	var seen reports
	w := newWorld(t, seen.options())
	w.create(t, "g", "ann", "ben", "cleo")
	w.send(t, "g", "ann")
	w.damage(t, "U#ben", "C#g", attributes{"recalled": "x"})
	does(t, true)(w.Recall(t.Context(), message.In{Conversation: "g", User: "ann"}, 1))
	require.Equal(t, map[string]bool{"U#ben C#g": true}, seen.items)
	require.Equal(t, []int64{1}, w.entry(t, "g", "cleo").Recalled)
}
