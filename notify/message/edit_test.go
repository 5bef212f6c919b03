package message_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/notify/message"
)

func TestAnEditReplacesTextAndData(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	sent := w.send(t, pair, "ann")
	for i, content := range []struct {
		text, data string
		changed    bool
	}{
		{"other", "", true},
		{"other", "", false},
		{"other", `{"a":1}`, true},
		{"other", `{"a":1}`, false},
		{"other", `{"a":2}`, true},
		{"", `{"a":2}`, true},
		{"", `{"a":2}`, false},
		{"other", "", true},
	} {
		w.pass(time.Minute)
		m := message.Message{Conversation: pair, Sender: "ann", Seq: 1, Text: content.text}
		if content.data != "" {
			m.Data = json.RawMessage(content.data)
		}
		edited, changed, err := w.Edit(t.Context(), m)
		require.NoError(t, err)
		require.Equal(t, content.changed, changed, i)
		sent.Text, sent.Data = m.Text, m.Data
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
	for _, c := range []string{"g", pair} {
		w.send(t, c, "ann", "ben")
	}
	edit := func(conversation, sender string, seq int64) error {
		_, changed, err := w.Edit(t.Context(), message.Message{Conversation: conversation, Sender: sender, Seq: seq, Text: "edited"})
		require.Equal(t, err == nil, changed)
		return err
	}
	recall := func(conversation, sender string, seq int64) error {
		changed, err := w.Recall(t.Context(), of(sender, conversation), seq)
		require.Equal(t, err == nil, changed)
		return err
	}
	for _, call := range []func(string, string, int64) error{edit, recall} {
		for _, c := range []string{"g", pair} {
			require.ErrorIs(t, call(c, "ben", 1), plaza.ErrForbidden)
			require.ErrorIs(t, call(c, "ben", 3), plaza.ErrNotFound)
			require.ErrorIs(t, call(c, "dan", 1), plaza.ErrForbidden)
			require.ErrorIs(t, call(c, "ann", 0), plaza.ErrInvalid)
			require.ErrorIs(t, call(c, "", 1), plaza.ErrInvalid)
		}
		require.ErrorIs(t, call("", "ann", 1), plaza.ErrInvalid)
	}
	require.ErrorIs(t, edit("no group", "ann", 1), message.ErrNotMember)
	for _, c := range []string{"g", pair} {
		require.NoError(t, recall(c, "ann", 1))
		require.ErrorIs(t, edit(c, "ann", 1), plaza.ErrRemoved)
		does(t, false)(w.Recall(t.Context(), of("ann", c), 1))
	}
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
		_, _, err := w.Edit(t.Context(), message.Message{Conversation: c, Sender: "ann", Seq: 1, Text: "edited"})
		require.ErrorIs(t, err, want)
		does(t, true)(w.Recall(t.Context(), of("ann", c), 1))
		require.Empty(t, w.message(t, of("ben", c), 1).Text)
	}
}

func TestARecalledMessageIsGoneFromTheTable(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	m := w.says(pair, "ann", "secret")
	m.Data = json.RawMessage(`"secret"`)
	_, _, err := w.Send(t.Context(), m)
	require.NoError(t, err)
	m.Seq, m.Text = 1, "more secret"
	_, _, err = w.Edit(t.Context(), m)
	require.NoError(t, err)
	does(t, true)(w.Recall(t.Context(), of("ann", pair), 1))
	for _, item := range w.stored(t) {
		text, err := json.Marshal(item)
		require.NoError(t, err)
		require.NotContains(t, string(text), "secret")
	}
	w.send(t, pair, "ben")
	require.Equal(t, []int64{2, 1}, w.history(t, of("ben", pair), 10))
}

// skewed is a process whose clock differs from the world's.
type skewed struct {
	*clock
	ahead time.Duration
}

func (s skewed) Next(context.Context) (ids.ID, error) {
	id := s.id()
	return ids.At(id.Time().Add(s.ahead)) | (id - ids.At(id.Time())), nil
}

func (w world) skewed(t testing.TB, ahead time.Duration, wrap ...wrapper) *message.Repository {
	t.Helper()
	r, err := message.New(dynamotest.DB(t, wrap...), w.table, skewed{w.clock, ahead}, &message.Options{Now: w.Now})
	require.NoError(t, err)
	return r
}

// A request of an edit is lost. Before the SDK repeats it, the message is recalled.
func TestARecallDoesNotHideAnEdit(t *testing.T) {
	t.Parallel()
	edit := func(r *message.Repository, text string) (bool, error) {
		_, changed, err := r.Edit(t.Context(), message.Message{Conversation: pair, Sender: "ann", Seq: 1, Text: text})
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
					_, err := edit(w.Repository, "two")
					require.NoError(t, err, name)
				}
				_, err := w.Recall(t.Context(), of("ann", pair), 1)
				require.NoError(t, err, name)
			}
			return faults.Fault{}
		})
		changed, err := edit(w.process(t, nil, inject.Wrap).Repository, "one")
		require.ErrorIs(t, err, c.err, name)
		require.Equal(t, c.changed, changed, name)
	}
}

func TestADamagedMessageIsNamedByEditAndRecall(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.send(t, pair, "ann")
	pk, sk := messageAt(pair, 1)
	w.damage(t, pk, sk, attributes{"sender": 7})
	_, _, err := w.Edit(t.Context(), message.Message{Conversation: pair, Sender: "ann", Seq: 1, Text: "edited"})
	require.ErrorIs(t, err, plaza.ErrCorrupt)
	fails(t, plaza.ErrCorrupt)(w.Recall(t.Context(), of("ann", pair), 1))
}
