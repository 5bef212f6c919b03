package message

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Waiting is how many sends wait for an entry.
func (r *Repository) Waiting(in In) int {
	r.waiting.mu.Lock()
	defer r.waiting.mu.Unlock()
	if found := r.waiting.entries[in]; found != nil {
		return found.sends
	}
	return 0
}

// Two sends of a process may come to an entry in another order than to the conversation.
func TestAnEntryLacksAnOwnMessageThatCameAfterANewerOne(t *testing.T) {
	t.Parallel()
	w := waiting{entries: map[In]*raising{}}
	in := In{Conversation: "talk", User: "ann"}
	message := func(seq int64) Message { return Message{Conversation: "talk", Sender: "ann", Seq: seq} }
	defer w.join(in, message(3))()
	newest, own, lacks := w.lacks(in, message(3))
	require.True(t, lacks)
	w.wrote(in, newest, own)

	defer w.join(in, message(2))()
	newest, own, lacks = w.lacks(in, message(2))
	require.True(t, lacks)
	require.Zero(t, newest)
	require.Equal(t, numbers{2}, own)
	w.wrote(in, newest, own)
	_, _, lacks = w.lacks(in, message(2))
	require.False(t, lacks)
}
