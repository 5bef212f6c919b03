package main

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/notify"
)

func requestsOfOtherSitesAreNotStored(t *testing.T, w world) {
	w.busy(t, "hans", "hedy")
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
		"a mark, cross-site":   {"PUT", "/users/hedy/notifications/seen", map[string]string{"Content-Type": "application/json", "Sec-Fetch-Site": "cross-site"}, 403, "origin"},
		"archiving, same-site": {"PUT", group + "/archived", map[string]string{"Sec-Fetch-Site": "same-site"}, 403, "origin"},
		"a block elsewhere":    {"PUT", "/users/hedy/blocked/hans", map[string]string{"Origin": "http://evil.test"}, 403, "origin"},
		"announcing, a form":   {"POST", "/announcements", map[string]string{"Content-Type": "text/plain"}, 415, "content-type"},
		"a message, a form":    {"POST", "/users/hedy/conversations/hans%23hedy/messages", map[string]string{"Content-Type": "text/plain"}, 415, "content-type"},
		"a message elsewhere":  {"POST", "/users/hedy/conversations/hans%23hedy/messages", map[string]string{"Content-Type": "application/json", "Origin": "http://evil.test"}, 403, "origin"},
		"a recall, cross-site": {"DELETE", "/users/hans/conversations/hans%23hedy/messages/1", map[string]string{"Sec-Fetch-Site": "cross-site"}, 403, "origin"},
		"a group, rebound":     {"PUT", "/users/hedy/groups/g", map[string]string{"Content-Type": "application/json", "Host": "evil.test"}, 421, "host"},
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

func everyAnswerKeepsOtherSitesOut(t *testing.T, w world) {
	for _, path := range []string{"/users/jack/counts", "/users/jack/home?limit=x", "/nowhere", "/leaderboard/none"} {
		header := w.send(t, "GET", path, "").header
		require.Equal(t, "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'", header.Get("Content-Security-Policy"), path)
		require.Equal(t, "no-referrer", header.Get("Referrer-Policy"), path)
		require.Equal(t, "nosniff", header.Get("X-Content-Type-Options"), path)
	}
}
