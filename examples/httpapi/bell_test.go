package main

import (
	"bufio"
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/examples/guard"
	"github.com/plaza-sdk/plaza/examples/sse"
)

// listen opens the stream of a user's bell, after an event id unless that is empty.
func (w world) listen(t *testing.T, user, after string) (next func() sse.Event) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, w.URL+"/users/"+user+"/bell/live", http.NoBody)
	require.NoError(t, err)
	if after != "" {
		r.Header.Set("Last-Event-ID", after)
	}
	res, err := w.Client().Do(r)
	require.NoError(t, err)
	t.Cleanup(func() { _ = res.Body.Close() })
	require.Equal(t, "text/event-stream", res.Header.Get("Content-Type"))
	lines := bufio.NewScanner(res.Body)
	return func() sse.Event {
		t.Helper()
		e, err := sse.Next(lines)
		require.NoError(t, err)
		require.Equal(t, "{}", e.Data)
		return e
	}
}

func TestABellRingsOnAllOfItsUsersPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	one, two, other := w.listen(t, "bob", ""), w.listen(t, "bob", ""), w.listen(t, "ann", "")
	for _, next := range []func() sse.Event{one, two, other} {
		require.Equal(t, "joined", next().Name)
	}
	var last sse.Event
	rings := func(deed, method, path, body string) {
		t.Helper()
		require.Less(t, w.send(t, method, path, body).status, 300, deed)
		for _, next := range []func() sse.Event{one, two} {
			last = next()
			require.Equal(t, "ring", last.Name, deed)
			require.NotEmpty(t, last.ID)
		}
	}
	const liked, mine = "/objects/picture:bob:1/reactions/like/ann", "/users/bob/notifications"
	rings("a like", "PUT", liked, "")
	rings("a comment", "POST", "/objects/picture:bob:1/comments", `{"user":"ann","text":"a"}`)
	rings("a follow", "PUT", "/users/ann/following/bob", "")
	view := w.view(t, "bob")
	group := mine + "/groups/" + w.group(t, "bob", "like")
	rings("a mark", "PUT", mine+"/seen", view)
	rings("a mark of all", "PUT", mine+"/allread", view)
	rings("a mark of one", "PUT", mine+"/read", `{"shown":[]}`)
	rings("a mark taken back", "DELETE", group+"/read", "")
	rings("archiving", "PUT", group+"/archived", "")
	rings("unarchiving", "DELETE", group+"/archived", "")
	rings("snoozing", "PUT", group+"/snoozed", `{"until":"`+time.Now().Add(time.Hour).Format(time.RFC3339)+`"}`)
	rings("waking", "DELETE", group+"/snoozed", "")
	rings("a dismissal", "DELETE", mine+"/announcements/"+fromNow(0), "")
	rings("an unlike", "DELETE", liked, "")

	// A page that was away gets what it missed.
	require.Equal(t, http.StatusOK, w.send(t, "PUT", liked, "").status)
	require.Equal(t, "ring", w.listen(t, "bob", last.ID)().Name)
	require.Equal(t, "reset", w.listen(t, "bob", "made-up")().Name)

	// Ann's bell did not ring for any of this.
	require.Equal(t, http.StatusOK, w.send(t, "PUT", "/users/bob/following/ann", "").status)
	require.Equal(t, "ring", other().Name)
	require.Len(t, w.entries(t, "ann"), 1)
}

func TestABellsStreamsAreBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.api.streams = guard.NewStreams(2, 100)
	for range 2 {
		require.Equal(t, "joined", w.listen(t, "bob", "")().Name)
	}
	for _, user := range []string{"bob", "made-up"} {
		a := w.send(t, "GET", "/users/"+user+"/bell/live", "")
		refused(t, a, http.StatusTooManyRequests)
		require.NotEmpty(t, a.header.Get("Retry-After"))
	}
	require.Equal(t, 2, w.service.hub.Present("bob"))
	w.CloseClientConnections()
	require.Eventually(t, func() bool { return w.api.streams.Open() == 0 }, 10*time.Second, time.Millisecond, "who left counts no more")
	require.Zero(t, w.service.hub.Present("bob"))
}

func aStreamOfAnInvalidNameIsRefused(t *testing.T, w world) {
	for _, path := range []string{"/users/" + strings.Repeat("x", 257) + "/bell/live", "/users/%ff/bell/live"} {
		require.Equal(t, "user", refused(t, w.send(t, "GET", path, ""), http.StatusBadRequest).Field)
	}
	require.Equal(t, "query", refused(t, w.send(t, "GET", "/users/bob/bell/live?after=1", ""), http.StatusBadRequest).Field)
	require.Zero(t, w.api.streams.Open())
}
