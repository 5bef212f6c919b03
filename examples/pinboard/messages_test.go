package main

import (
	"bufio"
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/examples/sse"
	"github.com/plaza-sdk/plaza/notify/message"
	msglive "github.com/plaza-sdk/plaza/notify/message/live"
)

// says sends a message in a person's name.
func (c caller) says(with, key, text string) letter {
	c.t.Helper()
	return call[letter](c, http.MethodPost, "/api/talks/"+with+"/messages", map[string]string{"key": key, "text": text})
}

// said returns the texts of a conversation, newest first.
func (c caller) said(with string) []string {
	c.t.Helper()
	texts := []string{}
	for _, m := range get[cursor.Page[letter]](c, "/api/talks/"+with+"/messages").Items {
		texts = append(texts, m.Text)
	}
	return texts
}

func twoPeopleWriteToEachOther(t *testing.T, w *world) {
	dalia, daniel := w.as(t, "dalia"), w.as(t, "daniel")
	require.Equal(t, []string{"dalia", "daniel"}, get[talk](dalia, "/api/talks/daniel").Members)
	require.Empty(t, dalia.said("daniel"))
	for range 2 { // the same key is the same message
		require.EqualValues(t, 1, dalia.says("daniel", "1", "Hello <b>Eric</b>").Seq)
	}
	require.Equal(t, []string{"Hello <b>Eric</b>"}, daniel.said("dalia"))
	inbox := get[cursor.Page[preview]](daniel, "/api/inbox").Items
	require.Len(t, inbox, 1)
	require.Equal(t, "dalia", inbox[0].Other)
	require.EqualValues(t, 1, inbox[0].Unread)
	require.Equal(t, message.Count{Conversations: 1, Messages: 1}, get[message.Count](daniel, "/api/inbox/unread"))

	for range 2 {
		call[struct{}](daniel, http.MethodPut, "/api/talks/dalia/read", map[string]int{"upTo": 1})
		require.Equal(t, message.Count{}, get[message.Count](daniel, "/api/inbox/unread"))
	}
	require.EqualValues(t, 1, get[talk](dalia, "/api/talks/daniel").Read["daniel"])
	answer := call[letter](daniel, http.MethodPost, "/api/talks/dalia/messages", map[string]any{"key": "1", "text": "Hi", "replyTo": 1})
	require.EqualValues(t, 1, answer.ReplyTo)

	edited := call[letter](dalia, http.MethodPut, "/api/talks/daniel/messages/1", map[string]string{"text": "Hello"})
	require.NotZero(t, edited.Edited)
	dalia.once(http.MethodDelete, "/api/talks/daniel/messages/1", nil)
	require.Equal(t, []string{"Hi", ""}, daniel.said("dalia"))
}

func messagesAreRefused(t *testing.T, w *world) {
	deniz, dina, diego := w.as(t, "deniz"), w.as(t, "dina"), w.as(t, "diego")
	deniz.says("dina", "1", "Hello")
	body := map[string]string{"key": "2", "text": "again"}
	dina.refused(http.StatusForbidden, http.MethodPut, "/api/talks/deniz/messages/1", map[string]string{"text": "mine"})
	dina.refused(http.StatusForbidden, http.MethodDelete, "/api/talks/deniz/messages/1", nil)
	deniz.refused(http.StatusConflict, http.MethodPost, "/api/talks/diego/messages", map[string]string{"key": "1", "text": "Hello"})
	deniz.refused(http.StatusNotFound, http.MethodPut, "/api/talks/dina/messages/7", map[string]string{"text": "x"})
	deniz.refused(http.StatusBadRequest, http.MethodPut, "/api/talks/dina/read", map[string]int{"upTo": 9})

	dina.once(http.MethodPut, "/api/blocked/deniz", struct{}{})
	deniz.refused(http.StatusForbidden, http.MethodPost, "/api/talks/dina/messages", body)
	require.Equal(t, talk{Conversation: "deniz#dina", Members: []string{"deniz", "dina"}, Read: map[string]int64{"deniz": 1, "dina": 0}, Blocked: true, Mine: true}, get[talk](dina, "/api/talks/deniz"))
	require.False(t, get[talk](deniz, "/api/talks/dina").Mine)
	call[changed](dina, http.MethodDelete, "/api/blocked/deniz", nil)
	deniz.says("dina", "2", "again")

	group := map[string]any{"members": []string{"deniz", "dina"}}
	deniz.once(http.MethodPut, "/api/talks/group_g", group)
	deniz.says("group_g", "3", "All")
	require.Equal(t, []string{"All"}, dina.said("group_g"))
	diego.refused(http.StatusForbidden, http.MethodGet, "/api/talks/group_g/messages", nil)
	diego.refused(http.StatusForbidden, http.MethodPost, "/api/talks/group_g/messages", body)
	require.Equal(t, []string{"deniz", "dina"}, get[cursor.Page[preview]](dina, "/api/inbox").Items[0].Members)
	require.Equal(t, changed{true}, call[changed](dina, http.MethodDelete, "/api/talks/group_g/members", nil))
	dina.refused(http.StatusForbidden, http.MethodPost, "/api/talks/group_g/messages", body)

	viewer, err := w.talks.Join(t.Context(), message.In{Conversation: "group_g", User: "deniz"}, "")
	require.NoError(t, err)
	defer viewer.Close()
	require.Equal(t, changed{}, call[changed](dina, http.MethodPut, "/api/talks/group_g", group))
	deniz.says("group_g", "4", "Alone")
	for kind := msglive.Kind(""); kind != msglive.Sent; {
		batch, err := viewer.Next(t.Context())
		require.NoError(t, err)
		for _, e := range batch.Events {
			require.False(t, e.Kind == msglive.Joined && e.User == "dina", "she has left")
			kind = e.Kind
		}
	}
}

// listens opens the stream of a window and returns a function for its next event.
func (c caller) listens(query string) func() sse.Event {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), bellPatience)
	c.t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.server.URL+"/api/events?as="+c.id+query, nil)
	require.NoError(c.t, err)
	res, err := c.server.Client().Do(r)
	require.NoError(c.t, err)
	c.t.Cleanup(func() { _ = res.Body.Close() })
	require.Equal(c.t, http.StatusOK, res.StatusCode)
	lines := bufio.NewScanner(res.Body)
	return func() sse.Event {
		c.t.Helper()
		e, err := sse.Next(lines)
		require.NoError(c.t, err)
		return e
	}
}

func TestAWindowGetsEventsAsTheyHappen(t *testing.T) {
	t.Parallel()
	w := newBell(t)
	ann, eric := w.as(t, "ann"), w.as(t, "eric")
	next := ann.listens("&with=eric")
	require.Equal(t, sse.Event{Name: "joined", Data: "{}"}, next())
	require.Equal(t, sse.Event{Name: "present", Data: `["ann"]`}, next())
	until := func(name, part string) {
		t.Helper()
		for {
			if e := next(); e.Name == name && strings.Contains(e.Data, part) {
				return
			}
		}
	}
	eric.says("ann", "1", "Hello")
	until("batch", `"text":"Hello"`)
	call[struct{}](eric, http.MethodPut, "/api/talks/ann/typing", struct{}{})
	until("batch", `"kind":"typing"`)
	w.bellLike(t, "eric", "picture:"+w.bellPin(t, "ann", "Dawn"))
	until("bell", "{}")
	inbox := eric.listens("")
	ann.says("eric", "1", "Hi")
	for inbox().Name != "inbox" {
	}
	w.api.endStreams()
	for _, query := range []string{"&with=nobody", "&with=ann", "&with=group_none"} {
		got := ann.send(http.MethodGet, "/api/events?as=ann"+query, nil)
		require.GreaterOrEqual(t, got.status, 400, query)
		require.Less(t, got.status, 500, query)
	}
}
