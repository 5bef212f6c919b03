package main

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/internal/faults"
)

func aRepeatedPostIsOneActivity(t *testing.T, w world) {
	done[followed](t, w.send(t, "PUT", "/users/ludwig/following/lotte", ""))
	id := done[minted](t, w.send(t, "POST", "/ids", "")).ID.String()
	body := `{"id":"` + id + `","verb":"add","object":"picture:37"}`
	first := w.send(t, "POST", "/users/lotte/activities", body)
	require.Equal(t, http.StatusCreated, first.status)
	again := w.send(t, "POST", "/users/lotte/activities", body)
	require.Equal(t, first.status, again.status)
	require.Equal(t, first.text, again.text)

	other := w.send(t, "POST", "/users/lotte/activities", `{"id":"`+id+`","verb":"add","object":"picture:2"}`)
	require.Equal(t, id, refused(t, other, http.StatusConflict).ID.String())
	for _, list := range []string{"/users/lotte/activities", "/users/ludwig/home"} {
		require.Equal(t, []string{"picture:37"}, w.objects(t, list))
	}

	done[removal](t, w.send(t, "DELETE", "/users/lotte/activities/"+id, ""))
	refused(t, w.send(t, "POST", "/users/lotte/activities", body), http.StatusGone)
}

// loses is a script that loses every answer of an operation.
func loses(operation string) func(string, []byte, int) faults.Fault {
	return func(op string, _ []byte, _ int) faults.Fault {
		if op == operation {
			return faults.Fault{Kind: faults.LostAfter}
		}
		return faults.Fault{}
	}
}

func TestALostPostReturnsTheIDForARepeat(t *testing.T) {
	t.Parallel()
	in := faults.New(t, 0, faults.Rates{})
	w := newWorld(t, in.Wrap)
	for path, body := range map[string]string{
		"/users/chris/activities":     `"verb":"add","object":"picture:1"}`,
		"/objects/picture:1/comments": `"user":"jack","text":"a"}`,
	} {
		t.Run(path, func(t *testing.T) {
			in.Script(loses("TransactWriteItems"))
			lost := w.send(t, "POST", path, "{"+body)
			id := refused(t, lost, http.StatusServiceUnavailable).ID
			require.NotZero(t, id)
			require.Equal(t, "1", lost.header.Get("Retry-After"))

			in.Script(nil)
			again := w.send(t, "POST", path, `{"id":"`+id.String()+`",`+body)
			require.Equal(t, id, done[minted](t, again).ID)
			listed := done[cursor.Page[minted]](t, w.send(t, "GET", path, "")).Items
			require.Equal(t, []minted{{id}}, listed)
		})
	}
}

func TestThrottlingIsAnsweredWithRetryAfter(t *testing.T) {
	t.Parallel()
	in := faults.New(t, 0, faults.Rates{Throttled: 1})
	in.Off()
	w := newWorld(t, in.Wrap)
	in.On()
	a := w.send(t, "GET", "/users/chris/counts", "")
	refused(t, a, http.StatusServiceUnavailable)
	require.Equal(t, "1", a.header.Get("Retry-After"))
	in.Off()
}
