package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/examples/guard"
	"github.com/plaza-sdk/plaza/examples/internal/browsertest"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// unlimited lets a test send as much as it likes.
func (w *world) unlimited() { w.api.requests = guard.NewRate(1_000_000, 1_000_000, nil) }

// placeholder is what stands for a value in a pattern's path.
var placeholder = regexp.MustCompile(`\{\w+\}`)

func otherSitesReachNoRoute(t *testing.T, w *world) {
	before := w.stored(t)
	patterns := append([]string{"GET /api/people", "GET /api/costs", "GET /api/events", "GET /pictures/{file}", "GET /avatars/{file}", "GET /", "GET /main.js"}, w.api.patterns...)
	for _, pattern := range patterns {
		method, path, _ := strings.Cut(pattern, " ")
		path = placeholder.ReplaceAllString(path, "x")
		for name, c := range map[string]struct {
			headers map[string]string
			status  int
		}{
			"a fetch":        {map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "empty"}, 403},
			"an image":       {map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "image"}, 403},
			"a rebound name": {map[string]string{"Host": "evil.test"}, 421},
		} {
			got := w.ask(t, method, path, "", c.headers)
			require.Equal(t, c.status, got.status, "%s: %s", pattern, name)
			require.Empty(t, got.header.Get("Access-Control-Allow-Origin"))
		}
		if method != http.MethodGet {
			got := w.ask(t, method, path, "{}", map[string]string{"Origin": "http://evil.test"})
			require.Equal(t, http.StatusForbidden, got.status, "%s: a page of another site, in an old browser", pattern)
			got = w.ask(t, method, path, `{"a":"b"}`, map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "document", "Content-Type": "text/plain"})
			require.Equal(t, http.StatusForbidden, got.status, "%s: a form", pattern)
		}
		got := w.ask(t, http.MethodOptions, path, "", map[string]string{"Origin": "http://evil.test", "Access-Control-Request-Method": method, "Access-Control-Request-Headers": whoHeader})
		require.GreaterOrEqual(t, got.status, 400, pattern)
		for name := range got.header {
			require.NotContains(t, name, "Access-Control", pattern)
		}
		if slices.Contains(w.api.patterns, pattern) {
			require.Equal(t, http.StatusUnauthorized, w.ask(t, method, path, "{}", map[string]string{whoHeader: "", "Cookie": whoHeader + "=ann"}).status, "%s: without the header", pattern)
		}
	}
	require.Empty(t, different(before, w.stored(t)))
}

func everyAnswerHasTheHeadersThatOWASPAsksFor(t *testing.T, w *world) {
	picture := w.as(t, "ann").pin("Dawn")
	const closed = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
	for path, want := range map[string]struct {
		status                  int
		kind, policy, cacheable string
	}{
		"/":                               {200, "text/html; charset=utf-8", policy, "no-cache"},
		"/weekly":                         {200, "text/html; charset=utf-8", policy, "no-cache"},
		"/watch/":                         {200, "text/html; charset=utf-8", policy, ""},
		"/main.js":                        {200, "text/javascript; charset=utf-8", policy, "no-cache"},
		"/screens/weekly.js":              {200, "text/javascript; charset=utf-8", policy, "no-cache"},
		"/style.css":                      {200, "text/css; charset=utf-8", policy, "no-cache"},
		"/icons.svg":                      {200, "image/svg+xml", policy, "no-cache"},
		"/pictures/" + picture + ".svg":   {200, "image/svg+xml", closed + "; style-src 'unsafe-inline'; sandbox", "public, max-age=86400"},
		"/avatars/ann.svg":                {200, "image/svg+xml", closed + "; style-src 'unsafe-inline'; sandbox", "public, max-age=86400"},
		"/api/weekly":                     {200, "application/json", closed, "no-store"},
		"/api/people":                     {200, "application/json", closed, "no-store"},
		"/api/weekly?x=y":                 {400, "application/json", closed, "no-store"},
		"/api/pins/ann.x":                 {400, "application/json", closed, "no-store"},
		"/api/moderation/log":             {403, "application/json", closed, "no-store"},
		"/pictures/../../main.go":         {307, "", closed, ""},
		"/screens/missing/main.go":        {404, "text/plain; charset=utf-8", policy, ""},
		"/pictures/nobody.svg":            {404, "text/plain; charset=utf-8", closed, ""},
		"/static/main.js":                 {404, "text/plain; charset=utf-8", policy, ""},
		"/..%2f..%2fexamples/pinboard.go": {404, "text/plain; charset=utf-8", policy, ""},
	} {
		got := w.ask(t, "GET", path, "", nil)
		require.Equal(t, want.status, got.status, path)
		for name, value := range map[string]string{
			"Content-Security-Policy": want.policy, "X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer",
			"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
			"Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=()",
			"Server":             "", "X-Powered-By": "", "Access-Control-Allow-Origin": "", "Set-Cookie": "",
		} {
			require.Equal(t, value, got.header.Get(name), "%s of %s", name, path)
		}
		if want.kind != "" {
			require.Equal(t, want.kind, got.header.Get("Content-Type"), path)
		}
		require.Equal(t, want.cacheable, got.header.Get("Cache-Control"), path)
		require.NotContains(t, got.text, "package main", path)
	}
	for _, rule := range []string{"default-src 'self'", "object-src 'none'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'"} {
		require.Contains(t, policy, rule)
	}
	require.NotContains(t, policy, "unsafe")
}

// strange are texts that are not the id of anything.
var strange = map[string]string{
	"up":              "..%2f..%2f..%2fetc%2fpasswd",
	"dots":            "%2e%2e",
	"NUL":             "ann%00",
	"a line":          "ann%0d%0aSet-Cookie:%20x=y",
	"10 KB":           strings.Repeat("a", 10<<10),
	"invalid UTF-8":   "%ff%fe",
	"a cut rune":      "ann.%e2%82",
	"markup":          "%3Cscript%3Ealert(1)%3C%2Fscript%3E",
	"an expression":   "$%7Bjndi:ldap:%2F%2Fevil.test%7D",
	"a key separator": "a%23b%23c",
	"an emoji":        "%F0%9F%92%A5",
}

func strangePathsAreRefused(t *testing.T, w *world) {
	before := w.stored(t)
	mayBeAnything := regexp.MustCompile(`^DELETE |/api/bell/groups/`) // what is not there is not taken away
	for _, pattern := range append([]string{"GET /pictures/{file}.svg", "GET /avatars/{file}.svg"}, w.api.patterns...) {
		if !strings.Contains(pattern, "{") {
			continue
		}
		method, path, _ := strings.Cut(pattern, " ")
		for name, text := range strange {
			body := ""
			if method != http.MethodGet {
				body = "{}"
			}
			got := w.ask(t, method, placeholder.ReplaceAllLiteralString(path, text), body, nil)
			require.Less(t, got.status, 500, "%s with %s: %s", pattern, name, got.text)
			require.NotContains(t, got.header, "Set-Cookie")
			if !mayBeAnything.MatchString(pattern) {
				require.GreaterOrEqual(t, got.status, 300, "%s with %s: %s", pattern, name, got.text)
			}
		}
	}
	for _, pattern := range w.api.patterns {
		if method, path, _ := strings.Cut(pattern, " "); method == http.MethodGet {
			for _, query := range []string{"?cursor=%00", "?cursor=%ff", "?cursor=" + strings.Repeat("A", 10<<10), "?period=%00", "?period=..", "?object=%00", "?root=%ff", "?%ff=%ff", "?a=%zz", "?cursor=a;b"} {
				got := w.ask(t, method, placeholder.ReplaceAllString(path, "ann")+query, "", nil)
				require.GreaterOrEqual(t, got.status, 400, "%s%s", pattern, query)
				require.Less(t, got.status, 500, "%s%s: %s", pattern, query, got.text)
			}
		}
	}
	after := slices.DeleteFunc(different(before, w.stored(t)), func(what string) bool { return strings.Contains(what, "H#ann") }) // an unfollow marks one's own home
	require.Empty(t, after)
}

// Each text of each body is replaced by what no text should be.
func TestStrangeBodiesAreRefusedOrStoredAsText(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.unlimited()
	w.as(t, "ann").pin("the first")
	for pattern, arrange := range faults.Sample(8, writes()) {
		one := arrange(scene{w, t})
		method, _, _ := strings.Cut(pattern, " ")
		var fields map[string]any
		require.NoError(t, json.Unmarshal([]byte(encoded(t, one.body)), &fields))
		for name := range maps.Clone(fields) {
			was := fields[name]
			for _, other := range []any{"a\x00b", strings.Repeat("x", 10<<10), "\u202e\ufffe", "<script>", "../..", -1, 1e300, nil, []any{map[string]any{}}, map[string]any{"$ne": 1}} {
				fields[name] = other
				got := w.ask(t, method, one.path, encoded(t, fields), map[string]string{whoHeader: one.as})
				require.Less(t, got.status, 500, "%s with %s %.50v: %s", pattern, name, other, got.text)
			}
			fields[name] = was
		}
		for _, body := range []string{"{", "[]", `"x"`, "null", `{"__proto__":{}}`, "{\"a\":\"\xff\"}", strings.Repeat("[", 10_000), `{"x":` + strings.Repeat(" ", maxBody) + `1}`} {
			got := w.ask(t, method, one.path, body, map[string]string{whoHeader: one.as})
			require.Less(t, got.status, 500, "%s with %.20q: %s", pattern, body, got.text)
		}
	}
}

// hostile is a text that would run if anything took it for HTML.
const hostile = `"><img src=x onerror="hacked=1"><script>hacked=1</script>`

// markedUp has hostile texts wherever people can write, and returns where it shows.
func (w *world) markedUp(t *testing.T) []string {
	t.Helper()
	ann, eric, mia := w.as(t, "ann"), w.as(t, "eric"), w.as(t, "mia")
	eric.follow("ann")
	board := ann.makeBoard(hostile)
	body := ann.draw(hostile, board)
	picture := body.Picture
	call[saved](ann, "POST", "/api/pins", body)
	root := ann.comment(picture, remarkBody{Text: "Comment @eric " + hostile, Key: "1"})
	eric.comment(picture, remarkBody{Text: "Quote " + hostile, Key: "2", Quote: root.ID.String()})
	eric.comment(picture, remarkBody{Text: "Reply " + hostile, Key: "3", Root: root.ID.String()})
	ann.says("eric", "1", "Message "+hostile)
	eric.report("picture:"+picture, "Reason "+hostile)
	eric.report("comment:"+picture+"/"+root.ID.String(), "Reason "+hostile)
	mia.moderate("1", "dismiss", complaint{Object: "comment:" + picture + "/" + root.ID.String(), Reason: "Why " + hostile})
	w.points(t, map[string]int64{"ann": 1})
	return []string{"/", "/pins/" + picture, "/boards/" + board, "/people/ann", "/messages/ann", "/moderation", "/weekly", "/bell", "/settings", "/tags/%3Cscript%3E", "/people/%3Cimg%20src=x%20onerror=hacked=1%3E", "/pins/%22%3E%3Cscript%3Ehacked=1%3C%2Fscript%3E"}
}

func markupStaysText(t *testing.T, w *world, b browsertest.Browser) {
	p := b.Window(t, "Failed to load resource") // where there is nothing
	for i, path := range w.markedUp(t) {
		person := "eric"
		if path == "/moderation" {
			person = "mia"
		}
		openAs(p, w.server.URL, person, path)
		switch {
		case i < 6:
			p.Until(`document.body.innerText.includes("<script>hacked=1</script>")`)
		default:
			p.Until(`document.querySelector("main > *") && !document.querySelector("main .skeleton")`)
		}
		stayText(t, p, path)
	}
}

// stayText fails if a hostile text became part of a page.
func stayText(t *testing.T, p browsertest.Window, shows string) {
	t.Helper()
	require.False(t, browsertest.Eval[bool](p, `"hacked" in window || !!document.querySelector("img[src='x'], main script, main [onerror]")`), shows)
}

// otherSite is a page of another site that tries everything a browser allows, while its
// visitor has Pinboard open.
func otherSite(t *testing.T, w *world, b browsertest.Browser) {
	picture := w.as(t, "ann").pin("Dawn")
	before := w.stored(t)
	evil := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, _ *http.Request) {
		out.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprintf(out, `<!doctype html><link rel="icon" href="data:,">
			<form method="post" enctype="text/plain" action="%[1]s/api/boards" target="sink"><input name='{"name":"hacked","x":"' value='"}'></form>
			<iframe name="sink"></iframe><iframe id="framed" src="%[1]s/weekly?as=ann"></iframe>`, w.server.URL)
	}))
	defer evil.Close()
	_, port, err := net.SplitHostPort(evil.Listener.Addr().String())
	require.NoError(t, err)
	p := b.Window(t, "refused to connect", "Content-Security-Policy", "frame-ancestors", "Framing", "CORS", "ERR_", "Failed to load", "status of", "MIME")
	p.Open("http://evil.test:" + port)
	got := browsertest.Eval[[]string](p, fmt.Sprintf(`(async () => {
		const got = [], target = %q, picture = %q;
		for (const [method, path, body] of [
			["POST", "/api/boards", '{"name":"hacked"}'], ["PUT", "/api/follows/mia", "{}"], ["PUT", "/api/pins/" + picture + "/like", "{}"],
			["POST", "/api/talks/eric/messages", '{"key":"k","text":"hacked"}'], ["DELETE", "/api/pins/" + picture, "{}"],
			["GET", "/api/home"], ["GET", "/api/inbox"], ["GET", "/api/people"], ["GET", "/api/costs"],
		]) {
			for (const headers of [{}, { "Pinboard-User": "ann" }, { "Pinboard-User": "ann", "Content-Type": "application/json" }, { "Content-Type": "text/plain" }]) {
				for (const mode of ["cors", "no-cors"]) {
					await fetch(target + path, { method, mode, body, credentials: "include", headers }).then((answer) => { if (answer.ok) got.push(method + path); }, () => {});
				}
			}
		}
		document.forms[0].submit();
		navigator.sendBeacon(target + "/api/boards", '{"name":"hacked"}');
		const loads = (element) => new Promise((done) => { element.onload = () => done(true); element.onerror = () => done(false); document.body.append(element); });
		if (await loads(Object.assign(new Image(), { src: target + "/pictures/" + picture + ".svg" }))) got.push("image");
		if (await loads(Object.assign(document.createElement("script"), { src: target + "/api/people" }))) got.push("script");
		if (await loads(Object.assign(document.createElement("script"), { type: "module", src: target + "/main.js" }))) got.push("module");
		const source = new EventSource(target + "/api/events?as=ann");
		await new Promise((done) => { source.onerror = done; source.onopen = () => { got.push("stream"); done(); }; });
		try { if (document.getElementById("framed").contentDocument?.querySelector("main")) got.push("frame"); } catch { /* another origin */ }
		const opened = window.open(target + "/weekly?as=ann");
		await new Promise((done) => setTimeout(done));
		try { if (opened?.document?.querySelector("main")) got.push("window"); } catch { /* another origin */ }
		opened?.close();
		return got;
	})()`, w.server.URL, picture))
	require.Empty(t, got)
	require.Empty(t, different(before, w.stored(t)))
}

// The SVG of a picture runs no script even if one got in, and opens nothing.
func aDrawingIsServedWithoutTheRightToRunScripts(t *testing.T, w *world) {
	got := w.ask(t, "GET", "/pictures/"+w.as(t, "ann").pin("Dawn")+".svg", "", nil)
	require.Contains(t, got.header.Get("Content-Security-Policy"), "sandbox")
	require.True(t, strings.HasPrefix(got.text, "<svg"))
	require.NotContains(t, got.text, "<script")
	require.NotContains(t, strings.ReplaceAll(got.text, `xmlns="http://www.w3.org/2000/svg"`, ""), "://")
}
