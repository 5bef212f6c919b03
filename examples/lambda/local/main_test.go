package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/examples/internal/local"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/plazatest"
)

// built is the folder of the functions, as sam build writes it: SAM_BUILD, or one that is
// built here.
var built = os.Getenv("SAM_BUILD")

func TestMain(m *testing.M) {
	code, err := build(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func build(m *testing.M) (code int, err error) {
	if built == "" {
		if built, err = os.MkdirTemp("", "photos"); err != nil {
			return 1, err
		}
		defer os.RemoveAll(built)
		if err := buildInto(context.Background(), built); err != nil {
			return 1, err
		}
	}
	return m.Run(), nil
}

// world is the stack behind its API.
type world struct {
	*stack
	env *plazatest.Env
	url string
}

func newWorld(t *testing.T) world {
	t.Helper()
	env := plazatest.Start(t, &plazatest.Options{Tables: names})
	s, err := start(t.Context(), env, built, t.Output())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.close()) })
	server := httptest.NewServer(gateway{s.api}.handler())
	t.Cleanup(server.Close)
	return world{s, env, server.URL}
}

// call sends a user's request and reads the answer, which must have this status.
func (w world) call(t *testing.T, user, method, path, body string, status int) map[string]any {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, w.url+path, strings.NewReader(body))
	require.NoError(t, err)
	if user != "" {
		r.Header.Set("Authorization", "Bearer "+user)
	}
	res, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	text, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	require.Equal(t, status, res.StatusCode, "%s %s: %s", method, path, text)
	var answer map[string]any
	require.NoError(t, json.Unmarshal(text, &answer), "%s", text)
	return answer
}

// home is the photos that a user's home shows.
func (w world) home(t *testing.T, user string) (photos []string) {
	t.Helper()
	for _, item := range w.call(t, user, "GET", "/home", "", 200)["items"].([]any) {
		photos = append(photos, strings.TrimPrefix(item.(map[string]any)["object"].(string), "photo:"))
	}
	return photos
}

func TestAPostIsInTheHomesOfFollowers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	require.Equal(t, true, w.call(t, "ann", "PUT", "/following/ben", "", 200)["changed"])
	require.Equal(t, false, w.call(t, "ann", "PUT", "/following/ben", "", 200)["changed"], "it is harmless to repeat")
	first := w.call(t, "ben", "PUT", "/photos/sea", `{"title":"Sea"}`, 201)
	require.Equal(t, first, w.call(t, "ben", "PUT", "/photos/sea", `{"title":"Sea"}`, 200))
	require.Equal(t, []string{"sea"}, w.home(t, "ann"))

	w.call(t, "ben", "DELETE", "/photos/sea", "", 200)
	require.Empty(t, w.home(t, "ann"))
	w.call(t, "ben", "PUT", "/photos/hill", `{"title":"Hill"}`, 201)
	w.call(t, "ann", "DELETE", "/following/ben", "", 200)
	require.Empty(t, w.home(t, "ann"))
}

// feeds are those of another process on the same tables.
func (w world) feeds(t *testing.T, opts *feed.Options) *feed.Repository {
	t.Helper()
	gen, err := ids.New(1, nil)
	require.NoError(t, err)
	follows, err := follow.New(w.env.DB, w.env.Tables.Follow, gen, nil)
	require.NoError(t, err)
	feeds, err := feed.New(w.env.DB, w.env.Tables.Feed, gen, follows, opts)
	require.NoError(t, err)
	return feeds
}

// Publish leaves the followers beyond Options.InlineFollowers to the schedule.
func TestTheScheduleDeliversWhatPublishLeft(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.call(t, "ann", "PUT", "/following/ben", "", 200)
	_, _, err := w.feeds(t, &feed.Options{InlineFollowers: -1}).Outbox("ben").Publish(t.Context(), feed.Activity{
		Actor: feed.Ref{Kind: "user", ID: "ben"}, Verb: "post", Object: feed.Ref{Kind: "photo", ID: "sea"},
	})
	require.NoError(t, err)
	require.Empty(t, w.home(t, "ann"))
	require.NoError(t, w.tick(t.Context()))
	require.Equal(t, []string{"sea"}, w.home(t, "ann"))
	require.NoError(t, w.tick(t.Context()), "nothing is left to do")
}

func TestAHomeIsReadByPagesWithSealedCursors(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.call(t, "ann", "PUT", "/following/ben", "", 200)
	for _, photo := range []string{"sea", "hill", "lake"} {
		w.call(t, "ben", "PUT", "/photos/"+photo, `{"title":"x"}`, 201)
	}
	page := w.call(t, "ann", "GET", "/home?limit=2", "", 200)
	require.Len(t, page["items"], 2)
	next := page["next"].(string)
	rest := w.call(t, "ann", "GET", "/home?limit=2&cursor="+next, "", 200)
	require.Len(t, rest["items"], 1)
	_, err := w.feeds(t, nil).Home("ann").List(t.Context(), cursor.PageRequest{Cursor: cursor.Cursor(next)})
	require.ErrorIs(t, err, plaza.ErrInvalid, "only who has the key can read it")
	last := map[byte]string{'A': "B"}[next[len(next)-5]]
	if last == "" {
		last = "A"
	}
	forged := next[:len(next)-5] + last + next[len(next)-4:]
	require.Equal(t, "Cursor", w.call(t, "ann", "GET", "/home?cursor="+forged, "", 400)["field"])
}

// Another service on the same tables bounds no titles. Lambda fails instead of a larger answer.
func TestAHomeIsNeverLargerThanLambdaMayAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.call(t, "ann", "PUT", "/following/ben", "", 200)
	ben, want := w.feeds(t, nil).Outbox("ben"), 12
	for i := range want {
		_, _, err := ben.Publish(t.Context(), feed.Activity{
			Actor: feed.Ref{Kind: "user", ID: "ben"}, Verb: "post", Object: feed.Ref{Kind: "photo", ID: fmt.Sprint(i)},
			Data: []byte(`{"title":"` + strings.Repeat("<", 250_000) + `"}`), // "<" is answered as \u003c
		})
		require.NoError(t, err)
	}
	seen := map[feed.Ref]bool{}
	for more := cursor.Cursor(""); ; {
		text, err := w.api.Invoke(t.Context(), fmt.Appendf(nil, `{"routeKey":"GET /home","queryStringParameters":{"limit":"100","cursor":%q},%s}`, more, ann))
		require.NoError(t, err)
		require.LessOrEqual(t, len(text), 6<<20)
		var answer struct{ Body string }
		require.NoError(t, json.Unmarshal(text, &answer))
		var page cursor.Page[feed.Activity]
		require.NoError(t, json.Unmarshal([]byte(answer.Body), &page))
		for _, a := range page.Items {
			seen[a.Object] = true
		}
		if more = page.Next; more == "" {
			break
		}
	}
	require.Len(t, seen, want)
}

func TestEveryErrorHasItsStatus(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, c := range map[string]struct {
		user, method, path, body string
		status                   int
	}{
		"nobody is logged in": {"", "GET", "/home", "", 401},
		"no JSON":             {"ben", "PUT", "/photos/hill", `{"title":`, 400},
		"too much":            {"ben", "PUT", "/photos/hill", `{"title":"` + strings.Repeat("x", 500_000) + `"}`, 400},
		"a long title":        {"ben", "PUT", "/photos/hill", `{"title":"` + strings.Repeat("ü", 101) + `"}`, 400},
		"no title":            {"ben", "PUT", "/photos/hill", `{"title":" "}`, 400},
		"two titles":          {"ben", "PUT", "/photos/hill", `{"title":"Hill","title":"Sea"}`, 400},
		"another name":        {"ben", "PUT", "/photos/hill", `{"title":"Hill","Title":"Sea"}`, 400},
		"another's photo":     {"ben", "PUT", "/photos/hill", `{"title":"Hill","user":"ann"}`, 400},
		"two values":          {"ben", "PUT", "/photos/hill", `{"title":"Hill"}{}`, 400},
		"no number":           {"ann", "GET", "/home?limit=x", "", 400},
		"a negative limit":    {"ann", "GET", "/home?limit=-1", "", 400},
		"no cursor of ours":   {"ann", "GET", "/home?cursor=x", "", 400},
		"oneself":             {"ann", "PUT", "/following/ann", "", 400},
	} {
		t.Run(name, func(t *testing.T) { w.call(t, c.user, c.method, c.path, c.body, c.status) })
	}
}

// ann is the part of an event that names the caller.
const ann = `"requestContext":{"authorizer":{"jwt":{"claims":{"sub":"ann"}}}}`

// invoke gives the API an event that no gateway would, and returns the status.
func (w world) invoke(t *testing.T, event string) int {
	t.Helper()
	text, err := w.api.Invoke(t.Context(), []byte(event))
	require.NoError(t, err)
	var answer struct{ StatusCode int }
	require.NoError(t, json.Unmarshal(text, &answer))
	return answer.StatusCode
}

func TestAnEventWithoutAUserOrARouteIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	require.Equal(t, 401, w.invoke(t, `{"routeKey":"GET /home"}`))
	require.Equal(t, 401, w.invoke(t, `{"routeKey":"GET /home","requestContext":{"authorizer":{"jwt":{"claims":{}}}}}`))
	require.Equal(t, 404, w.invoke(t, `{"routeKey":"GET /other",`+ann+`}`))
	require.Equal(t, 400, w.invoke(t, `{"routeKey":"PUT /photos/{photo}","body":"%","isBase64Encoded":true,`+ann+`}`))
	require.Equal(t, 400, w.invoke(t, `{"routeKey":"PUT /photos/{photo}","pathParameters":{"photo":"sea"},"body":"eyJ0aXRsZSI6Iv8ifQ==","isBase64Encoded":true,`+ann+`}`), "not UTF-8")
	require.Equal(t, 400, w.invoke(t, `{"routeKey":"PUT /photos/{photo}","pathParameters":{"photo":"sea"},"body":"eyJ0aXRsZSI6Iv8ifQ==","isBase64Encoded":true,`+ann+`}`), "not UTF-8")
	require.Equal(t, 201, w.invoke(t, `{"routeKey":"PUT /photos/{photo}","pathParameters":{"photo":"sea"},"body":"eyJ0aXRsZSI6IngifQ==","isBase64Encoded":true,`+ann+`}`))
	require.Equal(t, 200, w.invoke(t, `{"routeKey":"GET /home",`+ann+`}`), "the process lives")
}

func TestAFunctionWithoutItsSettingsDoesNotStart(t *testing.T) {
	t.Parallel()
	for resource := range programs {
		f, err := local.Start(programIn(built, resource), []string{"AWS_REGION=us-east-1"}, t.Output())
		require.NoError(t, err)
		_, err = f.Invoke(t.Context(), []byte(`{}`))
		require.Error(t, err, resource)
		require.False(t, f.Alive(), resource)
		require.NoError(t, f.Close())
	}
}
