package main

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed/comment"
)

const comments = "/objects/picture:1/comments"

// comment adds a comment to those at a path.
func (w world) comment(t *testing.T, at, body string) remark {
	t.Helper()
	return done[remark](t, w.send(t, "POST", at, body))
}

func commentsAreAnsweredQuotedAndListed(t *testing.T, w world) {
	const comments = "/objects/picture:38/comments"
	root := w.comment(t, comments, `{"user":"magda","text":"<script>é & \"x\"</script>","mentions":["maria"],"data":{"at":[1,2]}}`)
	reply := w.comment(t, comments, `{"user":"maria","text":"reply","root":"`+root.ID.String()+`"}`)
	deeper := w.comment(t, comments, `{"user":"magda","text":"deeper","root":"`+root.ID.String()+`","parent":"`+reply.ID.String()+`"}`)
	w.comment(t, comments, `{"user":"martin","text":"quoting","quote":{"root":"`+root.ID.String()+`","id":"`+reply.ID.String()+`"}}`)
	w.comment(t, comments, `{"user":"martin","text":"answering","parent":"`+root.ID.String()+`"}`)

	read := w.send(t, "GET", comments+"/"+root.ID.String(), "")
	require.Contains(t, read.text, `"<script>é & \"x\"</script>"`)
	got := done[remark](t, read)
	require.Equal(t, []string{"maria"}, got.Mentions)
	require.JSONEq(t, `{"at":[1,2]}`, string(got.Data))
	require.EqualValues(t, 3, got.Replies)
	got = done[remark](t, w.send(t, "GET", comments+"/"+deeper.ID.String()+"?root="+root.ID.String(), ""))
	require.Equal(t, "deeper", got.Text)
	require.Equal(t, reply.ID, got.Parent)
	refused(t, w.send(t, "GET", comments+"/"+deeper.ID.String(), ""), http.StatusNotFound)

	require.Equal(t, []string{"answering", "quoting", root.Text}, w.remarks(t, comments))
	require.Equal(t, []string{root.Text, "quoting", "answering"}, w.remarks(t, comments+"?order=oldest"))
	replies := comments + "/" + root.ID.String() + "/replies"
	require.Equal(t, []string{"deeper", "reply"}, w.remarks(t, replies+"?order=newest"))
	require.Equal(t, []string{"reply", "deeper"}, w.remarks(t, replies+"?order=oldest"))
	require.Equal(t, []string{"deeper", root.Text}, w.remarks(t, "/users/magda/comments"))

	threads := done[cursor.Page[remark]](t, w.send(t, "GET", "/objects/picture:38/threads", "")).Items
	require.Equal(t, &comment.Quote{Address: comment.Address{Root: root.ID, ID: reply.ID}, User: "maria", Excerpt: "reply"}, threads[1].Quote)
	require.Equal(t, []string{"reply", "deeper"}, []string{threads[2].First[0].Text, threads[2].First[1].Text})

	for _, body := range []string{`"root":"` + fromNow(0) + `"}`, `"parent":"` + reply.ID.String() + `"}`, `"quote":{"id":"` + deeper.ID.String() + `"}}`} {
		refused(t, w.send(t, "POST", comments, `{"user":"magda","text":"to nothing",`+body), http.StatusNotFound)
	}
	counts := done[objectCounts](t, w.send(t, "GET", "/objects/picture:38/counts", ""))
	require.Equal(t, comment.Counts{All: 5, Roots: 3}, counts.Comments)
}

func aRepeatedCommentIsOne(t *testing.T, w world) {
	const comments = "/objects/picture:39/comments"
	for _, identity := range []string{`"id":"` + fromNow(0) + `"`, `"key":"k"`} {
		body := `{"user":"may","text":"a",` + identity + `}`
		first := w.send(t, "POST", comments, body)
		require.Equal(t, http.StatusCreated, first.status)
		again := w.send(t, "POST", comments, body)
		require.Equal(t, first.status, again.status)
		require.Equal(t, first.text, again.text)
		refused(t, w.send(t, "POST", comments, `{"user":"may","text":"b",`+identity+`}`), http.StatusConflict)
		require.Equal(t, []string{"a"}, w.remarks(t, comments))

		at := comments + "/" + done[remark](t, first).ID.String()
		done[removal](t, w.send(t, "DELETE", at+"?user=may", ""))
		refused(t, w.send(t, "POST", comments, body), http.StatusGone)
	}
}

func onlyItsAuthorEditsAndDeletesAComment(t *testing.T, w world) {
	const comments = "/objects/picture:40/comments"
	added := w.comment(t, comments, `{"user":"moritz","text":"first","mentions":["ned"]}`)
	at := comments + "/" + added.ID.String()
	refused(t, w.send(t, "PUT", at, `{"user":"ned","text":"second"}`), http.StatusForbidden)
	refused(t, w.send(t, "DELETE", at+"?user=ned", ""), http.StatusForbidden)
	edited := done[remark](t, w.send(t, "PUT", at, `{"user":"moritz","text":"second"}`))
	require.Equal(t, "second", edited.Text)
	require.NotZero(t, edited.EditedAt)
	require.Empty(t, edited.Mentions)

	reply := w.comment(t, comments, `{"user":"ned","text":"reply","root":"`+added.ID.String()+`"}`)
	w.once(t, "DELETE", at+"?user=moritz", "")
	tombstone := done[remark](t, w.send(t, "GET", at, ""))
	require.NotNil(t, tombstone.Removed)
	require.Empty(t, tombstone.Text)
	refused(t, w.send(t, "PUT", at, `{"user":"moritz","text":"third"}`), http.StatusGone)
	refused(t, w.send(t, "POST", comments, `{"user":"ned","text":"late","root":"`+added.ID.String()+`"}`), http.StatusGone)

	under := comments + "/" + reply.ID.String() + "?root=" + added.ID.String()
	edited = done[remark](t, w.send(t, "PUT", under, `{"user":"ned","text":"edited"}`))
	require.Equal(t, "edited", edited.Text)
	require.True(t, done[removal](t, w.send(t, "DELETE", under+"&user=ned", "")).Removed)
	refused(t, w.send(t, "GET", under, ""), http.StatusNotFound)
}

func moderatorsHideRemoveAndPin(t *testing.T, w world) {
	const comments = "/objects/picture:41/comments"
	one := w.comment(t, comments, `{"user":"nelly","text":"one"}`)
	two := w.comment(t, comments, `{"user":"nelly","text":"two"}`)
	w.comment(t, comments, `{"user":"nelly","text":"three"}`)
	changes := func(method, path string) {
		t.Helper()
		require.True(t, done[change](t, w.send(t, method, path, "")).Changed)
	}

	pin := func(of remark) string { return comments + "/" + of.ID.String() + "/pinned" }
	w.once(t, "PUT", pin(two), "")
	for _, list := range []string{comments, "/objects/picture:41/threads"} {
		first := done[talk](t, w.send(t, "GET", list+"?limit=2", ""))
		require.Equal(t, "two", first.Pinned.Text)
		require.Equal(t, "three", first.Items[0].Text)
		require.Len(t, first.Items, 1)
		next := done[talk](t, w.send(t, "GET", list+"?limit=2&cursor="+string(first.Next), ""))
		require.Nil(t, next.Pinned)
		require.Equal(t, "one", next.Items[0].Text)
	}

	hidden := comments + "/" + two.ID.String() + "/hidden"
	w.once(t, "PUT", hidden, "")
	require.Nil(t, done[talk](t, w.send(t, "GET", comments, "")).Pinned)
	require.Equal(t, []string{"three", "one"}, w.remarks(t, comments))
	changes("DELETE", hidden)
	w.once(t, "DELETE", pin(two), "")
	require.Equal(t, []string{"three", "two", "one"}, w.remarks(t, comments))

	reply := w.comment(t, comments, `{"user":"nora","text":"reply","root":"`+one.ID.String()+`"}`)
	under := comments + "/" + reply.ID.String() + "/hidden?root=" + one.ID.String()
	changes("PUT", under)
	changes("DELETE", under)
	w.once(t, "POST", comments+"/"+one.ID.String()+"/removal", `{"by":"mod","reason":"spam"}`)
	tombstone := done[remark](t, w.send(t, "GET", comments+"/"+one.ID.String(), "")).Removed
	require.Equal(t, "mod", tombstone.By)
	require.Equal(t, "spam", tombstone.Reason)
	refused(t, w.send(t, "PUT", pin(one), ""), http.StatusGone)
}
