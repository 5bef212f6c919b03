package message_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/notify/message"
)

func TestAnEditReplacesTextAndData(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	sent := w.send(t, pair, "ann")
	for i, c := range []struct {
		text, data string
		changed    bool
	}{
		{"other", "", true}, {"other", "", false}, {"other", `{"a":1}`, true}, {"other", `{"a":1}`, false},
		{"other", `{"a":2}`, true}, {"", `{"a":2}`, true}, {"", `{"a":2}`, false}, {"other", "", true},
	} {
		w.pass(time.Minute)
		sent.Text, sent.Data = c.text, nil
		if c.data != "" {
			sent.Data = json.RawMessage(c.data)
		}
		edited, changed, err := w.Edit(t.Context(), sent)
		does(t, c.changed, i)(changed, err)
		if changed {
			sent.Edited = w.Now()
		}
		require.Equal(t, sent, edited)
		require.Equal(t, sent, w.inbox(t, "ben")[0].Last)
	}
}

func TestOnlyTheSenderEditsAndRecalls(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.create(t, "g", "ann", "ben", "cleo")
	edit := func(conversation, sender string, seq int64) (bool, error) {
		_, changed, err := w.Edit(t.Context(), message.Message{Conversation: conversation, Sender: sender, Seq: seq, Text: "edited"})
		return changed, err
	}
	recall := func(conversation, sender string, seq int64) (bool, error) {
		return w.Recall(t.Context(), of(sender, conversation), seq)
	}
	for _, c := range []string{"g", pair} {
		w.send(t, c, "ann", "ben")
		for _, call := range []func(string, string, int64) (bool, error){edit, recall} {
			fails(t, plaza.ErrForbidden)(call(c, "ben", 1))
			fails(t, plaza.ErrNotFound)(call(c, "ben", 3))
			fails(t, plaza.ErrForbidden)(call(c, "dan", 1))
		}
		does(t, true)(recall(c, "ann", 1))
		fails(t, plaza.ErrRemoved)(edit(c, "ann", 1))
		does(t, false)(recall(c, "ann", 1))
	}
	fails(t, message.ErrNotMember)(edit("no group", "ann", 1))
}

// Otherwise an edit could reach users to whom the sender may no longer send.
func TestAUserWhoMayNotSendCannotEditButCanRecall(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.create(t, "g", "ann", "ben")
	for _, c := range []string{"g", pair} {
		w.send(t, c, "ann", "ben")
	}
	does(t, true)(w.Block(t.Context(), message.Pair{User: "ben", Other: "ann"}))
	does(t, true)(w.Leave(t.Context(), of("ann", "g")))
	for c, want := range map[string]error{"g": message.ErrNotMember, pair: message.ErrBlocked} {
		require.ErrorIs(t, failed(w.Edit(t.Context(), message.Message{Conversation: c, Sender: "ann", Seq: 1, Text: "edited"})), want)
		does(t, true)(w.Recall(t.Context(), of("ann", c), 1))
		require.Empty(t, w.message(t, of("ben", c), 1).Text)
	}
}

func TestARecalledMessageIsGoneFromTheTable(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	m := w.says(pair, "ann", "secret")
	m.Data = json.RawMessage(`"secret"`)
	require.NoError(t, failed(w.Send(t.Context(), m)))
	m.Seq, m.Text = 1, "more secret"
	require.NoError(t, failed(w.Edit(t.Context(), m)))
	does(t, true)(w.Recall(t.Context(), of("ann", pair), 1))
	for _, item := range w.stored(t) {
		text, err := json.Marshal(item)
		require.NoError(t, err)
		require.NotContains(t, string(text), "secret")
	}
}

// A request of an edit is lost. Before the SDK repeats it, the message is recalled.
func TestARecallDoesNotHideAnEdit(t *testing.T) {
	t.Parallel()
	edit := func(p world, text string) (bool, error) {
		_, changed, err := p.Edit(t.Context(), message.Message{Conversation: pair, Sender: "ann", Seq: 1, Text: text})
		return changed, err
	}
	for name, c := range map[string]struct {
		lost    faults.Kind
		edited  bool // by another device too
		changed bool
		err     error
	}{
		"applied":             {faults.LostAfter, false, true, nil},
		"applied, edited":     {faults.LostAfter, true, true, nil},
		"not applied":         {faults.LostBefore, false, false, plaza.ErrUnknownOutcome},
		"not applied, edited": {faults.LostBefore, true, false, plaza.ErrRemoved},
	} {
		w := newWorld(t, nil)
		w.send(t, pair, "ann")
		inject := faults.New(t, 1, faults.Rates{})
		updates := 0
		inject.Script(func(op string, _ []byte, _ int) faults.Fault {
			if op != "UpdateItem" {
				return faults.Fault{}
			}
			if updates++; updates == 1 {
				return faults.Fault{Kind: c.lost}
			}
			if updates == 2 {
				if c.edited {
					does(t, true, name)(edit(w, "two"))
				}
				does(t, true, name)(w.Recall(t.Context(), of("ann", pair), 1))
			}
			return faults.Fault{}
		})
		changed, err := edit(w.process(t, nil, inject.Wrap), "one")
		require.ErrorIs(t, err, c.err, name)
		require.Equal(t, c.changed, changed, name)
	}
}
