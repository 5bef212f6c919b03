package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/examples/internal/browsertest"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/feed/reaction"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/leaderboard"
)

// The functions as they are built are tested in examples/pinboard/lambda.

// newFunction is the API of Pinboard's pages on Lambda, on the tables of a world.
func newFunction(t *testing.T, w *world) *api {
	t.Helper()
	a, err := newPages(t.Context(), w.db, w.log)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, a.close()) })
	return newAPI(a)
}

// request sends an event of ann's to the pages. Each header is a name and its value.
func request(t *testing.T, s *api, method, path string, headers ...string) (status int, body string) {
	t.Helper()
	e := events.APIGatewayV2HTTPRequest{
		Version: "2.0", RawPath: path, Body: "{}",
		Headers: map[string]string{"host": "api.example", "pinboard-user": "ann", "content-type": "application/json"},
	}
	if method == notBase64 {
		e.IsBase64Encoded, method = true, "POST"
	}
	for i := 0; i < len(headers); i += 2 {
		e.Headers[headers[i]] = headers[i+1]
	}
	e.RequestContext.DomainName, e.RequestContext.HTTP.Method, e.RequestContext.HTTP.SourceIP = "api.example", method, "2001:db8::1"
	event, err := json.Marshal(e)
	require.NoError(t, err)
	text, err := pagesHandler(s).Invoke(t.Context(), event)
	require.NoError(t, err)
	var answer events.APIGatewayV2HTTPResponse
	require.NoError(t, json.Unmarshal(text, &answer))
	decoded, err := base64.StdEncoding.DecodeString(answer.Body)
	require.NoError(t, err)
	return answer.StatusCode, string(decoded)
}

// notBase64 is a method of request: a POST whose body is said to be base64, and is not.
const notBase64 = "POST not base64"

func onLambdaOtherHostsAndSitesAreRefused(t *testing.T, w *world) {
	s := newFunction(t, w)
	for name, c := range map[string]struct {
		headers []string
		want    int
	}{
		"the page":           {[]string{"origin", "https://api.example"}, http.StatusOK},
		"another site":       {[]string{"origin", "https://evil.example"}, http.StatusForbidden},
		"another host":       {[]string{"host", "evil.example"}, http.StatusMisdirectedRequest},
		"somebody not known": {[]string{"pinboard-user", "nobody"}, http.StatusUnauthorized},
	} {
		status, body := request(t, s, "POST", "/api/pictures", c.headers...)
		require.Equal(t, c.want, status, "%s: %s", name, body)
	}
	for method, path := range map[string]string{notBase64: "/api/pictures", "GET": "/pins/%zz"} {
		status, body := request(t, s, method, path)
		require.Equal(t, http.StatusBadRequest, status, "%s: %s", path, body)
	}
	status, _ := request(t, s, "GET", "/watch/videos/hills")
	require.Equal(t, http.StatusOK, status, "the guard of the videos too")
}

func onLambdaALostAnswerCannotBeRead(t *testing.T, w *world) {
	s := newFunction(t, w)
	status, body := request(t, s, "PUT", "/api/follows/eric", loseHeader, "answer")
	require.Equal(t, http.StatusBadGateway, status)
	require.Empty(t, body)
	followed, err := w.Follows.Counts(t.Context(), "ann")
	require.NoError(t, err)
	require.EqualValues(t, 1, followed.Following, "it was applied")
}

// The page gets no stream that stays: it reads again, and takes that for no failure.
func TestOnLambdaPagesAskAgain(t *testing.T) {
	if !faults.Full() {
		t.Skip("by default Chromium walks the tour alone")
	}
	t.Parallel()
	w := newBell(t)
	s := newFunction(t, w)
	s.askAgain = 2 * time.Second // a page that misses its stream complains sooner
	var bells, videos atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/api/events":
			bells.Add(1)
		case watching + "/videos/hills/live":
			videos.Add(1)
		}
		s.ServeHTTP(rw, r)
	}))
	t.Cleanup(server.Close)
	picture := w.as(t, "ann").pin("Dawn")

	b := browsertest.New(t)
	p := b.Window(t)
	p.Open(server.URL + "/settings")
	p.Visible("#tools button")
	asked := bells.Load()
	w.bellLike(t, "eric", "picture:"+picture)
	badged(p, "bell", "1")
	require.Eventually(t, func() bool { return bells.Load() > asked+1 }, bellPatience, bellTick)
	require.True(t, browsertest.Eval[bool](p, `[...document.querySelectorAll("[role=status], [role=alert]")].every((e) => e.hidden || !e.innerText.includes("does not answer"))`))

	clip := b.Window(t)
	clip.Open(server.URL + watching + "/?video=hills&user=ann")
	clip.Do(`window.states = []; new MutationObserver(() => window.states.push(document.getElementById("connection").dataset.state))
		.observe(document.getElementById("connection"), { attributes: true })`)
	asked = videos.Load()
	require.Eventually(t, func() bool { return videos.Load() > asked+1 }, bellPatience, bellTick)
	require.True(t, browsertest.Eval[bool](clip, `document.getElementById("connection").dataset.state === "up" && window.states.every((s) => s === "up")`))
}

// On Lambda the tables have streams before the seed is written.
func TestTheSeedsWritesRingNoBell(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	require.NoError(t, w.switchOnStreams(t.Context()))
	dawn, dusk := w.bellPin(t, "ann", "Dawn"), w.bellPin(t, "lin", "Dusk")
	old, err := ids.Backdate(time.Now().Add(-time.Hour), "like")
	require.NoError(t, err)
	_, _, err = w.Reactions.React(t.Context(), reaction.Reaction{ID: old, User: "chris", Object: "picture:" + dawn, Kind: like})
	require.NoError(t, err)
	w.bellLike(t, "eric", "picture:"+dusk)

	w.seeded = ids.At(time.Now().Add(-time.Minute))
	w.startWork(t)
	w.bells(t, "lin", "@eric liked your picture “Dusk”")
	w.bells(t, "ann")
	require.Eventually(t, func() bool {
		top, err := w.Boards.Top(t.Context(), leaderboard.In{Board: mostLiked}, cursor.PageRequest{})
		require.NoError(t, err)
		return len(top.Items) == 1 && top.Items[0].Player == "lin"
	}, bellPatience, bellTick, "only lin has a point")
}

// The worker of the next event goes on.
func TestOnLambdaWorkEndsBeforeTheDeadline(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, err := newWorker(t.Context(), w.db, w.log)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, a.close()) })
	work := func(d time.Duration) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), margin+d)
		defer cancel()
		require.NoError(t, a.work(ctx))
		require.NoError(t, ctx.Err(), "it ended in time")
	}
	work(300 * time.Millisecond)
	require.Zero(t, a.seeded, "the seed is not whole")

	_, _, err = a.Feeds.Outbox("seed").Publish(t.Context(), feed.Activity{Actor: feed.Ref{ID: "seed"}, Verb: "finished", ForeignID: "finished"})
	require.NoError(t, err)
	work(300 * time.Millisecond)
	require.NotZero(t, a.seeded)
}
