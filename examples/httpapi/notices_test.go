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

func whatSomebodyDoesIsToldToWhomItConcerns(t *testing.T, w world) {
	const picture = "/objects/picture:dee:1"
	for _, who := range []string{"dagbert", "don"} {
		done[followed](t, w.send(t, "PUT", "/users/"+who+"/following/dee", ""))
		done[change](t, w.send(t, "PUT", picture+"/reactions/like/"+who, ""))
	}
	done[change](t, w.send(t, "PUT", picture+"/reactions/like/dee", ""))         // one's own
	done[change](t, w.send(t, "PUT", picture+"/reactions/bookmark/dagbert", "")) // private
	done[change](t, w.send(t, "PUT", "/objects/picture:19/reactions/like/dagbert", ""))
	require.Equal(t, []string{"2 don like picture:dee:1", "2 don follow user:dee"}, w.told(t, "dee"))

	say := func(body string) remark { return done[remark](t, w.send(t, "POST", picture+"/comments", body)) }
	root := say(`{"user":"dagbert","text":"a","mentions":["dora","dee"]}`)
	require.Equal(t, "1 dagbert mention picture:dee:1", w.told(t, "dee")[0], "once, although it is dee's too")
	require.Equal(t, []string{"1 dagbert mention picture:dee:1"}, w.told(t, "dora"))
	reply := say(`{"user":"don","text":"b","root":"` + root.ID.String() + `"}`)
	require.Equal(t, []string{"1 don reply " + root.Ref}, w.told(t, "dagbert"))
	say(`{"user":"dagbert","text":"c","root":"` + root.ID.String() + `","parent":"` + reply.ID.String() + `"}`)
	require.Equal(t, []string{"1 dagbert reply " + reply.Ref}, w.told(t, "don"))
	say(`{"user":"don","text":"d","parent":"` + root.ID.String() + `"}`)
	require.Equal(t, []string{"2 don reply " + root.Ref}, w.told(t, "dagbert"))
	require.Equal(t, "3 don comment picture:dee:1", w.told(t, "dee")[0])

	done[change](t, w.send(t, "PUT", "/objects/"+url.PathEscape(root.Ref)+"/reactions/love/dora", ""))
	require.Equal(t, "1 dora love "+root.Ref, w.told(t, "dagbert")[0])
}

func aRepeatedRequestIsToldOnce(t *testing.T, w world) {
	for range 3 {
		done[followed](t, w.send(t, "PUT", "/users/doris/following/edgar", ""))
		done[change](t, w.send(t, "PUT", "/objects/picture:edgar:1/reactions/like/doris", ""))
		done[remark](t, w.send(t, "POST", "/objects/picture:edgar:1/comments", `{"user":"doris","text":"a","key":"k"}`))
	}
	require.Equal(t, []string{"1 doris comment picture:edgar:1", "1 doris like picture:edgar:1", "1 doris follow user:edgar"}, w.told(t, "edgar"))
}

// The write succeeds, and the one of its notification does not.
func TestARepeatNotifiesIfTheFirstRequestCouldNot(t *testing.T) {
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

func whatIsUndoneIsNoLongerTold(t *testing.T, w world) {
	const like, love = "/objects/picture:egon:1/reactions/like/", "/objects/picture:egon:1/reactions/love/"
	for range 2 { // the second like counts, although the first was taken back
		done[change](t, w.send(t, "PUT", like+"edna", ""))
		done[change](t, w.send(t, "PUT", like+"elmer", ""))
		require.Equal(t, []string{"2 elmer like picture:egon:1"}, w.told(t, "egon"))
		done[change](t, w.send(t, "DELETE", like+"edna", ""))
		require.Equal(t, []string{"1 elmer like picture:egon:1"}, w.told(t, "egon"))
		done[change](t, w.send(t, "PUT", love+"elmer", "")) // instead of the like
		require.Equal(t, []string{"1 elmer love picture:egon:1"}, w.told(t, "egon"))
		done[change](t, w.send(t, "DELETE", love+"elmer", ""))
		require.Empty(t, w.told(t, "egon"))
	}
	done[followed](t, w.send(t, "PUT", "/users/edna/following/egon", ""))
	done[removal](t, w.send(t, "DELETE", "/users/edna/following/egon", ""))
	require.Empty(t, w.told(t, "egon"))
	require.Zero(t, done[notify.Count](t, w.send(t, "GET", "/users/egon/bell", "")))
}

func aRemovedCommentIsNoLongerTold(t *testing.T, w world) {
	const comments = "/objects/picture:ernst:1/comments"
	for name, remove := range map[string]struct{ method, path, body string }{
		"by its author":   {"DELETE", "?user=emil", ""},
		"by a moderator":  {"POST", "/removal", `{"by":"mod","reason":"spam"}`},
		"with its thread": {"DELETE", "?user=emil", ""},
	} {
		said := done[remark](t, w.send(t, "POST", comments, `{"user":"emil","text":"a","mentions":["fay"]}`))
		done[change](t, w.send(t, "PUT", "/objects/"+url.PathEscape(said.Ref)+"/reactions/like/etta", ""))
		if name == "with its thread" {
			done[remark](t, w.send(t, "POST", comments, `{"user":"ernst","text":"b","root":"`+said.ID.String()+`"}`))
		}
		at := comments + "/" + said.ID.String()
		all := func() [][]string { return [][]string{w.told(t, "emil"), w.told(t, "ernst"), w.told(t, "fay")} }
		before := all()
		require.NotEmpty(t, slices.Concat(before...))

		// What is refused takes nothing back.
		refused(t, w.send(t, "DELETE", at+"?user=ernst", ""), http.StatusForbidden)
		refused(t, w.send(t, "DELETE", at, ""), http.StatusBadRequest)
		refused(t, w.send(t, "POST", at+"/removal", `{"reason":"spam"}`), http.StatusBadRequest)
		require.Equal(t, before, all())

		require.True(t, done[removal](t, w.send(t, remove.method, at+remove.path, remove.body)).Removed, name)
		for _, user := range []string{"emil", "ernst", "fay"} {
			require.Empty(t, w.told(t, user), "%s %s", name, user)
		}
	}
}

func oddNamesAreToldOfOrOfNobody(t *testing.T, w world) {
	for object, told := range map[string]bool{
		"picture:c:d#? %é:1": true, "picture:flora": false, "flora": false, "picture:flora:": true, "picture::1": false, ":flora:1": false,
		"comment:x:picture:flora:1": true, "comment:" + fromNow(0) + ":picture:flora:1": false,
	} {
		path := "/objects/" + url.PathEscape(object)
		done[change](t, w.send(t, "PUT", path+"/reactions/like/finn", ""))
		done[remark](t, w.send(t, "POST", path+"/comments", `{"user":"finn","text":"a"}`))
		owner, err := w.service.ownerOf(t.Context(), object)
		require.NoError(t, err)
		require.Equal(t, told, owner != "", object)
		if told {
			require.NotEmpty(t, w.told(t, url.PathEscape(owner)), object)
		}
	}
}
