package pinboard_test

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/examples/internal/lambdatest"
	"github.com/plaza-sdk/plaza/examples/internal/samtest"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/plazatest"
	"github.com/plaza-sdk/plaza/tables"
)

// built is the folder of the functions, as sam build writes it: SAM_BUILD, or one whose only
// program is built here, if CI is set. Only those of sam build write the whole seed, which takes its time.
var built, bySAM = os.Getenv("SAM_BUILD"), os.Getenv("SAM_BUILD") != ""

func TestMain(m *testing.M) {
	code, err := build(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func build(m *testing.M) (code int, err error) {
	if !bySAM && faults.Full() {
		if built, err = os.MkdirTemp("", "pinboard"); err != nil {
			return 1, err
		}
		defer os.RemoveAll(built)
		cmd := exec.Command("go", "build", "-ldflags=-s -w", "-o", program(""), "..")
		if out, err := cmd.CombinedOutput(); err != nil {
			return 1, fmt.Errorf("%w: %s", err, out)
		}
	}
	return m.Run(), nil
}

func program(function string) string {
	if bySAM {
		return filepath.Join(built, function, "bootstrap")
	}
	if runtime.GOOS == "windows" {
		return filepath.Join(built, "bootstrap.exe")
	}
	return filepath.Join(built, "bootstrap")
}

func needBuilt(t *testing.T) {
	t.Helper()
	if built == "" {
		t.Skip("by default the tests of examples/pinboard call its functions in process")
	}
}

// function is a function and the services that it calls.
type function struct {
	*lambdatest.Function
	*lambdatest.Services
}

// world is what the template deploys, on this machine.
type world struct {
	env           *plazatest.Env
	names         tables.Names
	deployed      []tables.Table
	pages, worker function
}

const patience = 10 * time.Minute // the seed takes half a minute where nothing else runs

func newWorld(t *testing.T) *world {
	t.Helper()
	needBuilt(t)
	prefix := "pinboard-" + rand.Text() + "-"
	w := &world{
		env: plazatest.Start(t, &plazatest.Options{Tables: tables.Names{Machines: "first"}}), names: tables.NamesOf(prefix), deployed: deployed(prefix),
	}
	samtest.Create(t, w.env.Config, w.deployed)
	start := func(name string) function {
		services, err := lambdatest.Serve(t.Context(), w.env.Config, nil)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, services.Close()) })
		env := append(services.Env(), "PINBOARD_TABLES="+prefix, "PINBOARD_JOB="+strings.ToLower(name))
		f, err := lambdatest.Start(program(name), env, t.Output())
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, f.Close()) })
		return function{f, services}
	}
	w.pages, w.worker = start("Pages"), start("Worker")
	return w
}

const domain = "demo.execute-api.us-east-1.amazonaws.com"

// requested is the event of a request by ann, as API Gateway makes it.
func requested(method, path, body string, headers map[string]string) events.APIGatewayV2HTTPRequest {
	path, query, _ := strings.Cut(path, "?")
	e := events.APIGatewayV2HTTPRequest{
		Version: "2.0", RouteKey: "$default", RawPath: path, RawQueryString: query, Body: base64.StdEncoding.EncodeToString([]byte(body)), IsBase64Encoded: true,
		Headers: map[string]string{"host": domain, "pinboard-user": "ann"},
	}
	if body != "" {
		e.Headers["content-type"] = "application/json"
	}
	maps.Copy(e.Headers, headers)
	e.RequestContext.DomainName, e.RequestContext.Stage = domain, "$default"
	e.RequestContext.HTTP.Method, e.RequestContext.HTTP.Path, e.RequestContext.HTTP.SourceIP = method, path, "192.0.2.1"
	return e
}

type answer struct {
	status int
	header map[string]string
	body   string
}

// send sends an event to the pages and reads the answer.
func (w *world) send(t *testing.T, e events.APIGatewayV2HTTPRequest) answer {
	t.Helper()
	event, err := json.Marshal(e)
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	text, err := w.pages.Invoke(ctx, event)
	require.NoError(t, err)
	var got events.APIGatewayV2HTTPResponse
	require.NoError(t, json.Unmarshal(text, &got))
	require.True(t, got.IsBase64Encoded)
	body, err := base64.StdEncoding.DecodeString(got.Body)
	require.NoError(t, err)
	return answer{got.StatusCode, got.Headers, string(body)}
}

// call sends a request by ann, which must succeed, and decodes the answer.
func call[T any](t *testing.T, w *world, method, path, body string) (into T) {
	t.Helper()
	got := w.send(t, requested(method, path, body, nil))
	require.Equal(t, http.StatusOK, got.status, "%s %s: %s", method, path, got.body)
	require.NoError(t, json.Unmarshal([]byte(got.body), &into), got.body)
	return into
}

// feeds are those of another process.
func (w *world) feeds(t *testing.T) *feed.Repository {
	t.Helper()
	gen, err := ids.New(1, nil)
	require.NoError(t, err)
	follows, err := follow.New(w.env.DB, w.names.Follow, gen, nil)
	require.NoError(t, err)
	feeds, err := feed.New(w.env.DB, w.names.Feed, gen, follows, nil)
	require.NoError(t, err)
	return feeds
}

// work gives the worker the event of a schedule until the test ends: the function goes on
// until its time is up. Its seed is written already, unless sam build built it.
func (w *world) work(t *testing.T) {
	t.Helper()
	if !bySAM {
		for _, verb := range []string{"began", "finished"} {
			_, _, err := w.feeds(t).Outbox("seed").Publish(t.Context(), feed.Activity{
				Actor: feed.Ref{ID: "seed"}, Verb: verb, ForeignID: verb, Time: time.Now().Add(-time.Hour),
			})
			require.NoError(t, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = w.worker.Invoke(ctx, []byte(`{"version":"0","detail-type":"Scheduled Event","source":"aws.events","detail":{}}`))
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
}

func TestThePagesAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	page := w.send(t, requested("GET", "/people/ann", "", nil))
	require.Equal(t, http.StatusOK, page.status)
	require.Contains(t, page.header["Content-Type"], "text/html")
	require.Contains(t, page.body, "main.js")
	require.Contains(t, w.send(t, requested("GET", "/main.js", "", nil)).header["Content-Type"], "javascript")

	board := call[struct{ ID string }](t, w, "POST", "/api/boards", `{"name":"想去的地方"}`)
	require.Equal(t, "ann.想去的地方", board.ID)
	require.Equal(t, "想去的地方", call[struct{ Name string }](t, w, "GET", "/api/boards/ann.想去的地方", "").Name)

	video, err := os.ReadFile("../../danmu/videos/static/hills.webm")
	require.NoError(t, err)
	whole := w.send(t, requested("GET", "/watch/hills.webm", "", nil))
	require.Equal(t, "video/webm", whole.header["Content-Type"])
	require.Equal(t, sha256.Sum256(video), sha256.Sum256([]byte(whole.body)))
	part := w.send(t, requested("GET", "/watch/hills.webm", "", map[string]string{"range": "bytes=1000-1999"}))
	require.Equal(t, http.StatusPartialContent, part.status)
	require.Equal(t, video[1000:2000], []byte(part.body))

	samtest.Allowed(t, w.pages.Calls(), w.deployed, tables.Service)
}

// entry is a line of a bell.
type entry struct{ Activity struct{ Actor, Verb string } }

func TestTheWorkerRingsBells(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.work(t)
	board := call[struct{ ID string }](t, w, "POST", "/api/boards", `{"name":"Sea"}`).ID
	drawn := call[struct{ Picture, Proof string }](t, w, "POST", "/api/pictures", `{}`)
	picture := drawn.Picture
	call[any](t, w, "POST", "/api/pins", fmt.Sprintf(`{"picture":%q,"title":"Dawn","board":%q,"proof":%q}`, picture, board, drawn.Proof))
	liked := w.send(t, requested("PUT", "/api/pins/"+picture+"/like", `{}`, map[string]string{"pinboard-user": "eric"}))
	require.Equal(t, http.StatusOK, liked.status, liked.body)
	var bell []entry
	require.Eventually(t, func() bool {
		bell = call[struct{ Items []entry }](t, w, "GET", "/api/bell", "").Items
		return slices.ContainsFunc(bell, func(e entry) bool { return e.Activity.Verb == "like" && strings.HasSuffix(e.Activity.Actor, "eric") })
	}, patience, 200*time.Millisecond)
	if bySAM {
		home := call[struct{ Items []struct{ Picture string } }](t, w, "GET", "/api/home", "").Items
		require.Greater(t, len(home), 10, "the seed filled the homes")
	}
	samtest.Allowed(t, w.worker.Calls(), w.deployed, roles["Worker"]...)
}

func TestAFunctionWithoutItsJobDoesNotStart(t *testing.T) {
	t.Parallel()
	needBuilt(t)
	f, err := lambdatest.Start(program("Pages"), []string{"AWS_REGION=us-east-1"}, t.Output())
	require.NoError(t, err)
	_, err = f.Invoke(t.Context(), []byte(`{}`))
	require.Error(t, err)
	require.False(t, f.Alive())
	require.NoError(t, f.Close())
}
