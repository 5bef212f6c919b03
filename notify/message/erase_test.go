package message_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/notify/message"
)

// gone is the user whom tests erase. No other name contains this name.
const gone = `gone\us#er`

var goneWithBen = message.Pair{User: gone, Other: "ben"}.Conversation()

// meeting writes everything that a user can leave behind: messages in a pair and in two
// groups, some of them edited or recalled. The user has left one of the groups.
func (w world) meeting(t testing.TB) {
	t.Helper()
	ctx := t.Context()
	w.create(t, "g", gone, "ben", "carl")
	w.create(t, "left", gone, "ben")
	for _, conversation := range []string{goneWithBen, "g", "left"} {
		w.send(t, conversation, gone, "ben", gone, gone, "ben")
		_, changed, err := w.Edit(ctx, message.Message{Conversation: conversation, Sender: gone, Seq: 3, Text: "edited by " + gone})
		does(t, true)(changed, err)
		does(t, true)(w.Recall(ctx, of(gone, conversation), 4))
	}
	does(t, true)(w.Leave(ctx, of(gone, "left")))
	w.send(t, "left", "ben")
	does(t, true)(w.Clear(ctx, of(gone, "g")))
	does(t, true)(w.React(ctx, of(gone, "g"), 2, "like"))
	does(t, true)(w.React(ctx, of("ben", "g"), 2, "love"))
	does(t, true)(w.React(ctx, of("ben", "g"), 1, "like"))
	does(t, true)(w.React(ctx, of(gone, "g"), 5, "like"))
	does(t, true)(w.Unreact(ctx, of(gone, "g"), 5))
	w.send(t, pair, "ann", "ben")
	does(t, true)(w.Block(ctx, message.Pair{User: gone, Other: "zoe"}))
}

// erased checks that nothing of the user is left but the names of pairs.
func (w world) erased(t testing.TB) {
	t.Helper()
	withZoe := message.Pair{User: gone, Other: "zoe"}.Conversation()
	for _, item := range w.stored(t) {
		key := textOf(item["pk"]) + " " + textOf(item["sk"])
		delete(item, "pk")
		delete(item, "sk")
		delete(item, "blocked") // of a pair
		if textOf(item["c"]) == goneWithBen {
			delete(item, "c")
		}
		stored, err := json.Marshal(item)
		require.NoError(t, err)
		require.NotContains(t, string(stored), "gone", key)
		require.NotContains(t, strings.NewReplacer(goneWithBen, "", withZoe, "").Replace(key), keys.Join(gone))
	}
	for conversation, n := range map[string]int{goneWithBen: 5, "g": 5, "left": 6} {
		page := w.page(t, of("ben", conversation), 20, "")
		require.Len(t, page.Items, n)
		for _, m := range page.Items {
			if m.Seq == 1 || m.Seq == 3 || m.Seq == 4 {
				require.NotZero(t, m.Recalled)
				require.Equal(t, message.Message{Conversation: conversation, Seq: m.Seq, ID: m.ID, Recalled: m.Recalled}, m)
				continue
			}
			require.Equal(t, "ben", m.Sender)
			require.NotEmpty(t, m.Text)
		}
		err := failed(w.History(t.Context(), of(gone, conversation), cursor.PageRequest{}))
		require.Equal(t, conversation != goneWithBen, err != nil, "whose membership has ended")
		require.ErrorIs(t, failed(w.Send(t.Context(), w.says(conversation, gone, "again"))), plaza.ErrForbidden)
	}
	require.ErrorIs(t, failed(w.Send(t.Context(), w.says(goneWithBen, "ben", "hello?"))), message.ErrBlocked)
	require.Equal(t, []string{"ben", "carl"}, w.members(t, of("ben", "g")))
	require.Equal(t, map[string][]string{"love": {"ben"}}, w.message(t, of("ben", "g"), 2).Reactions)
	require.Empty(t, w.inbox(t, gone))
	require.Len(t, w.inbox(t, "ben"), 4)
	require.Equal(t, []int64{2, 1}, w.history(t, of("ann", pair), 9))
}

func TestEraseLeavesNothingButThePairsNames(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.meeting(t)
	for range 2 {
		require.NoError(t, w.process(t, nil).Erase(t.Context(), gone))
		w.erased(t)
	}
	require.NoError(t, w.Erase(t.Context(), "nobody"))
}

// The process is killed at each of its writes.
func TestEraseGoesOnAfterAKill(t *testing.T) {
	t.Parallel()
	for at := 1; ; at += faults.Size(1, 17) {
		in := faults.New(t, 1, faults.Rates{})
		w := newWorld(t, nil)
		w.meeting(t)
		if at%2 == 0 {
			in.KillAt(at)
		} else {
			in.KillBefore(at)
		}
		err := w.process(t, nil, in.Wrap).Erase(t.Context(), gone)
		if err != nil {
			require.ErrorIs(t, err, faults.ErrKilled)
			require.NoError(t, w.Erase(t.Context(), gone))
		}
		w.erased(t)
		if err == nil {
			require.Greater(t, at, 15)
			return
		}
	}
}

// The process dies between the first message of a pair and the entries of the two.
func TestEraseFindsAMessageThatIsInNoInbox(t *testing.T) {
	t.Parallel()
	for _, sender := range []string{"ann", "ben"} {
		w := newWorld(t, nil)
		for _, first := range []string{"ben", sender} { // ben's is in no inbox either
			killed := faults.New(t, 1, faults.Rates{})
			killed.KillAt(1)
			require.Error(t, failed(w.process(t, nil, killed.Wrap).Send(t.Context(), w.says(pair, first, "secret"))))
		}
		require.Empty(t, w.inbox(t, sender))
		require.NoError(t, w.Erase(t.Context(), sender))
		messages := w.page(t, of("ann", pair), 20, "").Items
		require.Len(t, messages, 2)
		for _, m := range messages {
			require.Equal(t, m.Sender == "", m.Text == "")
			require.NotEqual(t, sender, m.Sender)
		}
	}
}

func TestEraseUnderFaults(t *testing.T) {
	t.Parallel()
	for seed := range faults.Seeds(10) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.meeting(t)
			in := faults.New(t, seed, faults.Rates{LostBefore: 0.1, LostAfter: 0.15, Twice: 0.1, Throttled: 0.1, Conflict: 0.1})
			p := w.process(t, nil, in.Wrap)
			faults.Acknowledged(t, func() error { return p.Erase(t.Context(), gone) })
			in.Off()
			w.erased(t)
		})
	}
}

// A conversation has several buckets and damaged messages, and other entries are damaged
// too.
func TestEraseReachesEverything(t *testing.T) {
	t.Parallel()
	var seen reports
	w := newWorld(t, seen.options())
	l := w.lay(t, message.Pair{User: "ann", Other: "zed"}.Conversation(), bucket-20, "ann", "zed")
	l.send(t, 40)
	pk, sk := messageAt(l.name, bucket+3)
	w.damage(t, pk, sk, attributes{"id": "x"})
	for _, key := range []string{"x", "C#", "C#ben#carl", "C#damaged"} {
		w.put(t, attributes{"pk": "U#ann", "sk": key, "read": "x"})
	}
	w.lay(t, "broken", 0, "ann")
	w.damage(t, "C#broken", "~", attributes{"n": "x"})
	require.ErrorIs(t, w.Erase(t.Context(), "ann"), plaza.ErrCorrupt)
	require.Contains(t, seen.items, "C#broken ~")
	require.Nil(t, w.item(t, "U#ann", "C#"+l.name), "a damaged conversation keeps no other from being erased")
	require.NotNil(t, w.item(t, "U#ann", "C#broken"))
	w.damage(t, "C#broken", "~", attributes{"n": 0})
	require.NoError(t, w.Erase(t.Context(), "ann"))
	for _, item := range w.stored(t) {
		require.NotEqual(t, "U#ann", textOf(item["pk"]))
		require.NotEqual(t, "ann", textOf(item["sender"]))
		require.Nil(t, item["text"])
	}
}
