package main

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/notify/prefs"
)

// mailed reports whether a user gets mails of a verb.
func (w world) mailed(t *testing.T, user, verb string) bool {
	t.Helper()
	all := done[[]prefs.Setting](t, w.send(t, "GET", "/users/"+user+"/settings", ""))
	i := slices.IndexFunc(all, func(s prefs.Setting) bool { return s.Verb == verb && s.Channel == email })
	require.NotEqual(t, -1, i)
	return all[i].On
}

func peopleChooseWhatTheyAreToldOf(t *testing.T, w world) {
	const settings = "/users/irma/settings"
	changes := func(want bool, method, path, body string) {
		t.Helper()
		require.Equal(t, want, done[change](t, w.send(t, method, path, body)).Changed, body)
	}
	changes(true, "PUT", settings, `{"verb":"like","channel":"in-app","on":false}`)
	changes(false, "PUT", settings, `{"verb":"like","channel":"in-app","on":false}`)
	done[change](t, w.send(t, "PUT", "/objects/picture:irma:1/reactions/like/inga", ""))
	require.Empty(t, w.told(t, "irma"))
	changes(true, "DELETE", settings+"?verb=like&channel=in-app", "")
	changes(false, "DELETE", settings+"?verb=like&channel=in-app", "")
	done[change](t, w.send(t, "PUT", "/objects/picture:irma:1/reactions/like/ivy", ""))
	require.Equal(t, []string{"1 ivy like picture:irma:1"}, w.told(t, "irma"))

	require.False(t, w.mailed(t, "irma", commentVerb))
	changes(true, "PUT", settings, `{"channel":"email","on":true}`) // whatever has no setting of its own
	require.True(t, w.mailed(t, "irma", commentVerb))
	require.False(t, w.mailed(t, "inga", commentVerb))
}

func whoIsBlockedAndWhatIsMutedIsNotTold(t *testing.T, w world) {
	for i, changed := range []bool{true, false} {
		require.Equal(t, changed, done[change](t, w.send(t, "PUT", "/users/jean/blocked/jasper", "")).Changed, "call %d", i)
		require.Equal(t, changed, done[change](t, w.send(t, "PUT", "/users/jean/muted/picture:jean:1", "")).Changed, "call %d", i)
	}
	done[followed](t, w.send(t, "PUT", "/users/jasper/following/jean", ""))
	done[change](t, w.send(t, "PUT", "/objects/picture:jean:1/reactions/like/joe", ""))
	require.Empty(t, w.told(t, "jean"))
	done[remark](t, w.send(t, "POST", "/objects/picture:jean:1/comments", `{"user":"joe","text":"a","mentions":["jean"]}`))
	require.Equal(t, []string{"1 joe mention picture:jean:1"}, w.told(t, "jean"), "a mention pierces")

	require.Equal(t, "jasper", done[cursor.Page[prefs.Block]](t, w.send(t, "GET", "/users/jean/blocked", "")).Items[0].Actor)
	require.Equal(t, "picture:jean:1", done[cursor.Page[prefs.Mute]](t, w.send(t, "GET", "/users/jean/muted", "")).Items[0].Object.String())
	done[change](t, w.send(t, "DELETE", "/users/jean/blocked/jasper", ""))
	done[change](t, w.send(t, "DELETE", "/users/jean/muted/picture:jean:1", ""))
	require.Empty(t, done[cursor.Page[prefs.Block]](t, w.send(t, "GET", "/users/jean/blocked", "")).Items)
	done[change](t, w.send(t, "PUT", "/objects/picture:jean:1/reactions/like/jasper", ""))
	require.Equal(t, "1 jasper like picture:jean:1", w.told(t, "jean")[0])
}
