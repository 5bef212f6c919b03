package main

import (
	"bufio"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/examples/guard"
	"github.com/plaza-sdk/plaza/examples/sse"
	"github.com/plaza-sdk/plaza/notify/message"
	msglive "github.com/plaza-sdk/plaza/notify/message/live"
)

// watching opens the stream of a user's messages, with a conversation open unless that is
// empty. Until skips events until one has the name and contains the part.
func (w world) watching(t *testing.T, user, conversation string) (until func(name, part string) string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*patience) // an event that never comes
	t.Cleanup(cancel)
	path := "/users/" + user + "/inbox/live"
	if conversation != "" {
		path += "?conversation=" + url.QueryEscape(conversation)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, w.URL+path, http.NoBody)
	require.NoError(t, err)
	res, err := w.Client().Do(r)
	require.NoError(t, err)
	t.Cleanup(func() { _ = res.Body.Close() })
	require.Equal(t, "text/event-stream", res.Header.Get("Content-Type"))
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, 1<<20)
	skipped := &strings.Builder{}
	return func(name, part string) string {
		t.Helper()
		for {
			e, err := sse.Next(lines)
			require.NoError(t, err, "%s", skipped)
			if e.Name == name && strings.Contains(e.Data, part) {
				return skipped.String()
			}
			skipped.WriteString(e.Name + " " + e.Data + "\n")
		}
	}
}

func TestEventsAreStreamedToTheUsersTheyConcern(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, bob, bobs, eve := w.watching(t, "ann", annBob), w.watching(t, "bob", annBob), w.watching(t, "bob", ""), w.watching(t, "eve", "")
	for _, until := range []func(string, string) string{ann, bob, bobs, eve} {
		until("joined", "")
	}
	ann("present", `["ann","bob"]`)
	shown := func(deed, name, part, method, path, body string, to ...func(string, string) string) {
		t.Helper()
		require.Less(t, w.send(t, method, path, body).status, 300, deed)
		for _, until := range to {
			until(name, part)
		}
	}
	anns, bobPath := within("ann", annBob), within("bob", annBob)
	shown("a message", "batch", `"text":"hello"`, "POST", anns+"/messages", `{"key":"k","text":"hello"}`, ann, bob)
	bobs("inbox", `"text":"hello"`)
	shown("an edit", "batch", `"kind":"edited"`, "PUT", anns+"/messages/1", `{"text":"hello!"}`, ann, bob)
	bobs("inbox", `"text":"hello!"`)
	shown("a read", "batch", `"kind":"read"`, "PUT", bobPath+"/read", `{"upTo":1}`, ann, bob)
	bobs("inbox", `"kind":"read"`)
	shown("typing", "batch", `"kind":"typing"`, "PUT", bobPath+"/typing", "", ann, bob)
	shown("a recall", "batch", `"kind":"recalled"`, "DELETE", anns+"/messages/1", "", ann, bob)
	shown("a cleared history", "inbox", `"kind":"cleared"`, "DELETE", bobPath+"/messages", "", bob, bobs)
	shown("a block", "inbox", `"kind":"blocked"`, "PUT", "/users/bob/blocked/ann", "", bob, bobs)
	shown("its end", "inbox", `"kind":"unblocked"`, "DELETE", "/users/bob/blocked/ann", "", bob, bobs)

	// Ann does not see what bob does for himself, and eve sees nothing.
	w.say(t, "eve", "ann", "the end")
	for _, private := range []string{"cleared", "blocked"} {
		require.NotContains(t, ann("inbox", "the end"), private)
		w.say(t, "eve", "ann", "the end")
	}
	require.NotContains(t, eve("inbox", "the end"), "hello")
}

func TestAUserWhoLeavesAGroupIsShownNoMoreOfIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.gather(t, "hikers", "ann", "bob")
	ann, again, bob := w.watching(t, "ann", "hikers"), w.watching(t, "ann", "hikers"), w.watching(t, "bob", "hikers")
	again("present", `["ann","bob"]`)
	bob("present", `["ann","bob"]`)
	require.True(t, done[change](t, w.send(t, "DELETE", within("bob", "hikers")+"/members", "")).Changed)
	w.sayIn(t, "ann", "hikers", "bob is gone")
	ann("batch", "bob is gone")
	bob("gone", "")
	again("present", `["ann"]`)
	w.say(t, "ann", "bob", "goodbye")
	seen := bob("inbox", "goodbye")
	require.NotContains(t, seen, "bob is gone")
}

func TestOnlyMembersAreShownToComeAndGo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.gather(t, "hikers", "ann", "bob")
	viewer, err := w.service.talks.Join(t.Context(), message.In{Conversation: "hikers", User: "ann"}, "")
	require.NoError(t, err)
	defer viewer.Close()
	refused(t, w.send(t, "DELETE", within("eve", "hikers")+"/members", ""), http.StatusForbidden)
	for _, changed := range []bool{true, false} {
		require.Equal(t, changed, done[change](t, w.send(t, "DELETE", within("bob", "hikers")+"/members", "")).Changed)
	}
	require.False(t, done[followed](t, w.send(t, "PUT", "/users/ann/groups/hikers", `{"members":["bob"]}`)).Created, "a repeat")
	require.False(t, done[followed](t, w.send(t, "PUT", "/users/bob/groups/hikers", `{"members":["ann"]}`)).Created, "a repeat")
	w.sayIn(t, "ann", "hikers", "hello")
	var seen []string
	for !slices.Contains(seen, "sent ann") {
		batch, err := viewer.Next(t.Context())
		require.NoError(t, err)
		for _, e := range batch.Events {
			seen = append(seen, string(e.Kind)+" "+e.User)
		}
	}
	require.Contains(t, seen, "left bob")
	require.NotContains(t, seen, "left eve")
	require.NotContains(t, seen, "joined bob", "who has left")
}

func TestStreamsOfMessagesAreBoundedAndLeaveNothingBehind(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.api.streams = guard.NewStreams(2, 100)
	for _, conversation := range []string{"", annBob} {
		w.watching(t, "bob", conversation)("joined", "")
	}
	a := w.send(t, "GET", "/users/bob/inbox/live", "")
	refused(t, a, http.StatusTooManyRequests)
	require.NotEmpty(t, a.header.Get("Retry-After"))
	w.CloseClientConnections()
	require.Eventually(t, func() bool { return w.api.streams.Open() == 0 && len(w.service.talks.Present(annBob)) == 0 }, 10*time.Second, time.Millisecond)

	for path, field := range map[string]string{
		"/users/%ff/inbox/live":                                           "user",
		"/users/" + strings.Repeat("x", 257) + "/inbox/live":              "user",
		"/users/bob/inbox/live?conversation=" + strings.Repeat("x", 2000): "conversation",
		"/users/bob/inbox/live?after=1":                                   "query",
	} {
		require.Equal(t, field, refused(t, w.send(t, "GET", path, ""), http.StatusBadRequest).Field, path)
	}
	require.Zero(t, w.api.streams.Open())
}

func TestAGapInTheEventsResetsThePage(t *testing.T) {
	t.Parallel()
	var sent []string
	send := sender(func(e sse.Event) error {
		sent = append(sent, e.Name+" "+e.Data)
		return nil
	})
	events := []msglive.Event{{Kind: msglive.Left}}
	for _, batch := range []msglive.Batch{
		{Events: events, Encoded: []byte("1")},
		{Reset: true},
		{Dropped: 2, Events: events, Encoded: []byte("2")},
	} {
		require.NoError(t, send.pass("batch", batch))
	}
	require.Equal(t, []string{"batch 1", "reset {}", "reset {}", "batch 2"}, sent)
}
