package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed/comment"
	"github.com/plaza-sdk/plaza/feed/reaction"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/leaderboard"
	"github.com/plaza-sdk/plaza/plazatest"
	"github.com/plaza-sdk/plaza/stream"
	"github.com/plaza-sdk/plaza/tables"
)

var write = flag.Bool("write", false, "write tables.json")

// world is the service behind net/http, where whoever comes as "Bearer ann" is ann.
type world struct {
	*api
	env *plazatest.Env
	url string
}

func newWorld(t *testing.T) world {
	t.Helper()
	env := plazatest.Start(t, &plazatest.Options{Tables: names()})
	gen, err := ids.New(1, nil)
	require.NoError(t, err)
	log := slog.New(slog.NewTextHandler(t.Output(), nil))
	album, err := open(t.Context(), env.DB, env.Tables, gen, nil, log)
	require.NoError(t, err)
	a := &api{album, log}
	server := httptest.NewServer(a.mux(func(r *http.Request) string {
		return strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	}))
	t.Cleanup(server.Close)
	return world{a, env, server.URL}
}

// send sends a user's request, and returns the answer's status and text.
func (w world) send(t *testing.T, user, route, body string) (status int, text []byte) {
	t.Helper()
	method, path, _ := strings.Cut(route, " ")
	r, err := http.NewRequestWithContext(t.Context(), method, w.url+path, strings.NewReader(body))
	require.NoError(t, err)
	if user != "" {
		r.Header.Set("Authorization", "Bearer "+user)
	}
	res, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	text, err = io.ReadAll(res.Body)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	return res.StatusCode, text
}

// call is send for a request that succeeds, and costs this.
func call[T any](t *testing.T, w world, cost, user, route, body string) (answer T) {
	t.Helper()
	var status int
	var text []byte
	spent := w.env.Cost(func() { status, text = w.send(t, user, route, body) })
	require.Equal(t, 200, status, "%s: %s", route, text)
	require.NoError(t, json.Unmarshal(text, &answer), "%s", text)
	require.Equal(t, cost, spent.String(), route)
	return answer
}

func TestPhotosAreShared(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	require.True(t, call[changed](t, w, "2 requests, 1 RCU, 10 WCU", "ann", "PUT /following/ben", "").Changed)
	const sea = `{"key":"sea","data":{"title":"Sea"}}`
	posted := call[photo](t, w, "6 requests, 2 RCU, 9 WCU", "ben", "POST /photos", sea)
	require.Equal(t, posted, call[photo](t, w, "2 requests, 1 RCU, 6 WCU", "ben", "POST /photos", sea), "a repeat")
	path := "/photos/" + posted.Object.String()
	require.True(t, call[changed](t, w, "2 requests, 0.5 RCU, 8 WCU", "ann", "PUT "+path+"/like", "").Changed)
	require.True(t, call[changed](t, w, "2 requests, 0.5 RCU, 8 WCU", "ben", "PUT "+path+"/like", "").Changed)
	said := call[comment.Comment](t, w, "2 requests, 0.5 RCU, 8 WCU", "ann", "POST "+path+"/comments", `{"key":"1","text":"Where?"}`)
	thread := call[cursor.Page[comment.Comment]](t, w, "1 requests, 0.5 RCU, 0 WCU", "ben", "GET "+path+"/comments?limit=5", "")
	require.Equal(t, []comment.Comment{said}, thread.Items)

	posted.Likes, posted.Comments = 2, 1
	require.Equal(t, posted, call[photo](t, w, "4 requests, 2 RCU, 0 WCU", "cid", "GET "+path, ""))
	posted.Liked = true
	home := call[cursor.Page[photo]](t, w, "5 requests, 3 RCU, 0 WCU", "ann", "GET /home", "")
	require.Equal(t, []photo{posted}, home.Items)
	require.True(t, call[changed](t, w, "3 requests, 1 RCU, 11 WCU", "ann", "DELETE /following/ben", "").Changed)
	require.Empty(t, call[cursor.Page[photo]](t, w, "2 requests, 1.5 RCU, 0 WCU", "ann", "GET /home", "").Items)
}

func TestTheBoardHasTheLikesOfTheWeek(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	arn, err := w.env.Stream(t.Context(), w.env.Tables.Reaction)
	require.NoError(t, err)
	likes, err := stream.NewReader(dynamodbstreams.NewFromConfig(w.env.Config), arn, &stream.ReaderOptions{Idle: time.Millisecond})
	require.NoError(t, err)
	_, err = likes.Next(t.Context())
	require.NoError(t, err)
	follow := func(changes int) {
		for changes > 0 {
			round, err := likes.Next(t.Context())
			require.NoError(t, err)
			for _, i := range append(round.Items, round.Items...) { // a stream may repeat itself
				require.NoError(t, i.Err)
				require.NoError(t, w.rank(t.Context(), i.Record))
			}
			for _, i := range round.Items {
				found, err := reaction.Changes(i.Record)
				require.NoError(t, err)
				changes -= len(found)
			}
		}
	}
	board := func() map[string]string {
		scores := map[string]string{}
		for _, s := range call[cursor.Page[leaderboard.Standing]](t, w, "1 requests, 0.5 RCU, 0 WCU", "ann", "GET /board", "").Items {
			scores[s.Player] = s.Score.String()
		}
		return scores
	}
	sea, err := w.post(t.Context(), "ben", "sea", nil)
	require.NoError(t, err)
	hill, err := w.post(t.Context(), "ben", "hill", nil)
	require.NoError(t, err)
	s, h := sea.Object.String(), hill.Object.String()
	for _, route := range []string{"ann " + s, "cid " + s, "ann " + h} {
		user, name, _ := strings.Cut(route, " ")
		call[changed](t, w, "2 requests, 0.5 RCU, 8 WCU", user, "PUT /photos/"+name+"/like", "")
	}
	follow(3)
	require.Equal(t, map[string]string{s: "2", h: "1"}, board())

	// An old like counts for its own week, which is over, and so does its end.
	old := reaction.Reaction{User: "dan", Object: h, Kind: like, ID: ids.At(time.Now().AddDate(-1, 0, 0))}
	_, _, err = w.likes.React(t.Context(), old)
	require.NoError(t, err)
	_, err = w.likes.Unreact(t.Context(), old)
	require.NoError(t, err)
	call[changed](t, w, "2 requests, 1 RCU, 8 WCU", "cid", "DELETE /photos/"+s+"/like", "")
	call[changed](t, w, "2 requests, 1 RCU, 8 WCU", "ann", "DELETE /photos/"+h+"/like", "")
	follow(4)
	require.Equal(t, map[string]string{s: "1", h: "0"}, board())
}

func TestAMistakeHasItsStatus(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	posted, err := w.post(t.Context(), "ben", "sea", nil)
	require.NoError(t, err)
	path, none := "/photos/"+posted.Object.String(), "/photos/"+posted.ID.String()+":eve"
	for name, c := range map[string]struct {
		user, route, body string
		status            int
	}{
		"nobody is logged in":  {"", "GET /home", "", 401},
		"oneself":              {"ann", "PUT /following/ann", "", 400},
		"no JSON":              {"ben", "POST /photos", `{"key":`, 400},
		"a body too large":     {"ben", "POST /photos", `{"key":"k","data":"` + strings.Repeat("x", maxBody) + `"}`, 400},
		"no limit":             {"ann", "GET /home?limit=x", "", 400},
		"no cursor of ours":    {"ann", "GET " + path + "/comments?cursor=x", "", 400},
		"no name of a photo":   {"ann", "PUT /photos/sea/like", "", 400},
		"an unknown photo":     {"ann", "GET " + none, "", 404},
		"a like of it":         {"ann", "PUT " + none + "/like", "", 404},
		"a comment on it":      {"ann", "POST " + none + "/comments", `{"text":"?"}`, 404},
		"a comment of no text": {"ann", "POST " + path + "/comments", `{}`, 400},
	} {
		t.Run(name, func(t *testing.T) {
			status, text := w.send(t, c.user, c.route, c.body)
			require.Equal(t, c.status, status, "%s", text)
		})
	}
}

func TestTheFunctionsHandleTheirEvents(t *testing.T) {
	t.Parallel()
	env := plazatest.Start(t, &plazatest.Options{Tables: names()})
	start := func(name string) any {
		handler, err := function(t.Context(), name, env.Config, env.Tables, strings.Repeat("k", 32), slog.New(slog.DiscardHandler))
		require.NoError(t, err)
		return handler
	}
	answer := start("api").(func(context.Context, events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error))
	const ann = `"requestContext":{"authorizer":{"jwt":{"claims":{"sub":"ann"}}}}`
	for event, status := range map[string]int{
		`{"routeKey":"PUT /following/{user}","pathParameters":{"user":"ben"},` + ann + `}`: 200,
		`{"routeKey":"POST /photos","body":"e30=","isBase64Encoded":true,` + ann + `}`:     200,
		`{"routeKey":"GET /home","rawQueryString":"limit=x",` + ann + `}`:                  400,
		`{"routeKey":"GET /home"}`:              401,
		`{"routeKey":"GET /other",` + ann + `}`: 404,
	} {
		var e events.APIGatewayV2HTTPRequest
		require.NoError(t, json.Unmarshal([]byte(event), &e))
		got, err := answer(t.Context(), e)
		require.NoError(t, err)
		require.Equal(t, status, got.StatusCode, "%s: %s", event, got.Body)
	}
	require.NoError(t, start("deliver").(func(context.Context) error)(t.Context()))
	_, err := start("board").(func(context.Context, json.RawMessage) (stream.Response, error))(t.Context(), json.RawMessage(`{"Records":[]}`))
	require.NoError(t, err)
}

func TestTheTemplateHasTheTablesAndTheRoutes(t *testing.T) {
	t.Parallel()
	ts := tables.Of(names())
	for i := range ts {
		if ts[i].Feature == "reaction" {
			ts[i] = ts[i].WithStream()
		}
	}
	var want bytes.Buffer
	require.NoError(t, tables.CloudFormation(&want, ts, &tables.Options{Roles: []tables.Role{tables.Service, tables.Worker}}))
	if *write {
		require.NoError(t, os.WriteFile("tables.json", want.Bytes(), 0o644))
	}
	text, err := os.ReadFile("tables.json")
	require.NoError(t, err)
	require.Equal(t, want.String(), string(text), "go test ./examples/photos -write writes it again")
	require.Contains(t, want.String(), `"ReactionStreamArn"`)

	template, err := os.ReadFile("template.yaml")
	require.NoError(t, err)
	routes := (&api{}).routes()
	require.Equal(t, len(routes), bytes.Count(template, []byte("Type: HttpApi,")))
	for route := range routes {
		method, path, _ := strings.Cut(route, " ")
		require.Contains(t, string(template), `Method: `+method+`, Path: "`+path+`"`)
	}
}
