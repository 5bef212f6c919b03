package main

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/notify/digest"
)

// Requests that are wrong whatever is stored. The others are with their features.
func wrongRequestsAreRefused(t *testing.T, w *world) {
	w.as(t, "nobody").refused(http.StatusUnauthorized, http.MethodGet, "/api/costs", nil)
	elena := w.as(t, "elena")
	picture := elena.pin("Dawn")
	before := w.stored(t)
	on := func(verb, channel string) any { return map[string]any{"verb": verb, "channel": channel, "on": true} }
	text := func(text string) any { return map[string]string{"key": "2", "text": text} }
	members := func(all ...string) any { return map[string]any{"members": all} }
	for _, c := range []struct {
		status int
		route  string
		field  string // if not empty
		body   any
	}{
		{400, "GET /api/costs?after=x", "after", nil},
		{400, "GET /api/costs?before=1", "query", nil},
		{400, "GET /api/home?cursor=x", "Cursor", nil},
		{400, "GET /api/home?limit=1000", "query", nil},
		{400, "GET /api/weekly?period=x", "", nil},
		{400, "GET /api/weekly?cursor=x", "", nil},
		{400, "GET /api/weekly?board=x", "", nil},

		{400, "POST /api/boards", "name", boardData{""}},
		{400, "POST /api/boards", "name", boardData{"  "}},
		{400, "POST /api/boards", "name", boardData{"!?"}},
		{400, "POST /api/boards", "name", boardData{strings.Repeat("x", maxName+1)}},
		{404, "GET /api/boards/x", "", nil},
		{404, "GET /api/boards/x/pins", "", nil},
		{404, "GET /api/tags/x", "", nil},
		{404, "GET /api/tags/x/pins", "", nil},

		{404, "GET /api/people/nobody", "", nil},
		{404, "GET /api/people/nobody/pins", "", nil},
		{404, "GET /api/people/nobody/boards", "", nil},
		{404, "GET /api/people/nobody/followers", "", nil},
		{400, "PUT /api/follows/:x", "", nothing{}},
		{400, "PUT /api/follows/elena", "", nothing{}},
		{404, "PUT /api/follows/nobody", "", nothing{}},
		{404, "PUT /api/follows/board:elena.none", "", nothing{}},
		{404, "PUT /api/follows/board:nobody.places", "", nothing{}},
		{404, "PUT /api/follows/tag:none", "", nothing{}},
		{404, "PUT /api/follows/boards:daichi", "", nothing{}},
		{404, "PUT /api/follows/picture:x", "", nothing{}},

		{400, "PUT /api/bell/groups/x/archived", "", nothing{}},
		{400, "PUT /api/bell/groups/x/snoozed", "", map[string]string{"until": "soon"}},
		{400, "PUT /api/bell/read", "", map[string]int{"other": 1}},
		{400, "DELETE /api/bell/announcements/x", "", nil},
		{400, "GET /api/bell?cursor=x", "", nil},
		{400, "GET /api/bell?limit=1", "", nil},

		{400, "PUT /api/settings", "", on("other", email)},
		{400, "PUT /api/settings", "", on(like, "sms")},
		{400, "PUT /api/settings", "", map[string]any{"verb": like, "channel": email}},
		{400, "PUT /api/settings/digest", "", rhythm{Every: "year"}},
		{400, "PUT /api/settings/digest", "", rhythm{Every: "day", At: "25:00"}},
		{400, "PUT /api/settings/digest", "", rhythm{Every: "day", At: "08:00", Zone: "Nowhere/Else"}},
		{400, "PUT /api/settings/digest", "", rhythm{Every: "hour", Quiet: digest.Quiet{From: "22:00"}}},
		{400, "POST /api/digests", "", map[string]string{}},
		{400, "PUT /api/muted/:x", "", nothing{}},
		{404, "PUT /api/muted/picture:nobody.1", "", nothing{}},
		{404, "PUT /api/blocked/nobody", "", nothing{}},

		{400, "POST /api/talks/elena/messages", "", text("to myself")},
		{400, "POST /api/talks/elif/messages", "", text("")},
		{400, "POST /api/talks/elif/messages", "", map[string]string{"text": "no key"}},
		{400, "PUT /api/talks/elif/messages/x", "", text("x")},
		{400, "PUT /api/talks/elif", "", members("elin")},
		{404, "POST /api/talks/nobody/messages", "", text("x")},
		{403, "GET /api/talks/group_none/messages", "", nil},
		{400, "PUT /api/talks/group_g", "", members("nobody")},
		{404, "PUT /api/talks/group_", "", members("elif")},
		{404, "PUT /api/talks/group_%2e%2e%2f", "", members("elif")},
		{404, "PUT /api/talks/group_%E2%80%AEg", "", members("elif")},
		{404, "PUT /api/talks/group_%0A", "", members("elif")},
		{404, "PUT /api/talks/group_" + strings.Repeat("g", 65), "", members("elif")},
	} {
		method, path, _ := strings.Cut(c.route, " ")
		got := elena.refused(c.status, method, path, c.body)
		if c.field != "" {
			require.Equal(t, c.field, got.Field, "%s %v", c.route, c.body)
		}
	}

	mia := w.as(t, "mia")
	for _, object := range []string{"", "picture", "picture:", "picture:elena", "picture:elena.x", "picture:" + picture + "/1", "comment:" + picture, "comment:" + picture + "/x", "person:elena", "picture:../" + picture, strings.Repeat("x", 5000)} {
		about := complaint{Object: object}
		require.Equal(t, "object", mia.refused(http.StatusBadRequest, "PUT", "/api/reports", about).Field, object)
		require.Equal(t, "object", mia.refused(http.StatusBadRequest, "POST", "/api/moderation/actions", verdict{about, "k", "dismiss"}).Field, object)
	}
	it := complaint{Object: "picture:" + picture}
	require.Equal(t, "reason", mia.refused(http.StatusBadRequest, "PUT", "/api/reports", complaint{it.Object, strings.Repeat("x", maxReason+1)}).Field)
	require.Equal(t, "action", mia.refused(http.StatusBadRequest, "POST", "/api/moderation/actions", verdict{it, "k", "hide"}).Field)
	require.Equal(t, "key", mia.refused(http.StatusBadRequest, "POST", "/api/moderation/actions", verdict{it, "", "remove"}).Field)
	missing, err := w.ids.Next(t.Context())
	require.NoError(t, err)
	for _, object := range []string{"picture:elena." + missing.String(), "picture:nobody." + strings.TrimPrefix(picture, "elena."), "comment:" + picture + "/" + missing.String()} {
		mia.refused(http.StatusNotFound, "PUT", "/api/reports", complaint{Object: object})
	}
	require.Empty(t, different(before, w.stored(t)))
}
