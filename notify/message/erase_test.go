package message_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/guregu/dynamo/v2"
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
		m := message.Message{Conversation: conversation, Sender: gone, Seq: 3, Text: "edited by " + gone}
		_, changed, err := w.Edit(ctx, m)
		require.NoError(t, err)
		require.True(t, changed)
		does(t, true)(w.Recall(ctx, message.In{Conversation: conversation, User: gone}, 4))
	}
	does(t, true)(w.Leave(ctx, message.In{Conversation: "left", User: gone}))
	w.send(t, "left", "ben")
	require.NoError(t, errOf(w.Clear(ctx, message.In{Conversation: "g", User: gone})))
	w.send(t, pair, "ann", "ben")
	does(t, true)(w.Block(ctx, message.Pair{User: gone, Other: "zoe"}))
}

// everything returns all items of the table.
func (w world) everything(t testing.TB) (items []dynamo.Item) {
	t.Helper()
	require.NoError(t, w.raw(t).Scan().Consistent(true).All(t.Context(), &items))
	return items
}

// erased checks that nothing of the user is left but the names of pairs.
func (w world) erased(t testing.TB) {
	t.Helper()
	named := keys.Join(gone)
	for _, item := range w.everything(t) {
		pk, sk := textOf(item["pk"]), textOf(item["sk"])
		delete(item, "pk")
		delete(item, "sk")
		delete(item, "blocked") // of a pair
		if textOf(item["c"]) == goneWithBen {
			delete(item, "c")
		}
		stored, err := json.Marshal(item)
		require.NoError(t, err)
		require.NotContains(t, string(stored), "gone", "%s %s", pk, sk)
		for _, p := range []string{goneWithBen, message.Pair{User: gone, Other: "zoe"}.Conversation()} {
			pk, sk = strings.ReplaceAll(pk, p, ""), strings.ReplaceAll(sk, p, "")
		}
		require.NotContains(t, pk+sk, named)
	}
	for conversation, own := range map[string][]int64{goneWithBen: {1, 3, 4}, "g": {1, 3, 4}, "left": {1, 3, 4}} {
		in := message.In{Conversation: conversation, User: "ben"}
		page, err := w.History(t.Context(), in, cursor.PageRequest{})
		require.NoError(t, err)
		for _, m := range page.Items {
			if m.Sender == "" {
				require.NotZero(t, m.Recalled)
				want := message.Message{Conversation: conversation, Seq: m.Seq, ID: m.ID, Recalled: m.Recalled}
				require.Equal(t, want, m)
				require.Contains(t, own, m.Seq)
				continue
			}
			require.Equal(t, "ben", m.Sender)
			require.NotEmpty(t, m.Text)
		}
		require.Len(t, page.Items, map[bool]int{true: 6, false: 5}[conversation == "left"])
		_, err = w.History(t.Context(), message.In{Conversation: conversation, User: gone}, cursor.PageRequest{})
		require.Equal(t, conversation != goneWithBen, err != nil, "whose membership has ended")
		_, _, err = w.Send(t.Context(), w.says(conversation, gone, "again"))
		require.ErrorIs(t, err, plaza.ErrForbidden)
	}
	_, _, err := w.Send(t.Context(), w.says(goneWithBen, "ben", "hello?"))
	require.ErrorIs(t, err, message.ErrBlocked)
	members, err := w.Members(t.Context(), message.In{Conversation: "g", User: "ben"})
	require.NoError(t, err)
	require.Equal(t, []string{"ben", "carl"}, members)
	require.Empty(t, w.inbox(t, gone))
	require.Len(t, w.inbox(t, "ben"), 4)
	require.Equal(t, []int64{2, 1}, w.history(t, message.In{Conversation: pair, User: "ann"}, 9))
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
			inject := faults.New(t, 1, faults.Rates{})
			inject.KillAt(1)
			_, _, err := w.process(t, nil, inject.Wrap).Send(t.Context(), w.says(pair, first, "secret"))
			require.Error(t, err)
		}
		require.Empty(t, w.inbox(t, sender))
		require.NoError(t, w.Erase(t.Context(), sender))
		page, err := w.History(t.Context(), of("ann", pair), cursor.PageRequest{})
		require.NoError(t, err)
		require.Len(t, page.Items, 2)
		for _, m := range page.Items {
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
		require.NoError(t, w.raw(t).Put(attributes{"pk": "U#ann", "sk": key, "read": "x"}).Run(t.Context()))
	}
	w.lay(t, "broken", 0, "ann")
	w.damage(t, "C#broken", "~", attributes{"n": "x"})
	require.ErrorIs(t, w.Erase(t.Context(), "ann"), plaza.ErrCorrupt)
	require.Contains(t, seen.sks, "~")
	require.Nil(t, w.item(t, "U#ann", "C#"+l.name), "a damaged conversation keeps no other from being erased")
	require.NotNil(t, w.item(t, "U#ann", "C#broken"))
	w.damage(t, "C#broken", "~", attributes{"n": 0})
	require.NoError(t, w.Erase(t.Context(), "ann"))
	for _, item := range w.everything(t) {
		require.NotEqual(t, "U#ann", textOf(item["pk"]))
		require.NotEqual(t, "ann", textOf(item["sender"]))
		require.Nil(t, item["text"])
	}
}
