package videos

import (
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/examples/guard"
	"github.com/plaza-sdk/plaza/examples/internal/browsertest"
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
	w := newWorld(t)
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

// Whoever makes up names, addresses or videos is allowed a burst and then refused.
func TestRatesAreOfAnAddressAndOfAVideo(t *testing.T) {
	t.Parallel()
	send := func(address string, w world, i int) *httptest.ResponseRecorder {
		return w.ask(t, address, "POST", "/danmu/send", sendOf("1", fmt.Sprint("made-up-", i)))
	}
	react := func(address string, w world, i int) *httptest.ResponseRecorder {
		return w.ask(t, address, "PUT", about(w.sent[0].ID, []string{"/like", "/report"}[i%2], fmt.Sprint("made-up-", i)), "")
	}
	for name, c := range map[string]struct {
		freeze    func(*Service)
		ask       func(address string, w world, i int) *httptest.ResponseRecorder
		addresses int
		free      func(w world, address string) *httptest.ResponseRecorder // what is still answered
	}{
		"sends of an address": {func(s *Service) { s.sends = frozen(5) }, send, 1, func(w world, _ string) *httptest.ResponseRecorder {
			return send("192.0.2.200", w, 100)
		}},
		"sends to a video": {func(s *Service) { s.videoSends = frozen(5) }, send, 100, func(w world, address string) *httptest.ResponseRecorder {
			return w.ask(t, address, "POST", "/danmu/send", sendOf("7", "a"))
		}},
		"reactions of an address": {func(s *Service) { s.reactions = frozen(5) }, react, 1, func(w world, address string) *httptest.ResponseRecorder {
			require.Equal(t, http.StatusTooManyRequests, w.ask(t, address, "DELETE", about(w.sent[0].ID, "/like", "made-up-0"), "").Code)
			require.Equal(t, http.StatusOK, react("192.0.2.200", w, 0).Code)
			return send(address, w, 100) // one can still speak
		}},
		"reactions to a video": {func(s *Service) { s.videoReactions = frozen(5) }, react, 100, func(w world, address string) *httptest.ResponseRecorder {
			return send(address, w, 100)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, said{"a", "x", 1})
			w.service.requests = frozen(2_000) // which would run out on a fast machine
			c.freeze(w.service)
			before := w.items(t)
			for i := range faults.Size(1_000, 20) {
				answer := c.ask(fmt.Sprintf("192.0.2.%d", i%c.addresses), w, i)
				if i < 5 {
					require.Equal(t, http.StatusOK, answer.Code, answer.Body)
					continue
				}
				require.Equal(t, http.StatusTooManyRequests, answer.Code)
				require.Equal(t, "1", answer.Header().Get("Retry-After"))
				require.JSONEq(t, `{"error":"Too Many Requests","reason":"too many requests"}`, answer.Body.String())
			}
			require.LessOrEqual(t, w.items(t)-before, 10)
			require.Equal(t, http.StatusOK, c.free(w, "192.0.2.0").Code)
		})
	}
}

func TestStreamsOfAnAddressAreBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.service.streams = guard.NewStreams(3, 100)
	for range 3 {
		listen(t, w, "")("joined")
	}
	before := runtime.NumGoroutine()
	for range 50 {
		w.answer(t, http.StatusTooManyRequests, "GET", "/videos/1/live", "")
	}
	require.Less(t, runtime.NumGoroutine(), before+50)
	require.Equal(t, 3, w.service.hub.Present("1"))
	w.server.CloseClientConnections()
	require.Eventually(t, func() bool { return w.service.streams.Open() == 0 }, 10*time.Second, time.Millisecond, "who left counts no more")
	listen(t, w, "")("joined")
}

func TestEveryAnswerKeepsOtherSitesOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.service.requests = frozen(2)
	for _, path := range []string{"/", "/style.css", "/hills.webm", "/videos/1", "/videos/2", "/videos/1", "/nowhere", "/..%2f..%2fservice.go"} {
		res, _ := w.get(t, path)
		policy := res.Header.Get("Content-Security-Policy")
		if path == "/" || strings.HasSuffix(path, ".css") {
			require.Contains(t, policy, "require-trusted-types-for 'script'")
		}
		for _, rule := range []string{"default-src '", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"} {
			require.Contains(t, policy, rule, path)
		}
		require.NotContains(t, policy, "unsafe")
		for header, want := range map[string]string{
			"Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff", "Cross-Origin-Resource-Policy": "same-origin", "Access-Control-Allow-Origin": "",
		} {
			require.Equal(t, want, res.Header.Get(header), path)
		}

		r := w.request(t, http.MethodGet, path, "")
		r.Host = "evil.test:5000"
		res, text := w.do(t, r)
		require.Equal(t, http.StatusMisdirectedRequest, res.StatusCode, path)
		require.Contains(t, text, `"field":"host"`)
	}
}

func TestPathsReadNoOtherFiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, path := range []string{
		"/..%2fservice.go", "/%2e%2e/service.go", "/..%5cmain.go", "/static/main.js", "/%2e%2e%2f%2e%2e%2fgo.mod", "/service.go", "/main.js%00",
		"/danmu/pull/1%2f..%2f..%2f7", "/danmu/pull/..", "/danmu/pull/%2e%2e%2f1", "/videos/1%00/live", "/videos//live",
	} {
		res, text := w.get(t, path)
		require.GreaterOrEqual(t, res.StatusCode, 400, path)
		require.NotContains(t, text, "package videos")
		require.NotContains(t, text, "module ")
	}
}

func TestSlowAndHugeRequestsAreCutOff(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.server.Config
	for _, wait := range []time.Duration{s.ReadHeaderTimeout, s.ReadTimeout, s.WriteTimeout, s.IdleTimeout} {
		require.Positive(t, wait)
		require.LessOrEqual(t, wait, time.Minute)
	}
	for _, c := range []struct {
		path, header string
		status       int
	}{
		{"/videos/1?" + strings.Repeat("a=b&", 50_000), "", http.StatusRequestHeaderFieldsTooLarge},
		{"/videos/1", strings.Repeat("x", 200_000), http.StatusRequestHeaderFieldsTooLarge},
		{"/videos/1/segments/0?without=a" + strings.Repeat("&without=a", 1_000), "", http.StatusBadRequest},
	} {
		r := w.request(t, http.MethodGet, c.path, "")
		r.Header.Set("X", c.header)
		res, _ := w.do(t, r)
		require.Equal(t, c.status, res.StatusCode)
	}
}

func attackTests() pages {
	return pages{
		// A page of another site tries everything that a browser allows, while its visitor runs
		// the service.
		"another site's page stores, reads and frames nothing": func(t *testing.T, b browsertest.Browser) {
			w := newWorld(t)
			before := w.items(t)
			var mu sync.Mutex
			statuses := map[string][]int{}
			target := w.behind(t, func(out http.ResponseWriter, r *http.Request) bool {
				answer := httptest.NewRecorder()
				w.service.ServeHTTP(answer, r)
				maps.Copy(out.Header(), answer.Header())
				out.WriteHeader(answer.Code)
				mu.Lock()
				defer mu.Unlock()
				request := r.Method + " " + r.URL.Path
				statuses[request] = append(statuses[request], answer.Code)
				return true
			}).url
			evil := w.behind(t, func(out http.ResponseWriter, _ *http.Request) bool {
				out.Header().Set("Content-Type", "text/html")
				_, _ = fmt.Fprintf(out, `<!doctype html><link rel="icon" href="data:,">
					<form method="post" action="%[1]s/danmu/send" enctype="text/plain" target="sink"><input name='{"objectId":"1","userId":"1","content":{"text":"' value='","time":1}}'></form>
					<iframe name="sink"></iframe><iframe id="framed" src="%[1]s/"></iframe>`, target)
				return true
			})
			p := b.Window(t, "refused to connect", "Content-Security-Policy", "frame-ancestors", "Framing", "CORS", "ERR_", "Failed to load", "status of")
			p.Open(onSite(evil, "evil.test"))
			p.Until(`document.forms.length === 1`)
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
			})()`, target, haha)
			require.NotContains(t, browsertest.Eval[[]string](p, script), "streams")

			require.Eventually(t, func() bool {
				mu.Lock()
				defer mu.Unlock()
				return len(statuses["POST /danmu/send"]) >= 6 && len(statuses["OPTIONS /danmu/send"]) >= 1 && len(statuses["GET /videos/1/live"]) >= 1 && len(statuses["GET /"]) >= 1
			}, 20*time.Second, 10*time.Millisecond, "all of it arrived")
			mu.Lock()
			defer mu.Unlock()
			for request, all := range statuses {
				assert.GreaterOrEqual(t, slices.Min(all), 400, request)
			}
			require.Equal(t, before, w.items(t))
			require.Zero(t, w.service.hub.Present("1"))
		},
		// DNS rebinding: the name of a site resolves to another address once its page is loaded.
		// To the browser this is still the same origin.
		"a site that is rebound to this address is not served": func(t *testing.T, b browsertest.Browser) {
			w := newWorld(t)
			before := w.items(t)
			var loaded atomic.Bool
			site := w.behind(t, func(out http.ResponseWriter, _ *http.Request) bool {
				if loaded.Swap(true) {
					return false
				}
				out.Header().Set("Content-Type", "text/html")
				_, _ = fmt.Fprint(out, `<!doctype html><link rel="icon" href="data:,">`)
				return true
			})
			p := b.Window(t, "status of 421")
			p.Open(onSite(site, "rebound.test"))
			statuses := browsertest.Eval[[]int](p, fmt.Sprintf(`Promise.all([
				fetch("/danmu/send", { method: "POST", headers: { "Content-Type": "application/json" }, body: %q }),
				fetch("/danmu/pull/1"), fetch("/videos/1/live"), fetch("/"),
			]).then((answers) => answers.map((answer) => answer.status))`, haha))
			require.Equal(t, []int{421, 421, 421, 421}, statuses)
			require.Equal(t, before, w.items(t))
		},
	}
}

// onSite returns the world's address by the name of another site.
func onSite(w world, name string) string { return strings.Replace(w.url, "127.0.0.1", name, 1) }
