package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/examples/web"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/meter"
	"github.com/plaza-sdk/plaza/plazatest"
	"github.com/plaza-sdk/plaza/tables"
)

// world is Pinboard on tables of its own. Nothing runs in its background, and clicks are
// counted without units.
type world struct {
	*app
	api    *api
	env    *plazatest.Env
	server *httptest.Server
}

func newWorld(t *testing.T) *world {
	t.Helper()
	return newWorldOf(t, func(context.Context) bool { return false })
}

// newPriced is a world that shows what clicks cost.
func newPriced(t *testing.T) *world {
	t.Helper()
	return newWorldOf(t, priced)
}

func newWorldOf(t *testing.T, price func(context.Context) bool) *world {
	t.Helper()
	spent := newCosts()
	w := &world{env: plazatest.Start(t, &plazatest.Options{Tables: tables.NamesOf("pinboard-"), Observe: spent.observe, Price: price})}
	log := slog.New(slog.DiscardHandler)
	var err error
	w.app, err = newApp(t.Context(), database{w.env.Config, w.env.Tables, spent, w.env.Close}, log)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, w.close()) })
	w.api = newAPI(w.app)
	w.server = httptest.NewUnstartedServer(nil)
	w.server.Config = web.NewServer(w.api, log)
	w.server.Start()
	t.Cleanup(w.server.Close)
	t.Cleanup(w.api.endStreams)
	return w
}

// caller sends requests in a person's name.
type caller struct {
	*world
	t  *testing.T
	id string
}

func (w *world) as(t *testing.T, person string) caller { return caller{w, t, person} }

type reply struct {
	status int
	header http.Header
	text   string
}

// try sends a request with headers in ann's name, unless they name somebody else, and
// follows no redirect. A header Host replaces the host.
func (w *world) try(t *testing.T, method, path, body string, headers map[string]string) (got reply, err error) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, w.server.URL+path, strings.NewReader(body))
	require.NoError(t, err, path)
	r.Header.Set(whoHeader, "ann")
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for name, value := range headers {
		if r.Header.Set(name, value); name == "Host" {
			r.Host = value
		}
	}
	res, err := w.server.Client().Transport.RoundTrip(r)
	if err != nil {
		return got, err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	return reply{res.StatusCode, res.Header, string(text)}, err
}

// ask is try of a request that is answered.
func (w *world) ask(t *testing.T, method, path, body string, headers map[string]string) reply {
	t.Helper()
	got, err := w.try(t, method, path, body, headers)
	require.NoError(t, err, path)
	return got
}

// encoded returns body as JSON, or nothing if it is nil.
func encoded(t *testing.T, body any) string {
	t.Helper()
	if body == nil {
		return ""
	}
	text, err := json.Marshal(body)
	require.NoError(t, err)
	return string(text)
}

// send sends a request with body as JSON, or without a body if that is nil.
func (c caller) send(method, path string, body any) reply {
	c.t.Helper()
	return c.ask(c.t, method, path, encoded(c.t, body), map[string]string{whoHeader: c.id})
}

// loses sends a write whose answer is lost.
func (c caller) loses(method, path string, body any) {
	c.t.Helper()
	_, err := c.try(c.t, method, path, encoded(c.t, body), map[string]string{whoHeader: c.id, loseHeader: "answer"})
	require.Error(c.t, err, "%s %s was answered", method, path)
}

// call sends a request that must succeed, and decodes its answer.
func call[T any](c caller, method, path string, body any) (answer T) {
	c.t.Helper()
	got := c.send(method, path, body)
	require.Equal(c.t, http.StatusOK, got.status, "%s %s: %s", method, path, got.text)
	require.NoError(c.t, json.Unmarshal([]byte(got.text), &answer), got.text)
	return answer
}

// get is call of a GET.
func get[T any](c caller, path string) T {
	c.t.Helper()
	return call[T](c, http.MethodGet, path, nil)
}

// once sends a write that changes something, and repeats it, which changes nothing.
func (c caller) once(method, path string, body any) {
	c.t.Helper()
	require.True(c.t, call[changed](c, method, path, body).Changed, "%s %s", method, path)
	require.False(c.t, call[changed](c, method, path, body).Changed, "%s %s, a repeat", method, path)
}

// refused sends a request that must be refused with a status.
func (c caller) refused(status int, method, path string, body any) (p web.Problem) {
	c.t.Helper()
	got := c.send(method, path, body)
	require.Equal(c.t, status, got.status, "%s %s: %s", method, path, got.text)
	require.NoError(c.t, json.Unmarshal([]byte(got.text), &p), got.text)
	require.Equal(c.t, http.StatusText(status), p.Error)
	return p
}

// last returns what the caller's latest request cost, in all and by operation.
func (c caller) last() (all meter.Cost, each map[string]meter.Cost) {
	c.t.Helper()
	clicks := c.costs.spentBy(c.id, 0).Clicks
	require.NotEmpty(c.t, clicks)
	each = map[string]meter.Cost{}
	for _, s := range clicks[len(clicks)-1].Calls {
		each[s.Operation] = s.Cost
		all = all.Plus(s.Cost)
	}
	return all, each
}

// makeBoard makes a board of the caller and returns its id.
func (c caller) makeBoard(name string) string {
	c.t.Helper()
	return call[board](c, http.MethodPost, "/api/boards", boardData{name}).ID
}

// publish is the body of a pin.
type publish struct {
	Picture string `json:"picture"`
	Title   string `json:"title"`
	Board   string `json:"board"`
	Proof   string `json:"proof,omitempty"`
}

// draw is the body that pins a new picture.
func (c caller) draw(title, board string) publish {
	c.t.Helper()
	drew := call[drawn](c, http.MethodPost, "/api/pictures", nothing{})
	return publish{drew.Picture, title, board, drew.Proof}
}

// pin pins a new picture of the caller to a board called Places and returns its id.
func (c caller) pin(title string) string {
	c.t.Helper()
	body := c.draw(title, c.makeBoard("Places"))
	require.True(c.t, call[saved](c, http.MethodPost, "/api/pins", body).Created)
	return body.Picture
}

// pins publishes n pictures of the caller, called Picture 0 and so on, at once.
func (c caller) pins(n int) {
	c.t.Helper()
	all := make([]feed.Activity, n)
	for i := range all {
		id, err := c.ids.Next(c.t.Context())
		require.NoError(c.t, err)
		data, err := json.Marshal(pinData{Title: fmt.Sprint("Picture ", i), Board: "Places", Tag: "sea"})
		require.NoError(c.t, err)
		p := pictureID{c.id, id}
		all[i] = feed.Activity{
			ID: id, Actor: feed.Ref{ID: c.id}, Verb: "pin", Object: p.ref(), Target: feed.Ref{Kind: "board", ID: c.id + ".places"},
			ForeignID: p.ref().String(), To: []string{"board:" + c.id + ".places", "tag:sea"}, Data: data,
		}
	}
	_, err := c.Feeds.Outbox(c.id).PublishMany(c.t.Context(), all)
	require.NoError(c.t, err)
	_, err = c.Feeds.Deliver(c.t.Context()) // the workers of a world that has some may be faster
	require.NoError(c.t, err)
}

// nothing is the body of a request that has no fields.
type nothing struct{}

func (c caller) follow(source string) {
	c.t.Helper()
	require.True(c.t, call[changed](c, http.MethodPut, "/api/follows/"+source, nothing{}).Changed)
}

// titles returns the titles of a page of pins.
func titles(page cursor.Page[card]) []string {
	titles := []string{}
	for _, c := range page.Items {
		titles = append(titles, c.Title)
	}
	return titles
}
