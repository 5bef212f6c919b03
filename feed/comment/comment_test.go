package comment_test

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/feed/comment"
)

// TestJSON also decodes the JSON again.
func TestJSON(t *testing.T) {
	t.Parallel()
	when := time.Date(2026, 3, 4, 5, 6, 7, 8e6, time.UTC)
	reply := comment.Comment{
		Object: "bird", Root: 1, ID: 3, Parent: 2, User: "ann", Text: `<b> & "x"`,
		Mentions: []string{"bob"}, Data: json.RawMessage(`{"n":[1]}`), EditedAt: when, Replies: 4, Hidden: true,
	}
	quoting := comment.Comment{
		Object: "bird", ID: 5, User: "ann", Text: "yes",
		Quote: &comment.Quote{Address: comment.Address{Root: 1, ID: 3}, User: "bob", Excerpt: "<b>"},
	}
	tombstone := comment.Comment{Object: "bird", ID: 1, Removed: &comment.Removal{By: "eve", Reason: "spam", At: when}}
	const (
		replyJSON = `{"id":"0000000000003","object":"bird","root":"0000000000001","parent":"0000000000002",` +
			`"user":"ann","text":"<b> & \"x\"","mentions":["bob"],"data":{"n":[1]},` +
			`"editedAt":"2026-03-04T05:06:07.008Z","replies":4,"hidden":true}`
		tombstoneJSON = `{"id":"0000000000001","object":"bird","replies":0,` +
			`"removed":{"by":"eve","reason":"spam","at":"2026-03-04T05:06:07.008Z"}}`
	)
	jsonIs(t, reply, replyJSON)
	jsonIs(t, tombstone, tombstoneJSON)
	jsonIs(t, quoting, `{"id":"0000000000005","object":"bird","user":"ann","text":"yes","quote":{"root":"0000000000001","id":"0000000000003","user":"bob","excerpt":"<b>"},"replies":0}`)
	jsonIs(t, comment.Thread{Comment: tombstone, First: []comment.Comment{reply}}, tombstoneJSON[:len(tombstoneJSON)-1]+`,"first":[`+replyJSON+`]}`)
	jsonIs(t, comment.Thread{Comment: tombstone}, tombstoneJSON)
	jsonIs(t, comment.Quote{Address: comment.Address{ID: 3}, Removed: true}, `{"id":"0000000000003","removed":true}`)
	jsonIs(t, comment.Removal{At: when}, `{"at":"2026-03-04T05:06:07.008Z"}`)
	jsonIs(t, comment.Counts{All: 2}, `{"all":2,"roots":0}`)
	jsonIs(t, comment.Address{Object: "bird", ID: 1}, `{"object":"bird","id":"0000000000001"}`)
	jsonIs(t, reply.Address(), `{"object":"bird","root":"0000000000001","id":"0000000000003"}`)

	kept := comment.Comment{Object: "bird", ID: 1, Key: "secret"}
	text, err := json.Marshal(kept)
	require.NoError(t, err)
	require.NotContains(t, string(text), "secret")
	text, err = json.Marshal(quoting)
	require.NoError(t, err)
	require.Contains(t, string(text), `"excerpt":"\u003cb\u003e"`, "the caller's encoder decides on escapes")
}

func jsonIs[T any](t *testing.T, value T, want string) {
	t.Helper()
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	require.NoError(t, e.Encode(value))
	require.JSONEq(t, want, text.String())
	require.Len(t, text.String(), len(want)+1, "no escapes: %s", text.String())
	var back T
	require.NoError(t, json.Unmarshal(text.Bytes(), &back))
	require.Equal(t, value, back)
}
