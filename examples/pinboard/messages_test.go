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

func TestTwoPeopleWriteToEachOther(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, eric := w.as(t, "ann"), w.as(t, "eric")
	require.Equal(t, []string{"ann", "eric"}, get[talk](ann, "/api/talks/eric").Members)
	require.Empty(t, ann.said("eric"))
	for range 2 { // the same key is the same message
		require.EqualValues(t, 1, ann.says("eric", "1", "Hello <b>Eric</b>").Seq)
	}
	require.Equal(t, []string{"Hello <b>Eric</b>"}, eric.said("ann"))
	inbox := get[cursor.Page[preview]](eric, "/api/inbox").Items
	require.Len(t, inbox, 1)
	require.Equal(t, "ann", inbox[0].Other)
	require.EqualValues(t, 1, inbox[0].Unread)
	require.Equal(t, message.Count{Conversations: 1, Messages: 1}, get[message.Count](eric, "/api/inbox/unread"))

	for range 2 {
		call[struct{}](eric, http.MethodPut, "/api/talks/ann/read", map[string]int{"upTo": 1})
		require.Equal(t, message.Count{}, get[message.Count](eric, "/api/inbox/unread"))
	}
	require.EqualValues(t, 1, get[talk](ann, "/api/talks/eric").Read["eric"])
	answer := call[letter](eric, http.MethodPost, "/api/talks/ann/messages", map[string]any{"key": "1", "text": "Hi", "replyTo": 1})
	require.EqualValues(t, 1, answer.ReplyTo)

	edited := call[letter](ann, http.MethodPut, "/api/talks/eric/messages/1", map[string]string{"text": "Hello"})
	require.NotZero(t, edited.Edited)
	for _, did := range []bool{true, false} {
		require.Equal(t, changed{did}, call[changed](ann, http.MethodDelete, "/api/talks/eric/messages/1", nil))
	}
	require.Equal(t, []string{"Hi", ""}, eric.said("ann"))
}

func TestMessagesAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, eric, chris := w.as(t, "ann"), w.as(t, "eric"), w.as(t, "chris")
	ann.says("eric", "1", "Hello")
	body := map[string]string{"key": "2", "text": "again"}
	eric.refused(http.StatusForbidden, http.MethodPut, "/api/talks/ann/messages/1", map[string]string{"text": "mine"})
	eric.refused(http.StatusForbidden, http.MethodDelete, "/api/talks/ann/messages/1", nil)
	ann.refused(http.StatusConflict, http.MethodPost, "/api/talks/chris/messages", map[string]string{"key": "1", "text": "Hello"})
	ann.refused(http.StatusNotFound, http.MethodPost, "/api/talks/nobody/messages", body)
	ann.refused(http.StatusNotFound, http.MethodPut, "/api/talks/eric/messages/7", map[string]string{"text": "x"})
	ann.refused(http.StatusForbidden, http.MethodGet, "/api/talks/group_none/messages", nil)
	for _, c := range []struct {
		method, path string
		body         any
	}{
		{http.MethodPost, "/api/talks/ann/messages", body},
		{http.MethodPost, "/api/talks/eric/messages", map[string]string{"key": "2"}},
		{http.MethodPost, "/api/talks/eric/messages", map[string]string{"text": "no key"}},
		{http.MethodPut, "/api/talks/eric/messages/x", map[string]string{"text": "x"}},
		{http.MethodPut, "/api/talks/eric/read", map[string]int{"upTo": 9}},
		{http.MethodPut, "/api/talks/eric", map[string]any{"members": []string{"ann"}}},
		{http.MethodPut, "/api/talks/group_g", map[string]any{"members": []string{"nobody"}}},
	} {
		ann.refused(http.StatusBadRequest, c.method, c.path, c.body)
	}

	for _, did := range []bool{true, false} {
		require.Equal(t, changed{did}, call[changed](eric, http.MethodPut, "/api/blocked/ann", struct{}{}))
	}
	ann.refused(http.StatusForbidden, http.MethodPost, "/api/talks/eric/messages", body)
	require.Equal(t, talk{Conversation: "ann#eric", Members: []string{"ann", "eric"}, Read: map[string]int64{"ann": 1, "eric": 0}, Blocked: true, Mine: true}, get[talk](eric, "/api/talks/ann"))
	require.False(t, get[talk](ann, "/api/talks/eric").Mine)
	call[changed](eric, http.MethodDelete, "/api/blocked/ann", nil)
	ann.says("eric", "2", "again")
	eric.refused(http.StatusNotFound, http.MethodPut, "/api/blocked/nobody", struct{}{})

	group := map[string]any{"members": []string{"ann", "eric"}}
	for _, did := range []bool{true, false} {
		require.Equal(t, changed{did}, call[changed](ann, http.MethodPut, "/api/talks/group_g", group))
	}
	ann.says("group_g", "3", "All")
	require.Equal(t, []string{"All"}, eric.said("group_g"))
	chris.refused(http.StatusForbidden, http.MethodGet, "/api/talks/group_g/messages", nil)
	chris.refused(http.StatusForbidden, http.MethodPost, "/api/talks/group_g/messages", body)
	require.Equal(t, []string{"ann", "eric"}, get[cursor.Page[preview]](eric, "/api/inbox").Items[0].Members)
	require.Equal(t, changed{true}, call[changed](eric, http.MethodDelete, "/api/talks/group_g/members", nil))
	eric.refused(http.StatusForbidden, http.MethodPost, "/api/talks/group_g/messages", body)
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

func TestAWindowHearsWhatHappens(t *testing.T) {
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
