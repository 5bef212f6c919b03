package main

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
)

// What package guard and the features refuse has one row for each route and field.
func badInputIsRefusedWithAReasonAndNothingIsWritten(t *testing.T, w world) {
	const activities, comments = "/users/chris/activities", "/objects/picture:1/comments"
	const saying = `{"user":"ann","text":"a",`
	const score = "/leaderboard/all-time/scores/ann"
	at := comments + "/" + fromNow(0)
	long := strings.Repeat("x", 257)
	boards := w.items(t)
	for name, c := range map[string]struct {
		contentType        string // defaults to application/json
		method, path, body string
		status             int // defaults to 400
		field              string
	}{
		"no JSON":             {method: "POST", path: activities, body: `{"verb":`, field: "body"},
		"no body":             {method: "POST", path: activities, contentType: "application/json", status: 415, field: "content-type"},
		"another type":        {method: "POST", path: activities, contentType: "text/plain", body: `{"verb":"add"}`, status: 415, field: "content-type"},
		"2 MiB":               {method: "POST", path: activities, body: `{"verb":"add","data":"` + strings.Repeat("x", 2<<20) + `"}`, status: 413, field: "body"},
		"null":                {method: "POST", path: activities, body: `null`, field: "verb"},
		"an unknown field":    {method: "POST", path: activities, body: `{"verb":"add","actor":"user:jack"}`, field: "body"},
		"a number for a verb": {method: "POST", path: activities, body: `{"verb":5}`, field: "verb"},
		"no verb":             {method: "POST", path: activities, body: `{}`, field: "verb"},
		"no kind of object":   {method: "POST", path: activities, body: `{"verb":"add","object":":1"}`, field: "object"},
		"no id of target":     {method: "POST", path: activities, body: `{"verb":"add","target":"album:"}`, field: "target"},
		"no time":             {method: "POST", path: activities, body: `{"verb":"add","time":"today"}`, field: "time"},
		"no id":               {method: "POST", path: activities, body: `{"verb":"add","id":"x"}`, field: "id"},
		"an id of tomorrow":   {method: "POST", path: activities, body: `{"verb":"add","id":"` + fromNow(24*time.Hour) + `"}`, field: "id"},
		"a long foreign id":   {method: "POST", path: activities, body: `{"verb":"add","foreignId":"` + long + `"}`, field: "foreignId"},
		"21 to":               {method: "POST", path: activities, body: `{"verb":"add","to":["a` + strings.Repeat(`","a`, 20) + `"]}`, field: "to"},
		"too large":           {method: "POST", path: activities, body: `{"verb":"add","data":"` + strings.Repeat("x", 300<<10) + `"}`, field: "activity"},
		"a long user":         {method: "POST", path: "/users/" + long + "/activities", body: `{"verb":"add"}`, field: "user"},
		"edit of no id":       {method: "PUT", path: activities + "/x", body: `{"verb":"add"}`, field: "id"},
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
		"a query":             {method: "GET", path: "/users/chris/home?cursor=%zz", field: "query"},
		"another parameter":   {method: "GET", path: "/users/chris/counts?kind=like", field: "query"},

		"no text":             {method: "POST", path: comments, body: `{"user":"ann"}`, field: "text"},
		"a comment by nobody": {method: "POST", path: comments, body: `{"text":"a"}`, field: "user"},
		"a long object":       {method: "POST", path: "/objects/" + long + "/comments", body: `{"user":"ann","text":"a"}`, field: "object"},
		"51 mentions":         {method: "POST", path: comments, body: saying + `"mentions":["a` + strings.Repeat(`","a`, 50) + `"]}`, field: "mentions"},
		"a mention twice":     {method: "POST", path: comments, body: saying + `"mentions":["a","a"]}`, field: "mentions[1]"},
		"large data":          {method: "POST", path: comments, body: saying + `"data":"` + strings.Repeat("x", 5<<10) + `"}`, field: "data"},
		"a long key":          {method: "POST", path: comments, body: saying + `"key":"` + long + `"}`, field: "key"},
		"no comment's id":     {method: "POST", path: comments, body: saying + `"id":"x"}`, field: "id"},
		"a comment's id old":  {method: "POST", path: comments, body: saying + `"id":"` + fromNow(-25*time.Hour) + `"}`, field: "id"},
		"no root":             {method: "POST", path: comments, body: saying + `"root":"x"}`, field: "root"},
		"no parent":           {method: "POST", path: comments, body: saying + `"parent":"x"}`, field: "parent"},
		"a quote of nothing":  {method: "POST", path: comments, body: saying + `"quote":{}}`, field: "quote.id"},
		"a quote in no root":  {method: "POST", path: comments, body: saying + `"quote":{"root":"x","id":"` + fromNow(0) + `"}}`, field: "quote.root"},
		"a quote and more":    {method: "POST", path: comments, body: saying + `"quote":{"object":"picture:2"}}`, field: "body"},
		"a quote in a reply":  {method: "POST", path: comments, body: saying + `"root":"` + fromNow(0) + `","quote":{"id":"` + fromNow(0) + `"}}`, field: "quote"},

		"comment of no id":      {method: "GET", path: comments + "/x", field: "id"},
		"comment in no root":    {method: "GET", path: at + "?root=x", field: "root"},
		"editing no comment":    {method: "PUT", path: comments + "/x", body: `{"user":"ann","text":"a"}`, field: "id"},
		"editing a key":         {method: "PUT", path: at, body: saying + `"key":"k"}`, field: "body"},
		"editing to nothing":    {method: "PUT", path: at, body: `{"user":"ann"}`, field: "text"},
		"deleting no comment":   {method: "DELETE", path: comments + "/x?user=ann", field: "id"},
		"deleting by nobody":    {method: "DELETE", path: at, field: "user"},
		"hiding no comment":     {method: "PUT", path: comments + "/x/hidden", field: "id"},
		"hiding in no root":     {method: "PUT", path: at + "/hidden?root=x", field: "root"},
		"showing no comment":    {method: "DELETE", path: comments + "/x/hidden", field: "id"},
		"removing no comment":   {method: "POST", path: comments + "/x/removal", body: `{"by":"mod"}`, field: "id"},
		"removing by nobody":    {method: "POST", path: at + "/removal", body: `{"reason":"spam"}`, field: "by"},
		"removing for a long":   {method: "POST", path: at + "/removal", body: `{"by":"mod","reason":"` + strings.Repeat(long, 4) + `"}`, field: "reason"},
		"pinning no comment":    {method: "PUT", path: comments + "/x/pinned", field: "id"},
		"pinning a reply":       {method: "PUT", path: at + "/pinned?root=" + at[len(at)-13:], field: "query"},
		"unpinning from a long": {method: "DELETE", path: "/objects/" + long + "/comments" + at[len(comments):] + "/pinned", field: "object"},
		"another order":         {method: "GET", path: comments + "?order=best", field: "order"},
		"another order below":   {method: "GET", path: at + "/replies?order=best", field: "order"},
		"the order of the top":  {method: "GET", path: "/objects/picture:1/top?order=oldest", field: "query"},
		"replies to no id":      {method: "GET", path: comments + "/x/replies", field: "root"},
		"threads, a cursor":     {method: "GET", path: "/objects/picture:1/threads?cursor=x", field: "cursor"},
		"comments of a long":    {method: "GET", path: "/users/" + long + "/comments", field: "user"},

		"another kind":           {method: "PUT", path: "/objects/picture:1/reactions/loathe/ann", field: "kind"},
		"no more of its kind":    {method: "DELETE", path: "/objects/picture:1/reactions/loathe/ann", field: "kind"},
		"a like by a long":       {method: "PUT", path: "/objects/picture:1/reactions/like/" + long, field: "user"},
		"a like of a long":       {method: "PUT", path: "/objects/" + long + "/reactions/like/ann", field: "object"},
		"reactions of its kind":  {method: "GET", path: "/objects/picture:1/reactions?kind=loathe", field: "kind"},
		"reactions by its kind":  {method: "GET", path: "/users/ann/reactions?kind=loathe", field: "kind"},
		"reactions, a cursor":    {method: "GET", path: "/users/ann/reactions?cursor=x", field: "cursor"},
		"reactions to 101":       {method: "GET", path: "/users/ann/reacted?" + strings.Repeat("&object=a", 101)[1:], field: "object"},
		"a reaction to a long":   {method: "GET", path: "/users/ann/reacted?object=a&object=" + long, field: "object[1]"},
		"counts of a long thing": {method: "GET", path: "/objects/" + long + "/counts", field: "object"},

		"no score":             {method: "PUT", path: score, body: `{"name":"Ann"}`, field: "score"},
		"a word for a score":   {method: "PUT", path: score, body: `{"score":"five"}`, field: "score"},
		"a score above 1e12":   {method: "PUT", path: score, body: `{"score":1000000000001}`, field: "score"},
		"half a sub score":     {method: "PUT", path: score, body: `{"score":5,"sub":0.5}`, field: "sub"},
		"a long name":          {method: "PUT", path: score, body: `{"score":5,"name":"` + long + `"}`, field: "name"},
		"no op":                {method: "PUT", path: score, body: `{"score":5,"op":"x"}`, field: "op"},
		"an op of last week":   {method: "PUT", path: score, body: `{"score":5,"op":"` + fromNow(-7*24*time.Hour) + `"}`, field: "op"},
		"a score of a long":    {method: "PUT", path: "/leaderboard/all-time/scores/" + long, body: `{"score":5}`, field: "player"},
		"a score on a long":    {method: "PUT", path: "/leaderboard/" + long + "/scores/ann", body: `{"score":5}`, field: "board"},
		"no score of a long":   {method: "DELETE", path: "/leaderboard/all-time/scores/" + long, field: "player"},
		"no score, no period":  {method: "DELETE", path: score + "?period=x", field: "period"},
		"the place of a long":  {method: "GET", path: "/leaderboard/all-time/players/" + long, field: "player"},
		"a place, no period":   {method: "GET", path: "/leaderboard/all-time/players/ann?period=x", field: "period"},
		"a place, a limit":     {method: "GET", path: "/leaderboard/all-time/players/ann?limit=1", field: "query"},
		"standings of a long":  {method: "GET", path: "/leaderboard/" + long, field: "board"},
		"standings, no period": {method: "GET", path: "/leaderboard/all-time?period=today", field: "period"},
		"standings, a cursor":  {method: "GET", path: "/leaderboard/all-time?cursor=x", field: "cursor"},
		"n around nobody":      {method: "GET", path: "/leaderboard/all-time?n=7", field: "query"},
		"around an empty name": {method: "GET", path: "/leaderboard/all-time?around=", field: "around"},
		"around a long":        {method: "GET", path: "/leaderboard/all-time?around=" + long, field: "around"},
		"around, n=x":          {method: "GET", path: "/leaderboard/all-time?around=ann&n=x", field: "n"},
		"around, a limit":      {method: "GET", path: "/leaderboard/all-time?around=ann&limit=7", field: "query"},
		"around and friends":   {method: "GET", path: "/leaderboard/all-time?around=ann&friends=ann", field: "query"},
		"friends of nobody":    {method: "GET", path: "/leaderboard/all-time?friends=", field: "friends"},
		"friends of a long":    {method: "GET", path: "/leaderboard/all-time?friends=" + long, field: "friends"},
		"friends, a cursor":    {method: "GET", path: "/leaderboard/all-time?friends=ann&cursor=x", field: "query"},
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
			if os.Getenv("CI") != "" {
				require.Equal(t, boards, w.items(t))
			}
		})
	}
	require.Equal(t, boards, w.items(t))
}

// fromNow returns an id of a time relative to now.
func fromNow(d time.Duration) string { return ids.At(time.Now().Add(d)).String() }

func inputJustWithinTheLimitsIsAccepted(t *testing.T, w world) {
	for name, body := range map[string]string{
		"256 bytes": `{"verb":"` + strings.Repeat("x", 256) + `"}`,
		"250 KiB":   `{"verb":"add","data":"` + strings.Repeat("x", 250<<10) + `"}`,
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, http.StatusCreated, w.send(t, "POST", "/users/carla/activities", body).status)
		})
	}
	hundred := "/users/cara/reacted?"
	for n := range 100 {
		hundred += fmt.Sprintf("&object=%s%03d", strings.Repeat("%C3%A9", 126), n)
	}
	require.Len(t, done[map[string][]string](t, w.send(t, "GET", hundred, "")), 100)
	a := w.sendAs(t, "application/json; charset=utf-8", "POST", "/users/"+strings.Repeat("x", 256)+"/activities", `{"verb":"add"}`)
	require.Equal(t, http.StatusCreated, a.status)
}

func aCursorBelongsToOneListOfOneUser(t *testing.T, w world) {
	for range 2 {
		done[feed.Activity](t, w.send(t, "POST", "/users/cecil/activities", `{"verb":"add"}`))
	}
	next := string(done[cursor.Page[feed.Activity]](t, w.send(t, "GET", "/users/cecil/activities?limit=1", "")).Next)
	require.Len(t, done[cursor.Page[feed.Activity]](t, w.send(t, "GET", "/users/cecil/activities?cursor="+next, "")).Items, 1)
	for _, path := range []string{
		"/users/clara/activities?cursor=" + next,
		"/users/cecil/home?cursor=" + next,
		"/users/cecil/followers?cursor=" + next,
		"/users/cecil/activities?cursor=" + next[1:],
	} {
		require.Equal(t, "cursor", refused(t, w.send(t, "GET", path, ""), http.StatusBadRequest).Field)
	}
}
