package main

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/ids"
)

func TestBadInputIsRefusedWithAReasonAndNothingIsWritten(t *testing.T) {
	t.Parallel()
	const activities = "/users/chris/activities"
	long := strings.Repeat("x", 257)
	nested := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	w := newWorld(t)
	for name, c := range map[string]struct {
		contentType        string // application/json
		method, path, body string
		status             int // 400
		field              string
	}{
		"no JSON":             {method: "POST", path: activities, body: `{"verb":`, field: "body"},
		"a value and more":    {method: "POST", path: activities, body: `{"verb":"add"} {}`, field: "body"},
		"no body":             {method: "POST", path: activities, contentType: "application/json", status: 415, field: "content-type"},
		"another type":        {method: "POST", path: activities, contentType: "text/plain", body: `{"verb":"add"}`, status: 415, field: "content-type"},
		"2 MiB":               {method: "POST", path: activities, body: `{"verb":"add","data":"` + strings.Repeat("x", 2<<20) + `"}`, status: 413, field: "body"},
		"nested 10,000 deep":  {method: "POST", path: activities, body: `{"verb":"add","data":` + nested(10_000) + `}`, field: "body"},
		"nested 33 deep":      {method: "POST", path: activities, body: `{"verb":"add","data":` + nested(32) + `}`, field: "body"},
		"no object":           {method: "POST", path: activities, body: `["add"]`, field: "body"},
		"null":                {method: "POST", path: activities, body: `null`, field: "verb"},
		"an unknown field":    {method: "POST", path: activities, body: `{"verb":"add","actor":"user:jack"}`, field: "body"},
		"a number for a verb": {method: "POST", path: activities, body: `{"verb":5}`, field: "verb"},
		"no UTF-8":            {method: "POST", path: activities, body: "{\"verb\":\"\xff\"}", field: "body"},
		"no verb":             {method: "POST", path: activities, body: `{}`, field: "verb"},
		"a long verb":         {method: "POST", path: activities, body: `{"verb":"` + long + `"}`, field: "verb"},
		"no kind of object":   {method: "POST", path: activities, body: `{"verb":"add","object":":1"}`, field: "object"},
		"no id of target":     {method: "POST", path: activities, body: `{"verb":"add","target":"album:"}`, field: "target"},
		"no time":             {method: "POST", path: activities, body: `{"verb":"add","time":"today"}`, field: "time"},
		"no id":               {method: "POST", path: activities, body: `{"verb":"add","id":"x"}`, field: "id"},
		"an id of tomorrow":   {method: "POST", path: activities, body: `{"verb":"add","id":"` + fromNow(24*time.Hour) + `"}`, field: "id"},
		"an id of last week":  {method: "POST", path: activities, body: `{"verb":"add","id":"` + fromNow(-7*24*time.Hour) + `"}`, field: "id"},
		"a long foreign id":   {method: "POST", path: activities, body: `{"verb":"add","foreignId":"` + long + `"}`, field: "foreignId"},
		"21 to":               {method: "POST", path: activities, body: `{"verb":"add","to":["a` + strings.Repeat(`","a`, 20) + `"]}`, field: "to"},
		"too large":           {method: "POST", path: activities, body: `{"verb":"add","data":"` + strings.Repeat("x", 300<<10) + `"}`, field: "activity"},
		"a long user":         {method: "POST", path: "/users/" + long + "/activities", body: `{"verb":"add"}`, field: "user"},
		"a user of no UTF-8":  {method: "POST", path: "/users/%ff/activities", body: `{"verb":"add"}`, field: "user"},
		"edit of no id":       {method: "PUT", path: activities + "/x", body: `{"verb":"add"}`, field: "id"},
		"edit of the zero id": {method: "PUT", path: activities + "/0000000000000", body: `{"verb":"add"}`, field: "id"},
		"edit of to":          {method: "PUT", path: activities + "/" + fromNow(0), body: `{"verb":"add","to":["a"]}`, field: "body"},
		"get of no id":        {method: "GET", path: activities + "/x", field: "id"},
		"removal of no id":    {method: "DELETE", path: activities + "/x", field: "id"},
		"no foreign id":       {method: "DELETE", path: activities, field: "foreignId"},
		"follow by a long":    {method: "PUT", path: "/users/" + long + "/following/chris", field: "user"},
		"follow of a long":    {method: "PUT", path: "/users/chris/following/" + long, field: "other"},
		"follow of oneself":   {method: "PUT", path: "/users/chris/following/chris", field: "other"},
		"counts of a long":    {method: "GET", path: "/users/" + long + "/counts", field: "user"},
		"a cursor":            {method: "GET", path: "/users/chris/home?cursor=x", field: "cursor"},
		"limit=x":             {method: "GET", path: "/users/chris/home?limit=x", field: "limit"},
		"limit=-1":            {method: "GET", path: "/users/chris/followers?limit=-1", field: "limit"},
		"a query":             {method: "GET", path: "/users/chris/home?cursor=%zz", field: "query"},
	} {
		t.Run(name, func(t *testing.T) {
			if c.contentType == "" {
				c.contentType = "application/json"
			}
			if c.status == 0 {
				c.status = http.StatusBadRequest
			}
			got := refused(t, w.sendAs(t, c.contentType, c.method, c.path, c.body), c.status)
			require.Equal(t, c.field, got.Field)
			require.NotEmpty(t, got.Reason)
			require.Zero(t, w.items(t))
		})
	}
}

// fromNow is an id of another time.
func fromNow(d time.Duration) string { return ids.At(time.Now().Add(d)).String() }

func TestWhatIsJustWithinTheLimitsIsTaken(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	brackets := strings.Repeat("[", 31) + `"\"` + strings.Repeat("[{", 20) + `"` + strings.Repeat("]", 31)
	for name, body := range map[string]string{
		"32 levels, and brackets in text": `{"verb":"add","data":` + brackets + `}`,
		"256 bytes":                       `{"verb":"` + strings.Repeat("x", 256) + `"}`,
		"250 KiB":                         `{"verb":"add","data":"` + strings.Repeat("x", 250<<10) + `"}`,
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, http.StatusCreated, w.send(t, "POST", "/users/chris/activities", body).status)
		})
	}
	a := w.sendAs(t, "application/json; charset=utf-8", "POST", "/users/"+strings.Repeat("x", 256)+"/activities", `{"verb":"add"}`)
	require.Equal(t, http.StatusCreated, a.status)
}

func TestACursorIsOfOneListOfOneUser(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for range 2 {
		done[activity](t, w.send(t, "POST", "/users/chris/activities", `{"verb":"add"}`))
	}
	next := string(done[page[activity]](t, w.send(t, "GET", "/users/chris/activities?limit=1", "")).Next)
	require.Len(t, done[page[activity]](t, w.send(t, "GET", "/users/chris/activities?cursor="+next, "")).Items, 1)
	for _, path := range []string{
		"/users/jack/activities?cursor=" + next,
		"/users/chris/home?cursor=" + next,
		"/users/chris/followers?cursor=" + next,
		"/users/chris/activities?cursor=" + next[1:],
	} {
		require.Equal(t, "cursor", refused(t, w.send(t, "GET", path, ""), http.StatusBadRequest).Field)
	}
}
