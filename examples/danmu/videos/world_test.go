package videos

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/examples/web"
	"github.com/plaza-sdk/plaza/plazatest"
	"github.com/plaza-sdk/plaza/tables"
)

// world is the service on fresh tables.
type world struct {
	url     string
	client  *http.Client
	server  *httptest.Server
	service *Service
	env     *plazatest.Env
	sent    []message
}

// said is a danmu of video 1.
type said struct {
	user, text string
	seconds    float64
}

// newWorld has Hills, other videos that accept danmu, and some danmu.
func newWorld(t *testing.T, all ...said) world {
	t.Helper()
	w := newWorldOf(t, &Options{Videos: []Video{Hills()}, Others: []string{"2", "7", "9"}})
	for _, s := range all {
		w.sent = append(w.sent, say(t, w, s.user, s.text, s.seconds))
	}
	return w
}

func newWorldOf(t *testing.T, opts *Options) world {
	t.Helper()
	w := world{env: plazatest.Start(t, &plazatest.Options{
		Tables: tables.Names{Machines: "machines", Danmu: "danmu"},
		Price:  func(context.Context) bool { return false },
	})}
	var err error
	w.service, err = New(t.Context(), w.env.DB, w.env.Tables, opts)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, w.service.Close()) })
	w.server = httptest.NewUnstartedServer(nil)
	w.server.Config = web.NewServer(w.service, slog.New(slog.DiscardHandler))
	w.server.Start()
	w.url, w.client = w.server.URL, w.server.Client()
	t.Cleanup(w.server.Close)
	t.Cleanup(w.service.EndStreams)
	return w
}

// behind returns the world behind another server, which reports whether it answered a
// request itself.
func (w world) behind(t *testing.T, answers func(http.ResponseWriter, *http.Request) bool) world {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		if !answers(out, r) {
			w.service.ServeHTTP(out, r)
		}
	}))
	t.Cleanup(server.Close)
	t.Cleanup(w.service.EndStreams)
	w.url, w.client = server.URL, server.Client()
	return w
}

// request returns a request for do.
func (w world) request(t *testing.T, method, path, body string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, w.url+path, strings.NewReader(body))
	require.NoError(t, err)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	return r
}

// do sends a request and reads its answer.
func (w world) do(t *testing.T, r *http.Request) (res *http.Response, text string) {
	t.Helper()
	res, err := w.client.Do(r)
	require.NoError(t, err)
	defer res.Body.Close()
	all, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return res, string(all)
}

func (w world) get(t *testing.T, path string) (res *http.Response, text string) {
	t.Helper()
	return w.do(t, w.request(t, http.MethodGet, path, ""))
}

// answer sends a request whose answer is JSON and has a status.
func (w world) answer(t *testing.T, status int, method, path, body string) (text string) {
	t.Helper()
	res, text := w.do(t, w.request(t, method, path, body))
	require.Equal(t, status, res.StatusCode, text)
	require.Equal(t, "application/json", res.Header.Get("Content-Type"), text)
	require.Equal(t, status == http.StatusTooManyRequests, res.Header.Get("Retry-After") != "")
	return text
}

// call makes a call that must succeed, and decodes its answer.
func call[T any](t *testing.T, w world, method, path, body string) (answer T) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(w.answer(t, http.StatusOK, method, path, body)), &answer))
	return answer
}

// say sends a danmu at a moment and returns the answer.
func say(t *testing.T, w world, user, text string, seconds float64) message {
	t.Helper()
	body, err := json.Marshal(submission{ObjectID: "1", UserID: user, Content: content{Text: text, Time: &seconds}})
	require.NoError(t, err)
	return call[message](t, w, http.MethodPost, "/danmu/send", string(body))
}

// stored returns the first danmu of video 1.
func (w world) stored(t *testing.T) []message {
	t.Helper()
	return call[list](t, w, http.MethodGet, "/danmu/pull/1?size=100", "").Data
}

// importAll imports n danmu into video 1.
func importAll(t *testing.T, w world, n int, nth func(int) danmu.Comment) {
	t.Helper()
	comments := make([]danmu.Comment, n)
	for i := range comments {
		comments[i] = nth(i)
	}
	result, err := w.service.Import(t.Context(), "1", comments)
	require.NoError(t, err)
	require.Equal(t, n, result.Written)
}

// items counts what is stored of danmu.
func (w world) items(t *testing.T) int {
	t.Helper()
	n, err := w.env.DB.Table(w.env.Tables.Danmu).Scan().Count(t.Context())
	require.NoError(t, err)
	return n
}

func texts(messages []message) []string {
	var all []string
	for _, m := range messages {
		all = append(all, m.Content.Text)
	}
	return all
}

func second(n int) time.Duration { return time.Duration(n) * time.Second }
