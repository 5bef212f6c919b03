package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/kit"
	"github.com/plaza-sdk/plaza/plazatest"
	"github.com/plaza-sdk/plaza/tables"
)

// world cuts a call at its request number cut.
type world struct {
	*testing.T
	*service
	env    *plazatest.Env
	next   aws.HTTPClient
	cut    atomic.Int64
	cancel func()
}

func (w *world) Do(r *http.Request) (*http.Response, error) {
	if w.cut.Add(-1) == 0 {
		w.cancel()
	}
	return w.next.Do(r)
}

func newWorld(t *testing.T) *world {
	w := &world{T: t}
	wrap := func(next aws.HTTPClient) aws.HTTPClient { w.next = next; return w }
	w.env = plazatest.Start(t, &plazatest.Options{Tables: tables.NamesOf("photos-"), Wrap: []func(aws.HTTPClient) aws.HTTPClient{wrap}})
	var err error
	w.service, err = newService(t.Context(), w.env.Config, kit.Options{Names: w.env.Tables})
	require.NoError(t, err)
	return w
}

type object map[string]any

// do makes a user's request, and returns its answer, with the status that is wanted unless that is 0.
func (w *world) do(want int, user, request string, body any) (answer object) {
	w.Helper()
	var in bytes.Buffer
	require.NoError(w, json.NewEncoder(&in).Encode(body))
	ctx, cancel := context.WithCancel(w.Context())
	defer cancel()
	w.cancel = cancel
	method, path, _ := strings.Cut(request, " ")
	r := httptest.NewRequestWithContext(ctx, method, path, &in)
	r.Header.Set("User", user)
	rec := httptest.NewRecorder()
	w.routes(headerUser).ServeHTTP(rec, r)
	w.cut.Store(0)
	require.Contains(w, []int{rec.Code, 0}, want, "%s %s: %s", user, request, rec.Body)
	require.NoError(w, json.Unmarshal(rec.Body.Bytes(), &answer), rec.Body)
	return answer
}

// items walks a list by pages of 2.
func (w *world) items(user, path string) (items []object) {
	for next := ""; ; {
		page := w.do(200, user, "GET "+path+"?limit=2&cursor="+next, nil)
		for _, item := range page["items"].([]any) {
			items = append(items, item.(map[string]any))
		}
		if next, _ = page["next"].(string); next == "" {
			return items
		}
	}
}

func TestStory(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if now := time.Now().UTC(); now.Weekday() == time.Sunday && now.Add(time.Minute).Weekday() == time.Monday {
		t.Skip("the board's week is about to end")
	}
	const jack = "auth0|us:jack"
	text := func(key string) object {
		return object{"key": key, "text": "Nice: " + key, "data": object{"title": key}}
	}

	// They follow and publish, and homes have the photos.
	require.Equal(t, object{"changed": true}, w.do(200, jack, "PUT /following/ann", nil))
	first := w.do(200, "ann", "POST /photos", text("Kingfisher"))["name"].(string)
	require.Equal(t, first, w.do(200, "ann", "POST /photos", text("Kingfisher"))["name"], "a repeat")
	third := w.do(200, "ann", "POST /photos", text("Egret"))["name"].(string)
	require.Len(t, w.items(jack, "/home"), 2)
	require.Equal(t, object{"changed": true}, w.do(200, jack, "DELETE /following/ann", nil))
	w.do(200, jack, "PUT /following/ann", nil)

	// They like, and take it back. Each request is cut at each of its own, and repeated.
	like := "/photos/" + first + "/like"
	w.do(200, jack, "PUT "+like, nil)
	for _, user := range []string{"ben", "cid", "ann"} {
		w.do(200, user, "PUT /photos/"+third+"/like", nil)
	}
	for at := int64(1); at <= 7; at++ {
		for i, method := range []string{"PUT ", "DELETE "} {
			w.cut.Store(at)
			w.do(0, "eve", method+like, nil)
			w.do(200, "eve", method+like, nil)
			require.Equal(t, strconv.Itoa(2-i), w.items("eve", "/week")[1]["score"])
			bell := w.items("ann", "/bell")
			require.Equal(t, []any{float64(2 - i), 2.}, []any{bell[i]["n"], bell[1-i]["n"]}, "her own like rings nothing")
		}
	}

	// They comment, and the bell rings once for each comment.
	comments := "/photos/" + first + "/comments"
	for _, key := range []string{"a", "a", "b", "c"} {
		w.do(200, jack, "POST "+comments, text(key))
	}
	require.Len(t, w.items("eve", comments), 3)
	shown := w.items(jack, "/home")[1]
	require.Equal(t, []any{first, 1., 3., true}, []any{shown["name"], shown["likes"], shown["comments"], shown["liked"]})
	require.Equal(t, 3., w.do(200, "ann", "GET /bell/unseen", nil)["n"])
	view := object{"view": w.do(200, "ann", "GET /bell", nil)["view"]}
	require.Equal(t, object{"changed": true}, w.do(200, "ann", "POST /bell/seen", view))
	require.Equal(t, object{"changed": true}, w.do(200, "ann", "POST /bell/read", view))

	// They write messages.
	w.do(200, jack, "POST /messages/ann", text("x"))
	w.do(200, jack, "POST /messages/ann", text("x"))
	require.Len(t, w.items("ann", "/messages/"+jack), 1)
	require.Equal(t, 1., w.items("ann", "/messages")[0]["unread"])
	require.Equal(t, object{"changed": true}, w.do(200, "ann", "POST /messages/"+jack+"/read", object{"seq": 1}))

	// A mistake has its status, and changes nothing.
	for request, status := range map[string]int{
		"GET /home?limit=0": 400, "GET /home?cursor=AA": 400, "PUT /photos/ann/nonsense/like": 400, "PUT /photos/ann/0000000000001/like": 404,
		"POST /photos/ann/0000000000001/comments": 404, "POST /messages/" + jack: 400,
	} {
		w.do(status, jack, request, text("z"))
	}
	w.do(400, jack, "POST /photos", object{"key": "z", "data": strings.Repeat("x", 8<<10)})
	w.do(401, "", "GET /home", nil)

	// Jack goes, with what he did; then ann, with her photos, though her requests are cut later and later.
	w.do(200, jack, "DELETE /me", nil)
	require.Empty(t, w.items("eve", comments))
	require.Len(t, w.items("eve", "/week"), 1, "nobody likes the other")
	w.do(200, "eve", "PUT /following/ann", nil)
	for at := int64(3); at == 3 || w.do(0, "ann", "DELETE /me", nil)["left"] == nil; at += 3 {
		w.cut.Store(at)
	}
	require.Empty(t, append(w.items("eve", "/home"), w.items("eve", "/week")...))
	w.do(404, "eve", "PUT "+like, nil)
	require.NoError(t, w.Close(t.Context()))
}
