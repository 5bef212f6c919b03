package videos

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/danmu"
)

// about is the path of a danmu of video 1, for a user.
func about(id danmu.ID, what, user string) string {
	return fmt.Sprintf("/videos/1/danmu/%s%s?user=%s", id, what, user)
}

type reactions struct{ Liked, Reported []danmu.ID }

func reactionsOf(t *testing.T, w world, user string) reactions {
	t.Helper()
	return call[reactions](t, w, "GET", "/videos/1/segments/0/reactions?user="+user, "")
}

func TestALikeCountsOnceAndReachesAllViewers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	sent := say(t, w, "a", "a joke", 1)
	require.Zero(t, sent.Likes)
	next := listen(t, w, "")
	next("joined")
	for _, step := range []struct {
		method, user string
		changed      bool
		likes        int64
	}{
		{"PUT", "b", true, 1}, {"PUT", "b", false, 1}, {"PUT", "a", true, 2},
		{"DELETE", "b", true, 1}, {"DELETE", "b", false, 1}, {"DELETE", "a", true, 0}, {"PUT", "b", true, 1},
	} {
		got := call[map[string]bool](t, w, step.method, about(sent.ID, "/like", step.user), "")
		require.Equal(t, map[string]bool{"changed": step.changed}, got, step)
		require.Equal(t, []happened{{Liked: &liked{sent.ID, step.likes}}}, happenings(t, next("batch")), step)
	}

	sent.Likes = 1
	sent.OwnerID = "1"
	require.Equal(t, []message{sent}, w.stored(t))
	for _, path := range []string{"/videos/1/segments/0?fresh=1", "/users/a/danmu"} {
		got := call[list](t, w, "GET", path, "").Data
		require.Len(t, got, 1)
		require.Equal(t, int64(1), got[0].Likes, path)
	}
	require.Equal(t, reactions{Liked: []danmu.ID{sent.ID}, Reported: []danmu.ID{}}, reactionsOf(t, w, "b"))
	require.Equal(t, reactions{Liked: []danmu.ID{}, Reported: []danmu.ID{}}, reactionsOf(t, w, "a"))
}

func TestReportsHideADanmu(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	sent := say(t, w, "a", "rude", 1)
	report := func(user string) bool {
		return call[map[string]bool](t, w, "PUT", about(sent.ID, "/report", user), "")["changed"]
	}
	ownReport := func() {
		text := w.answer(t, http.StatusForbidden, "PUT", about(sent.ID, "/report", "a"), "")
		require.JSONEq(t, `{"error":"Forbidden","reason":"you cannot report your own"}`, text)
	}
	ownReport()
	for i := range 5 {
		require.Len(t, w.stored(t), 1)
		require.True(t, report(fmt.Sprint("u", i)))
		require.False(t, report(fmt.Sprint("u", i)))
	}
	require.Empty(t, w.stored(t))
	require.Equal(t, reactions{Liked: []danmu.ID{}, Reported: []danmu.ID{sent.ID}}, reactionsOf(t, w, "u4"))
	ownReport() // nor while it is hidden
}

func TestADanmuThatIsGoneTakesNoReactions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	liked, gone := say(t, w, "a", "liked", 1), say(t, w, "a", "gone", 1)
	for _, m := range []message{liked, gone} {
		call[map[string]bool](t, w, "PUT", about(m.ID, "/like", "b"), "")
	}
	call[map[string]bool](t, w, "DELETE", about(gone.ID, "", "a"), "")
	for _, what := range []string{"/like", "/report"} {
		w.answer(t, http.StatusGone, "PUT", about(gone.ID, what, "c"), "")
	}
	require.True(t, call[map[string]bool](t, w, "DELETE", about(gone.ID, "/like", "b"), "")["changed"])
	require.Equal(t, []danmu.ID{liked.ID}, reactionsOf(t, w, "b").Liked)
}

func TestReactionsAreThoseOfTheSegment(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	importAll(t, w, 2, func(i int) danmu.Comment {
		return danmu.Comment{User: "a", Text: "x", Progress: second(359 + i)}
	})
	all := w.stored(t)
	for _, m := range all {
		call[map[string]bool](t, w, "PUT", about(m.ID, "/like", "b"), "")
	}
	for n, want := range map[string][]danmu.ID{"0": {all[0].ID}, "1": {all[1].ID}, "2": {}, "9000000000000000000": {}} {
		got := call[reactions](t, w, "GET", "/videos/1/segments/"+n+"/reactions?user=b", "")
		require.Equal(t, want, got.Liked, n)
	}
}

func TestReactionsToUnknownDanmuStoreNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	elsewhere := call[message](t, w, "POST", "/danmu/send", sendOf("7", "a"))
	before := w.items(t)
	for _, c := range []struct {
		method, what string
		status       int
	}{
		{"PUT", "/like", http.StatusNotFound},
		{"PUT", "/report", http.StatusNotFound},
		{"DELETE", "/like", http.StatusOK}, // there was nothing to take back
	} {
		require.NotContains(t, w.answer(t, c.status, c.method, about(elsewhere.ID, c.what, "b"), ""), "true")
	}
	require.Equal(t, before, w.items(t))
}
