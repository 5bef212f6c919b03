package main

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/examples/internal/browsertest"
	"github.com/plaza-sdk/plaza/notify"
)

func requestsOfOtherSitesAreNotStored(t *testing.T, w world) {
	w.busy(t, "hans", "hedy")
	unsubscribe := done[link](t, w.send(t, "GET", "/users/hedy/unsubscribe?verb=follow&channel=email", "")).Path
	group := "/users/hedy/notifications/groups/" + w.group(t, "hedy", "like")
	before := w.items(t)
	for name, c := range map[string]struct {
		method, path string
		headers      map[string]string
		status       int
		field        string
	}{
		"a text":               {"POST", "/users/heidi/activities", map[string]string{"Content-Type": "text/plain"}, 415, "content-type"},
		"a form":               {"POST", "/users/heidi/activities", map[string]string{"Content-Type": "application/x-www-form-urlencoded"}, 415, "content-type"},
		"JSON, cross-site":     {"POST", "/users/heidi/activities", map[string]string{"Content-Type": "application/json", "Sec-Fetch-Site": "cross-site"}, 403, "origin"},
		"JSON, another origin": {"POST", "/users/heidi/activities", map[string]string{"Content-Type": "application/json", "Origin": "http://evil.test"}, 403, "origin"},
		"JSON, another host":   {"POST", "/users/heidi/activities", map[string]string{"Content-Type": "application/json", "Host": "evil.test"}, 421, "host"},
		"a follow, cross-site": {"PUT", "/users/herbert/following/heidi", map[string]string{"Sec-Fetch-Site": "cross-site"}, 403, "origin"},
		"a like elsewhere":     {"PUT", "/objects/picture:27/reactions/like/herbert", map[string]string{"Host": "evil.test", "Origin": "http://evil.test"}, 421, "host"},
		"an id, cross-site":    {"POST", "/ids", map[string]string{"Sec-Fetch-Site": "cross-site"}, 403, "origin"},
		"a stream, cross-site": {"GET", "/users/hedy/bell/live", map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "empty"}, 403, "origin"},
		"a framed page":        {"GET", "/bell/", map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "iframe"}, 403, "origin"},
		"a mark, cross-site":   {"PUT", "/users/hedy/notifications/seen", map[string]string{"Content-Type": "application/json", "Sec-Fetch-Site": "cross-site"}, 403, "origin"},
		"archiving, same-site": {"PUT", group + "/archived", map[string]string{"Sec-Fetch-Site": "same-site"}, 403, "origin"},
		"a block elsewhere":    {"PUT", "/users/hedy/blocked/hans", map[string]string{"Origin": "http://evil.test"}, 403, "origin"},
		"announcing, a form":   {"POST", "/announcements", map[string]string{"Content-Type": "text/plain"}, 415, "content-type"},
		"a message, a form":    {"POST", "/users/hedy/conversations/hans%23hedy/messages", map[string]string{"Content-Type": "text/plain"}, 415, "content-type"},
		"a message elsewhere":  {"POST", "/users/hedy/conversations/hans%23hedy/messages", map[string]string{"Content-Type": "application/json", "Origin": "http://evil.test"}, 403, "origin"},
		"a recall, cross-site": {"DELETE", "/users/hans/conversations/hans%23hedy/messages/1", map[string]string{"Sec-Fetch-Site": "cross-site"}, 403, "origin"},
		"a group, rebound":     {"PUT", "/users/hedy/groups/g", map[string]string{"Content-Type": "application/json", "Host": "evil.test"}, 421, "host"},
		"typing, same-site":    {"PUT", "/users/hedy/conversations/hans%23hedy/typing", map[string]string{"Sec-Fetch-Site": "same-site"}, 403, "origin"},
		"a talk, cross-site":   {"GET", "/users/hedy/inbox/live", map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "empty"}, 403, "origin"},
		"framed messages":      {"GET", "/messages/", map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "iframe"}, 403, "origin"},
		"one click, another's": {"POST", unsubscribe, map[string]string{"Content-Type": "application/x-www-form-urlencoded", "Origin": "http://evil.test"}, 403, "origin"},
		"one click, rebound":   {"POST", unsubscribe, map[string]string{"Content-Type": "application/x-www-form-urlencoded", "Host": "evil.test"}, 421, "host"},
		"a script's source":    {"GET", "/users/herbert/home", map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "script"}, 403, "origin"},
	} {
		r, err := http.NewRequestWithContext(t.Context(), c.method, w.URL+c.path, strings.NewReader(`{"verb":"add"}`))
		require.NoError(t, err)
		for header, value := range c.headers {
			r.Header.Set(header, value)
		}
		r.Host = r.Header.Get("Host")
		got := refused(t, w.do(t, r), c.status)
		require.Equal(t, c.field, got.Field, name)
	}
	require.Equal(t, before, w.items(t))
	require.Len(t, w.entries(t, "hedy"), 3)
	require.Equal(t, 3, w.unseen(t, "hedy"))
	require.True(t, w.mailed(t, "hedy", followVerb))
	require.Zero(t, w.service.hub.Present("hedy"))
}

func nobodyActsOnAnothersBell(t *testing.T, w world) {
	w.busy(t, "hilda", "hubert")
	group, view := w.group(t, "hubert", "like"), w.view(t, "hubert")
	of := done[cursor.Page[notify.Entry]](t, w.send(t, "GET", "/users/hubert/notifications?limit=1", ""))
	before := w.send(t, "GET", "/users/hubert/notifications", "").text

	const hildas = "/users/hilda/notifications"
	until := `{"until":"` + time.Now().Add(time.Hour).Format(time.RFC3339) + `"}`
	for _, c := range []struct{ method, path, body string }{
		{"PUT", "/archived", ""}, {"DELETE", "/archived", ""}, {"PUT", "/snoozed", until}, {"DELETE", "/snoozed", ""}, {"DELETE", "/read", ""},
	} {
		require.False(t, done[change](t, w.send(t, c.method, hildas+"/groups/"+group+c.path, c.body)).Changed, c)
	}
	done[none](t, w.send(t, "PUT", hildas+"/seen", view))
	done[none](t, w.send(t, "PUT", hildas+"/allread", view))
	require.Equal(t, "cursor", refused(t, w.send(t, "GET", hildas+"?cursor="+string(of.Next), ""), http.StatusBadRequest).Field)
	require.Equal(t, "cursor", refused(t, w.send(t, "GET", "/users/hubert/notifications/archived?cursor="+string(of.Next), ""), http.StatusBadRequest).Field)
	listed := regexp.MustCompile(`"(listed|at)":"\w+"|"(next|prev)":"[^"]*"`) // different in each answer
	require.Equal(t, listed.ReplaceAllString(before, ""), listed.ReplaceAllString(w.send(t, "GET", "/users/hubert/notifications", "").text, ""))
	require.Equal(t, 3, w.unseen(t, "hubert"))
}

func aMadeUpMarkCoversNothingThatIsToCome(t *testing.T, w world) {
	w.busy(t, "igor", "ike")
	ahead := fromNow(24 * time.Hour)
	for _, mark := range []string{"seen", "allread"} {
		done[none](t, w.send(t, "PUT", "/users/ike/notifications/"+mark, `{"at":"`+ahead+`","newest":"`+ahead+`","recent":["`+ahead+`"]}`))
	}
	done[change](t, w.send(t, "PUT", "/objects/picture:ike:2/reactions/like/igor", ""))
	require.Equal(t, "like seen=false read=false", w.states(t, "ike")[0])
}

func thePageComesOnlyFromThisServer(t *testing.T, w world) {
	for path, kind := range map[string]string{
		"/bell/": "text/html", "/bell/main.js": "text/javascript", "/bell/style.css": "text/css",
		"/messages/": "text/html", "/messages/main.js": "text/javascript", "/messages/style.css": "text/css",
		"/shared/call.js": "text/javascript", "/shared/base.css": "text/css",
	} {
		a := w.follow(t, "GET", path, "", "")
		require.Equal(t, http.StatusOK, a.status, path)
		require.Contains(t, a.header.Get("Content-Type"), kind)
		require.NotContains(t, a.text, "://")
		require.NotContains(t, a.text, "innerHTML")
		policy := a.header.Get("Content-Security-Policy")
		require.NotContains(t, policy, "unsafe")
		for _, rule := range []string{"default-src 'none'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'"} {
			require.Contains(t, policy, rule, path)
		}
	}
	for _, path := range []string{"/bell/..%2fmain.go", "/bell/%2e%2e/main.go", "/bell/unsubscribe.html", "/bell/main.go", "/bell/..%5cmain.go", "/shared/", "/shared/none.js", "/bell/%2e%2e/", "/bell/%2e%2e", "/messages/%2e%2e/", "/shared/%2e%2e", "/shared/%2e", "/bell/%2e%2e/shared/"} {
		a := w.follow(t, "GET", path, "", "")
		require.GreaterOrEqual(t, a.status, 400, path)
		require.NotContains(t, a.text, "package main")
		require.NotContains(t, a.text, "{{")
		require.NotContains(t, a.text, "<a href")
	}
}

func everyAnswerKeepsOtherSitesOut(t *testing.T, w world) {
	for _, path := range []string{"/users/jack/counts", "/users/jack/home?limit=x", "/nowhere", "/leaderboard/none"} {
		header := w.send(t, "GET", path, "").header
		require.Equal(t, "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'", header.Get("Content-Security-Policy"), path)
		require.Equal(t, "no-referrer", header.Get("Referrer-Policy"), path)
		require.Equal(t, "nosniff", header.Get("X-Content-Type-Options"), path)
	}
}

// A page of another site tries everything that a browser allows, while its visitor runs
// the service.
func otherSite(t *testing.T, b browsertest.Browser) {
	w := busy(t)
	unsubscribe := done[link](t, w.send(t, "GET", "/users/bob/unsubscribe?verb=follow&channel=email", "")).Path
	group := "/users/bob/notifications/groups/" + w.group(t, "bob", "like")
	before := w.items(t)
	evil := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, _ *http.Request) {
		out.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprintf(out, `<!doctype html><link rel="icon" href="data:,">
			<form method="post" action="%[1]s%[2]s" target="sink"><input name="List-Unsubscribe" value="One-Click"></form>
			<iframe name="sink"></iframe><iframe id="framed" src="%[1]s/bell/?user=bob"></iframe>`, w.URL, unsubscribe)
	}))
	defer evil.Close()
	p := b.Window(t, "refused to connect", "Content-Security-Policy", "frame-ancestors", "Framing", "CORS", "ERR_", "Failed to load", "status of")
	_, port, err := net.SplitHostPort(evil.Listener.Addr().String())
	require.NoError(t, err)
	p.Open("http://evil.test:" + port)
	got := browsertest.Eval[[]string](p, fmt.Sprintf(`(async () => {
		const got = [], target = %q;
		for (const [method, path, type, body] of [
			["POST", %[2]q, "application/x-www-form-urlencoded", "List-Unsubscribe=One-Click"],
			["POST", "/announcements", "text/plain", '{"title":"a","until":"2030-01-01T00:00:00Z"}'],
			["PUT", %[3]q + "/archived"],
			["PUT", "/users/bob/notifications/seen", "application/json", "{}"],
			["PUT", "/users/bob/blocked/ann"],
			["POST", "/users/bob/conversations/ann%%23bob/messages", "application/json", '{"key":"k","text":"a"}'],
			["GET", "/users/bob/conversations/ann%%23bob/messages"],
			["GET", "/users/bob/notifications"],
		]) {
			for (const mode of ["cors", "no-cors"]) {
				await fetch(target + path, { method, mode, body, credentials: "include", headers: type && { "Content-Type": type } })
					.then((answer) => { if (answer.ok) got.push(method + path); }, () => {});
			}
		}
		document.forms[0].submit();
		navigator.sendBeacon(target + %[2]q, new URLSearchParams("List-Unsubscribe=One-Click"));
		const source = new EventSource(target + "/users/bob/bell/live");
		await new Promise((done) => { source.onerror = done; source.onopen = () => { got.push("streams"); done(); }; });
		return got;
	})()`, w.URL, unsubscribe, group))
	require.Empty(t, got)
	require.Equal(t, before, w.items(t))
	require.Len(t, w.entries(t, "bob"), 3)
	require.True(t, w.mailed(t, "bob", followVerb))
	require.Zero(t, w.service.hub.Present("bob"))
}
