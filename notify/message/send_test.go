package message_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/notify/message"
)

func TestSmoke(t *testing.T) {
	w := newWorld(t, nil)
	m := w.says(pair, "ann", "hello")
	sent, created, err := w.Send(t.Context(), m)
	require.NoError(t, err)
	require.True(t, created)
	t.Logf("%+v", sent)
	again, created, err := w.Send(t.Context(), m)
	require.NoError(t, err)
	require.False(t, created)
	require.Equal(t, sent, again)
	w.send(t, pair, "ben", "ann", "ann", "ben", "ann")
	t.Logf("%+v", w.row(t, pair, "ann"))
	t.Logf("%+v", w.row(t, pair, "ben"))
	w.create(t, "g", "ann", "ben", "cleo")
	ok, err := w.Create(t.Context(), message.Group{ID: "g", Members: []string{"ben", "cleo", "ann"}})
	require.NoError(t, err)
	require.False(t, ok)
	w.send(t, "g", "ann", "ben", "cleo")
	ok, err = w.Add(t.Context(), message.In{Conversation: "g", User: "dan"})
	require.NoError(t, err)
	require.True(t, ok)
	ok, err = w.Leave(t.Context(), message.In{Conversation: "g", User: "ann"})
	require.NoError(t, err)
	require.True(t, ok)
	_, _, err = w.Send(t.Context(), w.says("g", "ann", "x"))
	require.ErrorIs(t, err, message.ErrNotMember)
	w.send(t, "g", "dan")
	all, err := w.Members(t.Context(), message.In{Conversation: "g", User: "dan"})
	require.NoError(t, err)
	t.Log(all)
	for _, u := range append(all, "ann") {
		t.Logf("%s %+v", u, w.row(t, "g", u))
	}
	sent.Text = "edited"
	e, ok, err := w.Edit(t.Context(), sent)
	require.NoError(t, err)
	require.True(t, ok)
	t.Logf("%+v", e)
	_, ok, err = w.Edit(t.Context(), sent)
	require.NoError(t, err)
	require.False(t, ok)
	ok, err = w.Block(t.Context(), message.Pair{User: "ben", Other: "ann"})
	require.NoError(t, err)
	require.True(t, ok)
	_, _, err = w.Send(t.Context(), w.says(pair, "ann", "x"))
	require.ErrorIs(t, err, message.ErrBlocked)
	ok, err = w.Unblock(t.Context(), message.Pair{User: "ben", Other: "ann"})
	require.NoError(t, err)
	require.True(t, ok)
	w.send(t, pair, "ann")
	ok, err = w.Recall(t.Context(), message.In{Conversation: pair, User: "ann"}, 1)
	require.NoError(t, err)
	require.True(t, ok)
}
