package main

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/examples/web"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/plazatest"
)

// world is the service on fresh tables.
type world struct {
	*httptest.Server
	api     *api
	service *service
	env     *plazatest.Env
}

func newWorld(t *testing.T, wrap ...func(aws.HTTPClient) aws.HTTPClient) world {
	t.Helper()
	var w world
	w.env = plazatest.Start(t, &plazatest.Options{Wrap: wrap, Tables: ownTables(), Price: func(context.Context) bool { return false }})
	log := slog.New(slog.DiscardHandler)
	codec, err := newCodec(environment(nil), log)
	require.NoError(t, err)
	w.service, err = newService(t.Context(), w.env.DB, w.env.Tables, codec, log)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, w.service.close()) })
	w.Server = httptest.NewUnstartedServer(nil)
	w.api = newAPI(w.service, log)
	w.Config = web.NewServer(held(t, w.api), log)
	w.Start()
	t.Cleanup(w.Close)
	return w
}

type answer struct {
	status int
	header http.Header
	text   string
}

// send sends a request with body as JSON, or without a body if that is empty.
func (w world) send(t *testing.T, method, path, body string) answer {
	t.Helper()
	return w.sendAs(t, "application/json", method, path, body)
}

func (w world) sendAs(t *testing.T, contentType, method, path, body string) answer {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, w.URL+path, strings.NewReader(body))
	require.NoError(t, err)
	if body != "" {
		r.Header.Set("Content-Type", contentType)
	}
	return w.do(t, r)
}

func (w world) do(t *testing.T, r *http.Request) answer {
	t.Helper()
	res, err := w.Client().Do(r)
	require.NoError(t, err)
	defer res.Body.Close()
	require.Equal(t, "application/json", res.Header.Get("Content-Type"), res.Status)
	text, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return answer{res.StatusCode, res.Header, string(text)}
}

// done decodes the answer of a successful call.
func done[T any](t *testing.T, a answer) (shape T) {
	t.Helper()
	require.Less(t, a.status, 300, a.text)
	require.NoError(t, json.Unmarshal([]byte(a.text), &shape))
	return shape
}

// once sends a request that creates, changes or removes something, and repeats it, which
// does not.
func (w world) once(t *testing.T, method, path, body string) {
	t.Helper()
	for _, want := range []bool{true, false} {
		got := done[struct{ Created, Changed, Removed bool }](t, w.send(t, method, path, body))
		require.Equal(t, want, got.Created || got.Changed || got.Removed, "%s %s", method, path)
	}
}

// refused decodes the answer of a failed call.
func refused(t *testing.T, a answer, status int) (p web.Problem) {
	t.Helper()
	require.Equal(t, status, a.status, a.text)
	require.NoError(t, json.Unmarshal([]byte(a.text), &p))
	require.Equal(t, http.StatusText(status), p.Error)
	return p
}

// objects returns the objects of the activities in a list.
func (w world) objects(t *testing.T, path string) []string {
	t.Helper()
	objects := []string{}
	for _, a := range done[cursor.Page[feed.Activity]](t, w.send(t, "GET", path, "")).Items {
		objects = append(objects, a.Object.String())
	}
	return objects
}

// remarks returns the texts of the comments in a list.
func (w world) remarks(t *testing.T, path string) []string {
	t.Helper()
	texts := []string{}
	for _, c := range done[cursor.Page[remark]](t, w.send(t, "GET", path, "")).Items {
		texts = append(texts, c.Text)
	}
	return texts
}

// items returns the number of items in the tables of all features.
func (w world) items(t *testing.T) (n int) {
	t.Helper()
	for _, table := range []string{w.env.Tables.Follow, w.env.Tables.Feed, w.env.Tables.Comment, w.env.Tables.Reaction, w.env.Tables.Leaderboard} {
		found, err := w.env.DB.Table(table).Scan().Count(t.Context())
		require.NoError(t, err)
		n += found
	}
	return n
}
