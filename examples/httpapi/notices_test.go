package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/notify"
)

// entries are the notifications of a user.
func (w world) entries(t *testing.T, user string) []notify.Entry {
	t.Helper()
	return done[shown](t, w.send(t, "GET", "/users/"+user+"/notifications", "")).Items
}

// told are the notifications of a user, in words, newest first.
func (w world) told(t *testing.T, user string) []string {
	t.Helper()
	told := []string{}
	for _, e := range w.entries(t, user) {
		about := e.Activity.Target
		if about.IsZero() {
			about = e.Activity.Object
		}
		told = append(told, fmt.Sprint(e.N, " ", e.Actors[0].ID, " ", e.Activity.Verb, " ", about))
	}
	return told
}

func TestWhatSomebodyDoesIsToldToWhomItConcerns(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const picture = "/objects/picture:bob:1"
	for _, who := range []string{"ann", "cleo"} {
		done[followed](t, w.send(t, "PUT", "/users/"+who+"/following/bob", ""))
		done[change](t, w.send(t, "PUT", picture+"/reactions/like/"+who, ""))
	}
	done[change](t, w.send(t, "PUT", picture+"/reactions/like/bob", ""))     // one's own
	done[change](t, w.send(t, "PUT", picture+"/reactions/bookmark/ann", "")) // private
	done[change](t, w.send(t, "PUT", "/objects/picture:1/reactions/like/ann", ""))
	require.Equal(t, []string{"2 cleo like picture:bob:1", "2 cleo follow user:bob"}, w.told(t, "bob"))

	say := func(body string) remark { return done[remark](t, w.send(t, "POST", picture+"/comments", body)) }
	root := say(`{"user":"ann","text":"a","mentions":["dan","bob"]}`)
	require.Equal(t, "1 ann mention picture:bob:1", w.told(t, "bob")[0], "once, although it is bob's too")
	require.Equal(t, []string{"1 ann mention picture:bob:1"}, w.told(t, "dan"))
	reply := say(`{"user":"cleo","text":"b","root":"` + root.ID.String() + `"}`)
	require.Equal(t, []string{"1 cleo reply " + root.Ref}, w.told(t, "ann"))
	say(`{"user":"ann","text":"c","root":"` + root.ID.String() + `","parent":"` + reply.ID.String() + `"}`)
	require.Equal(t, []string{"1 ann reply " + reply.Ref}, w.told(t, "cleo"))
	say(`{"user":"cleo","text":"d","parent":"` + root.ID.String() + `"}`)
	require.Equal(t, []string{"2 cleo reply " + root.Ref}, w.told(t, "ann"))
	require.Equal(t, "3 cleo comment picture:bob:1", w.told(t, "bob")[0])

	done[change](t, w.send(t, "PUT", "/objects/"+url.PathEscape(root.Ref)+"/reactions/love/dan", ""))
	require.Equal(t, "1 dan love "+root.Ref, w.told(t, "ann")[0])
}

func TestARepeatedRequestIsToldOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for range 3 {
		done[followed](t, w.send(t, "PUT", "/users/ann/following/bob", ""))
		done[change](t, w.send(t, "PUT", "/objects/picture:bob:1/reactions/like/ann", ""))
		done[remark](t, w.send(t, "POST", "/objects/picture:bob:1/comments", `{"user":"ann","text":"a","key":"k"}`))
	}
	require.Equal(t, []string{"1 ann comment picture:bob:1", "1 ann like picture:bob:1", "1 ann follow user:bob"}, w.told(t, "bob"))
}

// The write of the deed succeeds, the one of the notification does not.
func TestARepeatTellsWhatTheFirstRequestCouldNot(t *testing.T) {
	t.Parallel()
	in := new(line)
	w := newWorld(t, in.wrap)
	notification := func(action string, body []byte) fault {
		if action == "UpdateItem" && bytes.Contains(body, []byte(w.env.Tables.Notify)) {
			return cut
		}
		return fine
	}
	comment := `{"user":"ann","text":"a","id":"` + done[minted](t, w.send(t, "POST", "/ids", "")).ID.String() + `"}`
	for _, c := range []struct{ method, path, body string }{
		{"PUT", "/users/ann/following/bob", ""},
		{"PUT", "/objects/picture:bob:1/reactions/like/ann", ""},
		{"POST", "/objects/picture:bob:1/comments", comment},
	} {
		before := len(w.told(t, "bob"))
		in.breaks(notification)
		refused(t, w.send(t, c.method, c.path, c.body), http.StatusServiceUnavailable)
		in.breaks(nil)
		require.Len(t, w.told(t, "bob"), before)
		require.Less(t, w.send(t, c.method, c.path, c.body).status, 300)
		require.Len(t, w.told(t, "bob"), before+1)
	}
}

func TestWhatIsUndoneIsNoLongerTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const like, love = "/objects/picture:bob:1/reactions/like/", "/objects/picture:bob:1/reactions/love/"
	for range 2 { // the second like counts, although the first was taken back
		done[change](t, w.send(t, "PUT", like+"ann", ""))
		done[change](t, w.send(t, "PUT", like+"cleo", ""))
		require.Equal(t, []string{"2 cleo like picture:bob:1"}, w.told(t, "bob"))
		done[change](t, w.send(t, "DELETE", like+"ann", ""))
		require.Equal(t, []string{"1 cleo like picture:bob:1"}, w.told(t, "bob"))
		done[change](t, w.send(t, "PUT", love+"cleo", "")) // instead of the like
		require.Equal(t, []string{"1 cleo love picture:bob:1"}, w.told(t, "bob"))
		done[change](t, w.send(t, "DELETE", love+"cleo", ""))
		require.Empty(t, w.told(t, "bob"))
	}
	done[followed](t, w.send(t, "PUT", "/users/ann/following/bob", ""))
	done[removal](t, w.send(t, "DELETE", "/users/ann/following/bob", ""))
	require.Empty(t, w.told(t, "bob"))
	require.Zero(t, done[notify.Count](t, w.send(t, "GET", "/users/bob/bell", "")))
}

func TestARemovedCommentIsNoLongerTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const comments = "/objects/picture:bob:1/comments"
	for name, remove := range map[string]struct{ method, path, body string }{
		"by its author":   {"DELETE", "?user=ann", ""},
		"by a moderator":  {"POST", "/removal", `{"by":"mod","reason":"spam"}`},
		"with its thread": {"DELETE", "?user=ann", ""},
	} {
		said := done[remark](t, w.send(t, "POST", comments, `{"user":"ann","text":"a","mentions":["dan"]}`))
		done[change](t, w.send(t, "PUT", "/objects/"+url.PathEscape(said.Ref)+"/reactions/like/cleo", ""))
		if name == "with its thread" {
			done[remark](t, w.send(t, "POST", comments, `{"user":"bob","text":"b","root":"`+said.ID.String()+`"}`))
		}
		at := comments + "/" + said.ID.String()
		all := func() [][]string { return [][]string{w.told(t, "ann"), w.told(t, "bob"), w.told(t, "dan")} }
		before := all()
		require.NotEmpty(t, slices.Concat(before...))

		// What is refused takes nothing back.
		refused(t, w.send(t, "DELETE", at+"?user=bob", ""), http.StatusForbidden)
		refused(t, w.send(t, "DELETE", at, ""), http.StatusBadRequest)
		refused(t, w.send(t, "POST", at+"/removal", `{"reason":"spam"}`), http.StatusBadRequest)
		require.Equal(t, before, all())

		require.True(t, done[removal](t, w.send(t, remove.method, at+remove.path, remove.body)).Removed, name)
		for _, user := range []string{"ann", "bob", "dan"} {
			require.Empty(t, w.told(t, user), "%s %s", name, user)
		}
	}
}

func TestOddNamesAreToldOfOrOfNobody(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for object, told := range map[string]bool{
		"picture:c:d#? %é:1": true, "picture:bob": false, "bob": false, "picture:bob:": true, "picture::1": false, ":bob:1": false,
		"comment:x:picture:bob:1": true, "comment:" + fromNow(0) + ":picture:bob:1": false,
	} {
		path := "/objects/" + url.PathEscape(object)
		done[change](t, w.send(t, "PUT", path+"/reactions/like/ann", ""))
		done[remark](t, w.send(t, "POST", path+"/comments", `{"user":"ann","text":"a"}`))
		owner, err := w.service.ownerOf(t.Context(), object)
		require.NoError(t, err)
		require.Equal(t, told, owner != "", object)
		if told {
			require.NotEmpty(t, w.told(t, url.PathEscape(owner)), object)
		}
	}
}
