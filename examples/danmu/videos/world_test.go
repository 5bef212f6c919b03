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
}

func newWorld(t *testing.T, shown Video) world {
	t.Helper()
	return newWorldOf(t, &Options{Videos: []Video{shown}, Others: []string{"2", "7", "9"}})
}

func newWorldOf(t *testing.T, opts *Options) world {
	t.Helper()
	w := world{env: plazatest.Start(t, &plazatest.Options{
		Tables: tables.Names{Machines: "machines", Danmu: "danmu"},
		Price:  func(context.Context) bool { return false },
	})}
	log := slog.New(slog.DiscardHandler)
	var err error
	w.service, err = New(t.Context(), w.env.DB, w.env.Tables, opts)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, w.service.Close()) })
	w.server = httptest.NewUnstartedServer(nil)
	w.server.Config = web.NewServer(w.service, log)
	w.server.Start()
	w.url, w.client = w.server.URL, w.server.Client()
	t.Cleanup(w.server.Close)
	t.Cleanup(w.service.EndStreams)
	return w
}

func (w world) send(t *testing.T, method, path, body string) (status int, header http.Header, text string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, w.url+path, strings.NewReader(body))
	require.NoError(t, err)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	res, err := w.client.Do(r)
	require.NoError(t, err)
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.Equal(t, "application/json", res.Header.Get("Content-Type"), "%s", answer)
	return res.StatusCode, res.Header, string(answer)
}

// call makes a call that must succeed, and decodes its answer.
func call[T any](t *testing.T, w world, method, path, body string) (answer T) {
	t.Helper()
	status, _, text := w.send(t, method, path, body)
	require.Equal(t, http.StatusOK, status, text)
	require.NoError(t, json.Unmarshal([]byte(text), &answer))
	return answer
}

// say sends a danmu at a moment and returns the answer.
func say(t *testing.T, w world, user, text string, seconds float64) message {
	t.Helper()
	body, err := json.Marshal(submission{ObjectID: "1", UserID: user, Content: content{Text: text, Time: &seconds}})
	require.NoError(t, err)
	return call[message](t, w, http.MethodPost, "/danmu/send", string(body))
}

func texts(messages []message) []string {
	var all []string
	for _, m := range messages {
		all = append(all, m.Content.Text)
	}
	return all
}

func second(n int) time.Duration { return time.Duration(n) * time.Second }
