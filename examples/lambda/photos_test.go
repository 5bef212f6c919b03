package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/akrylysov/algnhsa"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed/comment"
	"github.com/plaza-sdk/plaza/feed/reaction"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/leaderboard"
	"github.com/plaza-sdk/plaza/plazatest"
	"github.com/plaza-sdk/plaza/tables"
)

// world has a clock of its own, in milliseconds, so that no week ends before a test says so.
type world struct {
	*service
	env   *plazatest.Env
	clock atomic.Int64
}

func (w *world) now() time.Time { return time.UnixMilli(w.clock.Load()) }

func (w *world) Next(context.Context) (ids.ID, error) {
	return ids.At(time.UnixMilli(w.clock.Add(1))), nil
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{env: plazatest.Start(t, &plazatest.Options{Tables: tables.NamesOf("photos-"), KeepExpired: true})}
	w.clock.Store(time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC).UnixMilli())
	var err error
	w.service, err = open(w.env.DB, w.env.Tables, w, nil, w.now)
	require.NoError(t, err)
	require.NoError(t, w.define(t.Context()))
	return w
}

func (w *world) send(t *testing.T, user, route, body string) *httptest.ResponseRecorder {
	t.Helper()
	method, path, _ := strings.Cut(route, " ")
	r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
	r.Header.Set("User", user)
	answer := httptest.NewRecorder()
	w.handler(header).ServeHTTP(answer, r)
	return answer
}

// call is send for a request that succeeds at this cost.
func call[T any](t *testing.T, w *world, cost, user, route, body string) (answer T) {
	t.Helper()
	var got *httptest.ResponseRecorder
	spent := w.env.Cost(func() { got = w.send(t, user, route, body) })
	require.Equal(t, 200, got.Code, "%s", got.Body)
	require.Equal(t, cost, spent.String())
	require.NoError(t, json.Unmarshal(got.Body.Bytes(), &answer))
	return answer
}

func TestPhotosAreShared(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	board := func(cost string) (standings []string) {
		for _, s := range call[cursor.Page[leaderboard.Standing]](t, w, cost, "ann", "GET /board", "").Items {
			standings = append(standings, s.Player+": "+s.Score.String())
		}
		return standings
	}
	require.True(t, call[bool](t, w, "3 requests, 3 RCU, 10 WCU", "ann", "PUT /following/ben", ""))
	const sea = `{"data":{"title":"Sea"}}`
	posted := call[photo](t, w, "7 requests, 3 RCU, 9 WCU", "ben", "PUT /photos/sea", sea)
	require.Equal(t, posted, call[photo](t, w, "2 requests, 1 RCU, 6 WCU", "ben", "PUT /photos/sea", sea), "a repeat")
	name := "ben/" + posted.ID.String()
	path := "/photos/" + name

	require.True(t, call[bool](t, w, "9 requests, 5.5 RCU, 19 WCU", "ann", "PUT "+path+"/like", ""))
	require.False(t, call[bool](t, w, "4 requests, 1.5 RCU, 12 WCU", "ann", "PUT "+path+"/like", ""), "a repeat")
	for _, user := range []string{"ben", "cid"} { // their requests end halfway
		_, _, err := w.Reactions.React(t.Context(), reaction.Reaction{User: user, Object: name, Kind: heart})
		require.NoError(t, err)
	}
	require.False(t, call[bool](t, w, "4 requests, 1.5 RCU, 14 WCU", "ben", "PUT "+path+"/like", ""), "it finishes the like")
	require.Equal(t, []string{name + ": 2"}, board("1 requests, 0.5 RCU, 0 WCU"))
	said := call[comment.Comment](t, w, "2 requests, 0.5 RCU, 8 WCU", "ann", "PUT "+path+"/comments/1", `{"text":"Where?"}`)
	thread := call[cursor.Page[comment.Comment]](t, w, "2 requests, 1 RCU, 0 WCU", "ben", "GET "+path+"/comments", "")
	require.Equal(t, []comment.Comment{said}, thread.Items)
	home := call[cursor.Page[photo]](t, w, "5 requests, 2.5 RCU, 0 WCU", "ann", "GET /home", "")
	posted.Likes, posted.Comments, posted.Liked = 3, 1, true
	require.Equal(t, []photo{posted}, home.Items)
	require.True(t, call[bool](t, w, "5 requests, 2.5 RCU, 14 WCU", "ann", "DELETE "+path+"/like", ""))
	require.Equal(t, []string{name + ": 1"}, board("1 requests, 0.5 RCU, 0 WCU"))

	w.clock.Add((7 * 24 * time.Hour).Milliseconds())
	require.False(t, call[bool](t, w, "5 requests, 3.5 RCU, 8 WCU", "cid", "PUT "+path+"/like", ""), "it is too late for the board")
	require.Empty(t, board("3 requests, 2.5 RCU, 0 WCU"))
	require.True(t, call[bool](t, w, "4 requests, 2.5 RCU, 8 WCU", "ben", "DELETE "+path+"/like", ""))
	require.True(t, call[bool](t, w, "7 requests, 3.5 RCU, 19 WCU", "ann", "PUT "+path+"/like", ""))
	require.Equal(t, []string{name + ": 1"}, board("1 requests, 0.5 RCU, 0 WCU"))
}

func TestAMistakeHasItsStatus(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	none := "/photos/eve/" + ids.At(w.now()).String()
	for name, c := range map[string]struct {
		user, route, body string
		status            int
	}{
		"nobody":               {"", "GET /home", "", 401},
		"no JSON":              {"ben", "PUT /photos/sea", `{"data":`, 400},
		"a body too large":     {"ben", "PUT /photos/sea", `{"text":"` + strings.Repeat("x", maxBody) + `"}`, 400},
		"no cursor of ours":    {"ann", "GET /home?cursor=x", "", 400},
		"no id of a photo":     {"ann", "PUT /photos/ben/sea/like", "", 400},
		"a like of nothing":    {"ann", "PUT " + none + "/like", "", 404},
		"a comment on nothing": {"ann", "PUT " + none + "/comments/1", `{"text":"?"}`, 404},
		"an unknown route":     {"ann", "GET /photos", "", 404},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.status, w.send(t, c.user, c.route, c.body).Code)
		})
	}
}

func TestTheFunctionTakesTheUserOfTheJWT(t *testing.T) {
	t.Parallel()
	function := algnhsa.New(newWorld(t).handler(claim), nil)
	for user, want := range map[string]string{"ben": `"statusCode":200,.*"actor\\":\\"ben\\"`, "": `"statusCode":401`} {
		answer, err := function.Invoke(t.Context(), []byte(event("PUT", "/photos/sea", user)))
		require.NoError(t, err)
		require.Regexp(t, want, string(answer))
	}
}

// event is what API Gateway makes of a request.
func event(method, path, user string) string {
	return fmt.Sprintf(`{"version":"2.0","rawPath":%q,"headers":{"user":"eve"},"body":"e30=","isBase64Encoded":true,
		"requestContext":{"http":{"method":%q},"authorizer":{"jwt":{"claims":{"sub":%q}}}}}`, path, method, user)
}
