package message_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/notify/message"
)

func TestDamageIsNamed(t *testing.T) {
	t.Parallel()
	type call = func(w world) error
	m := say("g", "ann", "k")
	ann := of("ann", "g")
	send := func(w world) error { return failed(w.Send(t.Context(), w.says("g", "ann", "another"))) }
	repeat := func(w world) error { return failed(w.Send(t.Context(), m)) }
	add := func(w world) error { return failed(w.Add(t.Context(), of("cleo", "g"), "ann")) }
	leave := func(w world) error { return failed(w.Leave(t.Context(), ann)) }
	edit := func(w world) error {
		return failed(w.Edit(t.Context(), message.Message{Conversation: "g", Sender: "ann", Seq: 1, Text: "edited"}))
	}
	react := func(w world) error { return failed(w.React(t.Context(), ann, 1, "like")) }
	recall := func(w world) error { return failed(w.Recall(t.Context(), ann, 1)) }
	history := func(w world) error { return failed(w.History(t.Context(), ann, cursor.PageRequest{})) }
	clear := func(w world) error { return failed(w.Clear(t.Context(), ann)) }
	read := func(w world) error { return failed(w.MarkRead(t.Context(), ann, 2)) } // one more than the entry knows
	block := func(w world) error {
		return failed(w.Block(t.Context(), message.Pair{User: "ann", Other: "ben"}))
	}
	entries := []attributes{{"last": "x"}}
	for _, name := range []string{"read", "from", "till", "own", "recalled", "unread", "lastSeq"} {
		entries = append(entries, attributes{name: "x"}, attributes{name: -1})
	}
	for name, c := range faults.Sample(4, map[string]struct {
		pk, sk  string
		damages []attributes // nil: the item is gone
		calls   []call
	}{
		"members":        {"C#g", "M", []attributes{nil, {"members": "text"}, {"mver": 0}}, []call{add, leave}},
		"a head":         {"C#g", "~", []attributes{{"n": "text"}, {"n": -1}}, []call{send, add, history, clear, read}},
		"a head too low": {"C#g", "~", []attributes{{"n": 0}}, []call{send}},
		"a guard":        {"K#ann#kg", "K", []attributes{{"seq": "text"}, {"seq": 77}}, []call{repeat}},
		"a message":      {"C#g#0", seqSK(1), []attributes{{"id": 7}, {"sender": 7}, {"reactions": "x"}, {"reactions": map[string]string{"ben": "x"}}}, []call{repeat, edit, react}},
		"a sender":       {"C#g#0", seqSK(1), []attributes{{"sender": 7}}, []call{recall}},
		"an entry":       {"U#ann", "C#g", entries, []call{history, clear, read}},
		"a pair's head":  {"C#" + pair, "~", []attributes{{"blocked": "text"}}, []call{block}},
	}, "members") {
		w := newWorld(t, nil)
		w.create(t, "g", "ann", "ben")
		require.NoError(t, failed(w.Send(t.Context(), m)))
		whole := w.item(t, c.pk, c.sk)
		for _, damage := range c.damages {
			processes := []world{w, w.process(t, nil)}
			if damage == nil {
				w.remove(t, c.pk, c.sk)
			} else {
				w.damage(t, c.pk, c.sk, damage)
			}
			if c.sk == "M" && damage != nil {
				processes = processes[1:] // the other one knows them
			}
			for _, p := range processes {
				for _, do := range c.calls {
					require.ErrorIs(t, do(p), plaza.ErrCorrupt, "%s: %v", name, damage)
				}
			}
			if whole != nil {
				w.put(t, whole)
			}
		}
	}
}
