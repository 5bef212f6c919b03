package main

import (
	"bytes"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"
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

const oneClick = "List-Unsubscribe=One-Click"

// follow sends a request to a link that unsubscribes. The answer is a page, or JSON.
func (w world) follow(t *testing.T, method, path, contentType, body string) answer {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, w.URL+path, strings.NewReader(body))
	require.NoError(t, err)
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	res, err := w.Client().Do(r)
	require.NoError(t, err)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return answer{res.StatusCode, res.Header, string(text)}
}

func TestALinkUnsubscribesWithOneClick(t *testing.T) {
	t.Parallel()
	const urlencoded = "application/x-www-form-urlencoded"
	var parts bytes.Buffer
	form := multipart.NewWriter(&parts)
	require.NoError(t, form.WriteField("List-Unsubscribe", "One-Click"))
	require.NoError(t, form.Close())
	w := newWorld(t)
	for user, sent := range map[string]struct{ contentType, body string }{
		"bob": {urlencoded, oneClick}, "cleo": {form.FormDataContentType(), parts.String()},
	} {
		path := done[link](t, w.send(t, "GET", "/users/"+user+"/unsubscribe?verb=follow&channel=email", "")).Path
		for range 2 { // a filter of mail, and its reader
			for _, method := range []string{"GET", "HEAD"} {
				page := w.follow(t, method, path, "", "")
				require.Equal(t, http.StatusOK, page.status)
				require.Equal(t, "text/html; charset=utf-8", page.header.Get("Content-Type"))
				require.Contains(t, page.header.Get("Content-Security-Policy"), "form-action 'self'")
				require.Equal(t, "no-store", page.header.Get("Cache-Control"))
			}
		}
		for _, refused := range []answer{
			w.follow(t, "POST", path, urlencoded, ""),
			w.follow(t, "POST", path, urlencoded, "List-Unsubscribe=x"),
			w.follow(t, "POST", path+"?"+oneClick, urlencoded, ""),
			w.follow(t, "POST", path, "application/json", `{"List-Unsubscribe":"One-Click"}`),
			w.follow(t, "POST", path, urlencoded, "x="+strings.Repeat("x", maxForm)+"&"+oneClick),
			w.follow(t, "PUT", path, urlencoded, oneClick),
		} {
			require.GreaterOrEqual(t, refused.status, 400)
		}
		require.True(t, w.mailed(t, user, followVerb))

		for range 2 {
			require.Equal(t, http.StatusOK, w.follow(t, "POST", path, sent.contentType, sent.body).status)
			require.False(t, w.mailed(t, user, followVerb))
		}
		require.True(t, w.mailed(t, user, replyVerb))
		require.True(t, w.mailed(t, "ann", followVerb))
	}
}

func TestAForgedLinkUnsubscribesNobody(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	path := done[link](t, w.send(t, "GET", "/users/bob/unsubscribe?verb=follow&channel=email", "")).Path
	token := strings.TrimPrefix(path, "/unsubscribe/")
	of := done[link](t, newWorld(t).send(t, "GET", "/users/bob/unsubscribe?verb=follow&channel=email", "")).Path
	forged := []string{"x", token + "x", token[:len(token)-1], strings.TrimPrefix(of, "/unsubscribe/"), strings.ToUpper(token)}
	for i := range token {
		for _, other := range "A_" {
			if altered := token[:i] + string(other) + token[i+1:]; altered != token {
				forged = append(forged, altered)
			}
		}
	}
	before := w.items(t)
	for _, token := range forged {
		a := w.follow(t, "POST", "/unsubscribe/"+token, "application/x-www-form-urlencoded", oneClick)
		require.Equal(t, http.StatusBadRequest, a.status, token)
		require.Contains(t, a.text, "not valid")
	}
	require.Equal(t, before, w.items(t))
	require.True(t, w.mailed(t, "bob", followVerb), fmt.Sprint(len(forged)))
}
