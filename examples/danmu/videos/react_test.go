package videos

import (
	"fmt"
	"net/http"
	"net/http/httptest"
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
	w := newWorld(t, Hills())
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
	require.Equal(t, []message{sent}, call[list](t, w, "GET", "/danmu/pull/1", "").Data)
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
	w := newWorld(t, Hills())
	sent := say(t, w, "a", "rude", 1)
	report := func(user string) bool {
		return call[map[string]bool](t, w, "PUT", about(sent.ID, "/report", user), "")["changed"]
	}
	status, _, text := w.send(t, "PUT", about(sent.ID, "/report", "a"), "")
	require.Equal(t, http.StatusForbidden, status)
	require.JSONEq(t, `{"error":"Forbidden","reason":"you cannot report your own"}`, text)
	for i := range 5 {
		require.Len(t, call[list](t, w, "GET", "/danmu/pull/1", "").Data, 1)
		require.True(t, report(fmt.Sprint("u", i)))
		require.False(t, report(fmt.Sprint("u", i)))
	}
	require.Empty(t, call[list](t, w, "GET", "/danmu/pull/1", "").Data)
	require.Equal(t, reactions{Liked: []danmu.ID{}, Reported: []danmu.ID{sent.ID}}, reactionsOf(t, w, "u4"))
	status, _, _ = w.send(t, "PUT", about(sent.ID, "/report", "a"), "")
	require.Equal(t, http.StatusForbidden, status, "nor while it is hidden")
}

func TestADanmuThatIsGoneTakesNoReactions(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Hills())
	liked, gone := say(t, w, "a", "liked", 1), say(t, w, "a", "gone", 1)
	for _, m := range []message{liked, gone} {
		call[map[string]bool](t, w, "PUT", about(m.ID, "/like", "b"), "")
	}
	call[map[string]bool](t, w, "DELETE", about(gone.ID, "", "a"), "")
	for _, what := range []string{"/like", "/report"} {
		status, _, text := w.send(t, "PUT", about(gone.ID, what, "c"), "")
		require.Equal(t, http.StatusGone, status, text)
	}
	require.True(t, call[map[string]bool](t, w, "DELETE", about(gone.ID, "/like", "b"), "")["changed"])
	require.Equal(t, []danmu.ID{liked.ID}, reactionsOf(t, w, "b").Liked)
}

func TestReactionsAreThoseOfTheSegment(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Hills())
	importAll(t, w, 2, func(i int) danmu.Comment {
		return danmu.Comment{User: "a", Text: "x", Progress: second(359 + i)}
	})
	all := call[list](t, w, "GET", "/danmu/pull/1", "").Data
	for _, m := range all {
		call[map[string]bool](t, w, "PUT", about(m.ID, "/like", "b"), "")
	}
	for n, want := range map[string][]danmu.ID{"0": {all[0].ID}, "1": {all[1].ID}, "2": {}, "9000000000000000000": {}} {
		got := call[reactions](t, w, "GET", "/videos/1/segments/"+n+"/reactions?user=b", "")
		require.Equal(t, want, got.Liked, n)
	}
}

func TestReactionsAreLimited(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Hills())
	sent := say(t, w, "a", "x", 1)
	w.service.reactions = frozen(5)
	from := func(address string, i int) *httptest.ResponseRecorder {
		what := []string{"/like", "/report"}[i%2]
		return w.ask(t, address, "PUT", about(sent.ID, what, fmt.Sprint("made-up-", i)), "")
	}
	for i := range 20 {
		answer := from("192.0.2.1", i)
		if i < 5 {
			require.Equal(t, http.StatusOK, answer.Code, answer.Body)
			continue
		}
		require.Equal(t, http.StatusTooManyRequests, answer.Code)
		require.NotEmpty(t, answer.Header().Get("Retry-After"))
	}
	require.Equal(t, http.StatusTooManyRequests, w.ask(t, "192.0.2.1", "DELETE", about(sent.ID, "/like", "made-up-0"), "").Code)
	require.Equal(t, http.StatusOK, w.ask(t, "192.0.2.1", "POST", "/danmu/send", sendOf("1", "a")).Code, "one can still speak")
	require.Equal(t, http.StatusOK, from("192.0.2.2", 20).Code)

	w.service.videoReactions = frozen(3)
	for i := range 10 {
		answer := from(fmt.Sprintf("192.0.2.%d", 10+i), 30+i)
		require.Equal(t, i < 3, answer.Code == http.StatusOK, answer.Body)
	}
}

func TestReactionsToUnknownDanmuStoreNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Hills())
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
		status, _, text := w.send(t, c.method, about(elsewhere.ID, c.what, "b"), "")
		require.Equal(t, c.status, status, text)
		require.NotContains(t, text, "true")
	}
	require.Equal(t, before, w.items(t))
}
