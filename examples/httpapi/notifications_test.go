package main

import (
	"encoding/json"
	"fmt"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/notify"
)

// view is what a list of a user showed, as its page sends it back.
func (w world) view(t *testing.T, user string) string {
	t.Helper()
	var page struct {
		View json.RawMessage `json:"view"`
	}
	require.NoError(t, json.Unmarshal([]byte(w.send(t, "GET", "/users/"+user+"/notifications", "").text), &page))
	return string(page.View)
}

// group is the name of a user's group of a verb, for a path.
func (w world) group(t *testing.T, user, verb string) string {
	t.Helper()
	for _, e := range w.entries(t, user) {
		if e.Activity.Verb == verb {
			return url.PathEscape(e.Group)
		}
	}
	require.Fail(t, "no group of "+verb)
	return ""
}

func (w world) unseen(t *testing.T, user string) int {
	t.Helper()
	return done[notify.Count](t, w.send(t, "GET", "/users/"+user+"/bell", "")).N
}

// states are whether each notification is seen and read, newest first.
func (w world) states(t *testing.T, user string) (states []string) {
	t.Helper()
	for _, e := range w.entries(t, user) {
		states = append(states, fmt.Sprintf("%s seen=%t read=%t", e.Activity.Verb, e.Seen, e.Read))
	}
	return states
}

// busy is a world in which bob was followed, liked and commented on, in this order.
func busy(t *testing.T) world {
	t.Helper()
	w := newWorld(t)
	w.busy(t, "ann", "bob")
	return w
}

// busy lets a user follow another one, and like a picture of theirs and comment on it.
func (w world) busy(t *testing.T, user, other string) {
	t.Helper()
	picture := "/objects/picture:" + other + ":1"
	done[followed](t, w.send(t, "PUT", "/users/"+user+"/following/"+other, ""))
	done[change](t, w.send(t, "PUT", picture+"/reactions/like/"+user, ""))
	done[remark](t, w.send(t, "POST", picture+"/comments", `{"user":"`+user+`","text":"a"}`))
}

func notificationsAreSeenReadAndUnread(t *testing.T, w world) {
	w.busy(t, "frida", "gail")
	const mine = "/users/gail/notifications"
	require.Equal(t, 3, w.unseen(t, "gail"))
	view := w.view(t, "gail")
	require.NotContains(t, view, `"newest":""`)
	done[change](t, w.send(t, "PUT", "/objects/picture:gail:2/reactions/like/frida", "")) // the view did not show it
	for range 2 {
		require.Equal(t, "{}\n", w.send(t, "PUT", mine+"/seen", view).text)
		require.Equal(t, []string{"like seen=false read=false", "comment seen=true read=false", "like seen=true read=false", "follow seen=true read=false"}, w.states(t, "gail"))
		require.Equal(t, 1, w.unseen(t, "gail"))
	}
	follow := w.entries(t, "gail")[3]
	body, err := json.Marshal(map[string][]notify.Shown{"shown": {{Group: follow.Group, Last: follow.Last}}})
	require.NoError(t, err)
	done[none](t, w.send(t, "PUT", mine+"/read", string(body)))
	require.Equal(t, "follow seen=true read=true", w.states(t, "gail")[3])
	at := mine + "/groups/" + url.PathEscape(follow.Group) + "/read"
	for i, changed := range []bool{true, false} {
		require.Equal(t, changed, done[change](t, w.send(t, "DELETE", at, "")).Changed, "call %d", i)
	}
	require.Equal(t, "follow seen=true read=false", w.states(t, "gail")[3])

	done[none](t, w.send(t, "PUT", mine+"/allread", w.view(t, "gail")))
	require.Equal(t, []string{"like seen=true read=true", "comment seen=true read=true", "like seen=true read=true", "follow seen=true read=true"}, w.states(t, "gail"))
	require.Zero(t, w.unseen(t, "gail"))
}

func notificationsAreArchivedAndSnoozed(t *testing.T, w world) {
	w.busy(t, "georg", "gilbert")
	const mine = "/users/gilbert/notifications"
	changes := func(want bool, method, path, body string) {
		t.Helper()
		require.Equal(t, want, done[change](t, w.send(t, method, path, body)).Changed)
	}
	verbs := func(list string) []string {
		t.Helper()
		verbs := []string{}
		for _, e := range done[cursor.Page[notify.Entry]](t, w.send(t, "GET", mine+list, "")).Items {
			verbs = append(verbs, e.Activity.Verb)
		}
		return verbs
	}
	like := mine + "/groups/" + w.group(t, "gilbert", "like")
	changes(true, "PUT", like+"/archived", "")
	changes(false, "PUT", like+"/archived", "")
	require.Equal(t, []string{"comment", "follow"}, verbs(""))
	require.Equal(t, []string{"like"}, verbs("/archived"))
	require.Equal(t, 2, w.unseen(t, "gilbert"))
	changes(true, "DELETE", like+"/archived", "")
	changes(false, "DELETE", like+"/archived", "")
	require.Equal(t, []string{"comment", "like", "follow"}, verbs(""))

	until := time.Now().Add(time.Hour).UTC().Truncate(time.Second)
	changes(true, "PUT", like+"/snoozed", `{"until":"`+until.Format(time.RFC3339)+`"}`)
	require.Equal(t, []string{"comment", "follow"}, verbs(""))
	require.Equal(t, []string{"like"}, verbs("/snoozed"))
	require.Equal(t, until, done[cursor.Page[notify.Entry]](t, w.send(t, "GET", mine+"/snoozed", "")).Items[0].Until.UTC())
	changes(true, "DELETE", like+"/snoozed", "")
	require.Equal(t, []string{"comment", "like", "follow"}, verbs(""))

	changes(true, "PUT", like+"/archived", "")
	done[change](t, w.send(t, "PUT", "/objects/picture:gilbert:1/reactions/like/greta", "")) // brings it back
	require.Equal(t, []string{"like", "comment", "follow"}, verbs(""))
	unknown := mine + "/groups/" + url.PathEscape("picture:gilbert:9#like#2026-01-01")
	changes(false, "PUT", unknown+"/archived", "")
}

func notificationsArePaged(t *testing.T, w world) {
	w.busy(t, "gus", "hal")
	var verbs []string
	for next := ""; ; {
		page := done[shown](t, w.send(t, "GET", "/users/hal/notifications?limit=2&cursor="+next, ""))
		for _, e := range page.Items {
			verbs = append(verbs, e.Activity.Verb)
		}
		if next = string(page.Next); next == "" {
			break
		}
	}
	require.Equal(t, []string{"comment", "like", "follow"}, verbs)
}
