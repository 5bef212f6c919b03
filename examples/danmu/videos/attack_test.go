package videos

import (
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/examples/guard"
	"github.com/plaza-sdk/plaza/examples/internal/browsertest"
	"github.com/plaza-sdk/plaza/examples/web"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// ask sends a request from an address, without a connection.
func (w world) ask(t *testing.T, from, method, path, body string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
	r.Host, r.RemoteAddr = "localhost", net.JoinHostPort(from, "1")
	r.Header.Set("X-Forwarded-For", fmt.Sprintf("10.1.%d.%d", time.Now().UnixNano()%256, time.Now().UnixNano()/256%256))
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	answer := httptest.NewRecorder()
	w.service.ServeHTTP(answer, r)
	return answer
}

func sendOf(object, user string) string {
	return fmt.Sprintf(`{"objectId":%q,"userId":%q,"content":{"text":"x","time":1}}`, object, user)
}

// frozen returns a rate that allows one burst and nothing after it.
func frozen(burst int) *guard.Rate {
	now := time.Now()
	return guard.NewRate(1, burst, func() time.Time { return now })
}

func TestMadeUpVideosAreNeitherStoredNorReadNorWatched(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Hills())
	before := w.items(t)
	for i := range faults.Size(10_000, 300) {
		id, from := fmt.Sprint("made-up-", i), fmt.Sprintf("10.0.%d.%d", i/256, i%256)
		for _, answer := range []*httptest.ResponseRecorder{
			w.ask(t, from, "POST", "/danmu/send", sendOf(id, "a")),
			w.ask(t, from, "GET", "/videos/"+id+"/live", ""),
			w.ask(t, from, "GET", []string{"/danmu/pull/" + id, "/danmu/queryByTime/" + id, "/videos/" + id, "/videos/" + id + "/segments/0", "/videos/" + id + "/heat?buckets=3"}[i%5], ""),
			w.ask(t, from, []string{"DELETE", "PUT"}[i%2], "/videos/"+id+"/danmu/00000000000000000000"+[]string{"", "/like", "/like", "/report"}[i%4]+"?user=a", ""),
		} {
			require.Contains(t, []int{http.StatusNotFound, http.StatusTooManyRequests}, answer.Code, answer.Body)
		}
	}
	require.Equal(t, before, w.items(t))
	require.Zero(t, w.service.streams.Open())
	require.Zero(t, w.service.hub.Present("made-up-1"))
}

func TestMadeUpNamesOfOneAddressAreLimited(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Hills())
	many := faults.Size(10_000, 300)
	w.service.requests, w.service.sends = frozen(many), frozen(sendBurst)
	before := w.items(t)
	sent := 0
	for i := range many {
		answer := w.ask(t, "192.0.2.7", "POST", "/danmu/send", sendOf("1", fmt.Sprint("made-up-", i)))
		if answer.Code == http.StatusOK {
			sent++
			continue
		}
		require.Equal(t, http.StatusTooManyRequests, answer.Code)
		require.Equal(t, "1", answer.Header().Get("Retry-After"))
		require.JSONEq(t, `{"error":"Too Many Requests","reason":"too many requests"}`, answer.Body.String())
	}
	require.Equal(t, sendBurst, sent)
	require.LessOrEqual(t, w.items(t)-before, 2*sendBurst, "a danmu, and a segment's first")
	require.Equal(t, http.StatusTooManyRequests, w.ask(t, "192.0.2.7", "GET", "/users/a/danmu", "").Code, "each request counts")
	require.Equal(t, http.StatusOK, w.ask(t, "192.0.2.8", "POST", "/danmu/send", sendOf("1", "1")).Code)
}

func TestAVideoLimitsTheSendsOfAllAddresses(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Hills())
	w.service.videoSends = frozen(5)
	for i := range 100 {
		answer := w.ask(t, fmt.Sprintf("192.0.2.%d", i), "POST", "/danmu/send", sendOf("1", fmt.Sprint("u", i)))
		if i < 5 {
			require.Equal(t, http.StatusOK, answer.Code, answer.Body)
		} else {
			require.Equal(t, http.StatusTooManyRequests, answer.Code)
			require.NotEmpty(t, answer.Header().Get("Retry-After"))
		}
	}
	require.Len(t, call[list](t, w, "GET", "/danmu/pull/1?size=100", "").Data, 5)
	require.Equal(t, http.StatusOK, w.ask(t, "192.0.2.1", "POST", "/danmu/send", sendOf("7", "u1")).Code, "another video")
}

func TestStreamsOfAnAddressAreBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Hills())
	w.service.streams = guard.NewStreams(3, 100)
	for range 3 {
		listen(t, w, "")("joined")
	}
	before := runtime.NumGoroutine()
	for range 50 {
		status, header, text := w.send(t, "GET", "/videos/1/live", "")
		require.Equal(t, http.StatusTooManyRequests, status, text)
		require.NotEmpty(t, header.Get("Retry-After"))
	}
	require.Less(t, runtime.NumGoroutine(), before+50)
	require.Equal(t, 3, w.service.hub.Present("1"))
	w.server.CloseClientConnections()
	require.Eventually(t, func() bool { return w.service.streams.Open() == 0 }, 10*time.Second, time.Millisecond, "who left counts no more")
	listen(t, w, "")("joined")
}

func TestRequestsOfOtherSitesAreNotStored(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Hills())
	before := w.items(t)
	for name, c := range map[string]struct {
		headers map[string]string
		status  int
	}{
		"a text":                       {map[string]string{"Content-Type": "text/plain"}, 415},
		"a form":                       {map[string]string{"Content-Type": "application/x-www-form-urlencoded"}, 415},
		"a form of parts":              {map[string]string{"Content-Type": "multipart/form-data; boundary=x"}, 415},
		"nothing":                      {map[string]string{}, 415},
		"JSON, cross-site":             {map[string]string{"Content-Type": "application/json", "Sec-Fetch-Site": "cross-site"}, 403},
		"JSON, another port":           {map[string]string{"Content-Type": "application/json", "Sec-Fetch-Site": "same-site"}, 403},
		"JSON, another origin":         {map[string]string{"Content-Type": "application/json", "Origin": "http://evil.test"}, 403},
		"JSON, no origin":              {map[string]string{"Content-Type": "application/json", "Origin": "null"}, 403},
		"JSON, another host":           {map[string]string{"Content-Type": "application/json", "Host": "evil.test"}, 421},
		"JSON, both of them elsewhere": {map[string]string{"Content-Type": "application/json", "Host": "evil.test", "Origin": "http://evil.test", "Sec-Fetch-Site": "same-origin"}, 421},
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.url+"/danmu/send", strings.NewReader(haha))
		require.NoError(t, err)
		for header, value := range c.headers {
			r.Header.Set(header, value)
		}
		r.Host = r.Header.Get("Host")
		res, err := w.client.Do(r)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		require.Equal(t, c.status, res.StatusCode, name)
	}
	require.Equal(t, before, w.items(t))
}

func TestNothingIsServedUnderAnotherHost(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Hills())
	for _, path := range []string{"/", "/main.js", "/videos/1", "/videos/1/live", "/danmu/pull/1", "/nowhere"} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.url+path, http.NoBody)
		require.NoError(t, err)
		r.Host = "evil.test:5000"
		res, err := w.client.Do(r)
		require.NoError(t, err)
		text, err := io.ReadAll(res.Body)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		require.Equal(t, http.StatusMisdirectedRequest, res.StatusCode, path)
		require.Contains(t, string(text), `"field":"host"`)
	}
	require.Zero(t, w.service.hub.Present("1"))
}

func TestEveryAnswerKeepsOtherSitesOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Hills())
	w.service.requests = frozen(2)
	for _, path := range []string{"/", "/style.css", "/hills.webm", "/videos/1", "/videos/2", "/videos/1", "/nowhere", "/..%2f..%2fservice.go"} {
		res, err := w.client.Get(w.url + path)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		policy := res.Header.Get("Content-Security-Policy")
		if path == "/" || strings.HasSuffix(path, ".css") {
			require.Contains(t, policy, "require-trusted-types-for 'script'")
		}
		for _, rule := range []string{"default-src '", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"} {
			require.Contains(t, policy, rule, path)
		}
		require.NotContains(t, policy, "unsafe")
		require.Equal(t, "no-referrer", res.Header.Get("Referrer-Policy"), path)
		require.Equal(t, "nosniff", res.Header.Get("X-Content-Type-Options"), path)
		require.Equal(t, "same-origin", res.Header.Get("Cross-Origin-Resource-Policy"), path)
		require.Empty(t, res.Header.Get("Access-Control-Allow-Origin"), path)
	}
}

func TestPathsReadNoOtherFiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Hills())
	for _, path := range []string{
		"/..%2fservice.go", "/%2e%2e/service.go", "/..%5cmain.go", "/static/main.js", "/%2e%2e%2f%2e%2e%2fgo.mod", "/service.go", "/main.js%00",
		"/danmu/pull/1%2f..%2f..%2f7", "/danmu/pull/..", "/danmu/pull/%2e%2e%2f1", "/videos/1%00/live", "/videos//live",
	} {
		res, err := w.client.Get(w.url + path)
		require.NoError(t, err, path)
		text, err := io.ReadAll(res.Body)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		require.GreaterOrEqual(t, res.StatusCode, 400, path)
		require.NotContains(t, string(text), "package videos")
		require.NotContains(t, string(text), "module ")
	}
}

func TestSlowAndHugeRequestsAreCutOff(t *testing.T) {
	t.Parallel()
	s := web.NewServer(nil, slog.New(slog.DiscardHandler))
	for _, wait := range []time.Duration{s.ReadHeaderTimeout, s.ReadTimeout, s.WriteTimeout, s.IdleTimeout} {
		require.Positive(t, wait)
		require.LessOrEqual(t, wait, time.Minute)
	}
	w := newWorld(t, Hills())
	status := func(path string, header string) int {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.url+path, http.NoBody)
		require.NoError(t, err)
		r.Header.Set("X", header)
		res, err := w.client.Do(r)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		return res.StatusCode
	}
	require.Equal(t, http.StatusRequestHeaderFieldsTooLarge, status("/videos/1?"+strings.Repeat("a=b&", 50_000), ""))
	require.Equal(t, http.StatusRequestHeaderFieldsTooLarge, status("/videos/1", strings.Repeat("x", 200_000)))
	require.Equal(t, http.StatusBadRequest, status("/videos/1/segments/0?without=a"+strings.Repeat("&without=a", 1_000), ""))
}

// A page of another site tries everything that a browser allows, while its visitor runs
// the service.
func otherSite(t *testing.T, b browsertest.Browser) {
	w := newWorld(t, Hills())
	before := w.items(t)
	var mu sync.Mutex
	statuses := map[string][]int{}
	server := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		answer := &kept{ResponseWriter: out}
		w.service.ServeHTTP(answer, r)
		mu.Lock()
		defer mu.Unlock()
		what := r.Method + " " + r.URL.Path
		statuses[what] = append(statuses[what], answer.status)
	}))
	defer server.Close()

	var loaded atomic.Bool
	evil := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			loaded.Store(true)
		}
		out.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprintf(out, `<!doctype html><link rel="icon" href="data:,">
			<form method="post" action="%[1]s/danmu/send" enctype="text/plain" target="sink"><input name='{"objectId":"1","userId":"1","content":{"text":"' value='","time":1}}'></form>
			<iframe name="sink"></iframe><iframe id="framed" src="%[1]s/"></iframe>`, server.URL)
	}))
	defer evil.Close()

	p := b.Window(t, "refused to connect", "Content-Security-Policy", "frame-ancestors", "Framing", "CORS", "ERR_", "Failed to load", "status of")
	_, port, err := net.SplitHostPort(evil.Listener.Addr().String())
	require.NoError(t, err)
	p.Open("http://evil.test:" + port)
	require.True(t, loaded.Load())
	script := fmt.Sprintf(`(async () => {
		const target = %q, body = %q;
		const got = [];
		for (const options of [
			{ mode: "no-cors", headers: { "Content-Type": "text/plain" } },
			{ mode: "no-cors", headers: { "Content-Type": "application/json" } },
			{ mode: "no-cors", credentials: "include", headers: { "Content-Type": "application/x-www-form-urlencoded" } },
			{ mode: "cors", headers: { "Content-Type": "application/json" } },
			{ mode: "cors", headers: { "Content-Type": "text/plain" } },
		]) {
			await fetch(target + "/danmu/send", { method: "POST", body, ...options }).then(() => got.push("opaque"), () => got.push("refused"));
		}
		navigator.sendBeacon(target + "/danmu/send", new Blob([body], { type: "text/plain" }));
		document.forms[0].submit();
		const source = new EventSource(target + "/videos/1/live");
		await new Promise((done) => { source.onerror = done; source.onopen = () => { got.push("streams"); done(); }; });
		return got;
	})()`, server.URL, haha)
	require.NotContains(t, browsertest.Eval[[]string](p, script), "streams")

	count := func(what string) int {
		mu.Lock()
		defer mu.Unlock()
		return len(statuses[what])
	}
	require.Eventually(t, func() bool {
		return count("POST /danmu/send") >= 6 && count("OPTIONS /danmu/send") >= 1 && count("GET /videos/1/live") >= 1 && count("GET /") >= 1
	}, 20*time.Second, 10*time.Millisecond, "all of it arrived")
	mu.Lock()
	for what, all := range statuses {
		for _, status := range all {
			assert.GreaterOrEqual(t, status, 400, what)
		}
	}
	mu.Unlock()
	require.Equal(t, before, w.items(t))
	require.Zero(t, w.service.hub.Present("1"))
}

// kept records the status of an answer.
type kept struct {
	http.ResponseWriter
	status int
}

func (k *kept) WriteHeader(status int) {
	k.status = status
	k.ResponseWriter.WriteHeader(status)
}

func (k *kept) Write(text []byte) (int, error) {
	if k.status == 0 {
		k.status = http.StatusOK
	}
	return k.ResponseWriter.Write(text)
}

func (k *kept) Unwrap() http.ResponseWriter { return k.ResponseWriter }

// DNS rebinding: the name of a site resolves to another address once its page is loaded.
// To the browser this is still the same origin.
func rebound(t *testing.T, b browsertest.Browser) {
	w := newWorld(t, Hills())
	before := w.items(t)
	var loaded atomic.Bool
	server := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		if loaded.Swap(true) {
			w.service.ServeHTTP(out, r)
			return
		}
		out.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprint(out, `<!doctype html><link rel="icon" href="data:,">`)
	}))
	defer server.Close()
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	require.NoError(t, err)
	p := b.Window(t, "status of 421")
	p.Open("http://rebound.test:" + port)
	statuses := browsertest.Eval[[]int](p, fmt.Sprintf(`Promise.all([
		fetch("/danmu/send", { method: "POST", headers: { "Content-Type": "application/json" }, body: %q }),
		fetch("/danmu/pull/1"), fetch("/videos/1/live"), fetch("/"),
	]).then((answers) => answers.map((answer) => answer.status))`, haha))
	require.Equal(t, []int{421, 421, 421, 421}, statuses)
	require.Equal(t, before, w.items(t))
}
