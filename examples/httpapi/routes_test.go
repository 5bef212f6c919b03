package main

import (
	"fmt"
	"log/slog"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/tables"
)

func peopleFollowAndUnfollow(t *testing.T, w world) {
	w.once(t, "PUT", "/users/julius/following/judith", "")
	require.Equal(t, follow.Counts{Followers: 1}, done[follow.Counts](t, w.send(t, "GET", "/users/judith/counts", "")))
	require.Equal(t, follow.Counts{Following: 1}, done[follow.Counts](t, w.send(t, "GET", "/users/julius/counts", "")))
	require.Equal(t, "julius", done[cursor.Page[edge]](t, w.send(t, "GET", "/users/judith/followers", "")).Items[0].User)
	require.Equal(t, "judith", done[cursor.Page[edge]](t, w.send(t, "GET", "/users/julius/following", "")).Items[0].User)

	w.once(t, "DELETE", "/users/julius/following/judith", "")
	require.JSONEq(t, `{"items":[]}`, w.send(t, "GET", "/users/judith/followers", "").text)
}

func activitiesArePublishedEditedAndRemoved(t *testing.T, w world) {
	done[followed](t, w.send(t, "PUT", "/users/ken/following/kate", ""))
	const all = `{"verb":"add","object":"picture:33","target":"album:<1>","foreignId":"p/1","to":["karl"],` +
		`"time":"2024-02-29T12:00:00.5+01:00","data":{"n":[1e2,"<é>"]}}`
	a := done[feed.Activity](t, w.send(t, "POST", "/users/kate/activities", all))
	at := "/users/kate/activities/" + a.ID.String()
	read := w.send(t, "GET", at, "").text
	require.JSONEq(t, fmt.Sprintf(`{"id":"%v","actor":"user:kate","verb":"add","object":"picture:33","target":"album:<1>","foreignId":"p/1",`+
		`"time":"2024-02-29T11:00:00.5Z","to":["karl"],"data":{"n":[1e2,"<é>"]}}`, a.ID), read)
	require.Contains(t, read, `"album:<1>"`)
	require.Equal(t, []string{"picture:33"}, w.objects(t, "/users/karl/activities"))

	edited := done[feed.Activity](t, w.send(t, "PUT", at, `{"verb":"add","object":"picture:2"}`))
	require.Equal(t, "p/1", edited.ForeignID)
	require.Equal(t, []string{"picture:2"}, w.objects(t, "/users/ken/home"))
	refused(t, w.send(t, "PUT", "/users/ken/activities/"+a.ID.String(), `{"verb":"add"}`), http.StatusNotFound)

	w.once(t, "DELETE", "/users/kate/activities?foreignId=p%2F1", "")
	require.Empty(t, w.objects(t, "/users/ken/home"))
	refused(t, w.send(t, "GET", at, ""), http.StatusNotFound)
	refused(t, w.send(t, "PUT", at, `{"verb":"add"}`), http.StatusGone)
	require.False(t, done[removal](t, w.send(t, "DELETE", at, "")).Removed)
}

func homesArePagedAndPolled(t *testing.T, w world) {
	done[followed](t, w.send(t, "PUT", "/users/konrad/following/klara", ""))
	publish := func(n int) {
		done[feed.Activity](t, w.send(t, "POST", "/users/klara/activities", fmt.Sprintf(`{"verb":"add","object":"picture:%d"}`, n)))
	}
	for n := range 5 {
		publish(n)
	}
	var seen []string
	var first cursor.Page[feed.Activity]
	for next := ""; ; {
		p := done[cursor.Page[feed.Activity]](t, w.send(t, "GET", "/users/konrad/home?limit=2&cursor="+next, ""))
		if next == "" {
			first = p
		}
		for _, a := range p.Items {
			seen = append(seen, a.Object.ID)
		}
		if next = string(p.Next); next == "" {
			break
		}
	}
	require.Equal(t, []string{"4", "3", "2", "1", "0"}, seen)

	publish(5)
	require.Equal(t, []string{"picture:5"}, w.objects(t, "/users/konrad/home?cursor="+string(first.Prev)))
}

func aHomeIsReadInGroups(t *testing.T, w world) {
	for _, user := range []string{"laura", "lambert"} {
		done[followed](t, w.send(t, "PUT", "/users/lea/following/"+user, ""))
		done[feed.Activity](t, w.send(t, "POST", "/users/"+user+"/activities", `{"verb":"pin","object":"place:35","target":"board:35"}`))
	}
	done[feed.Activity](t, w.send(t, "POST", "/users/laura/activities", `{"verb":"add","object":"picture:35"}`))
	page := done[cursor.Page[feed.Group]](t, w.send(t, "GET", "/users/lea/grouped", ""))
	var shown []string
	for _, g := range page.Items {
		shown = append(shown, fmt.Sprint(len(g.Activities), g.Activities[0].Verb, g.Actors, g.More))
	}
	require.Contains(t, [][]string{
		{"1add[user:laura] false", "2pin[user:lambert user:laura] false"},
		{"1add[user:laura] false", "1pin[user:lambert] false", "1pin[user:laura] false"}, // a day has ended meanwhile
	}, shown)

	read := 0
	for next := ""; ; {
		page := done[cursor.Page[feed.Group]](t, w.send(t, "GET", "/users/lea/grouped?limit=1&cursor="+next, ""))
		for _, g := range page.Items {
			read += len(g.Activities)
		}
		if next = string(page.Next); next == "" {
			break
		}
	}
	require.Equal(t, 3, read)
}

func aHomeIsTheSameFromAPulledSource(t *testing.T, w world) {
	done[followed](t, w.send(t, "PUT", "/users/linus/following/leo", ""))
	publish := func(object string) {
		done[feed.Activity](t, w.send(t, "POST", "/users/leo/activities", `{"verb":"add","object":"`+object+`"}`))
	}
	mode := func() feed.Mode { return done[reach](t, w.send(t, "GET", "/users/leo/pulled", "")).Mode }
	publish("picture:36")
	require.Equal(t, feed.Pushed, mode())
	for _, to := range []struct {
		method       string
		begun, ended feed.Mode
		object       string
		home         []string
	}{
		{"PUT", feed.Opening, feed.Pulled, "picture:2", []string{"picture:2", "picture:36"}},
		{"DELETE", feed.Closing, feed.Pushed, "picture:3", []string{"picture:3", "picture:2", "picture:36"}},
	} {
		for _, changed := range []bool{true, false} {
			require.Equal(t, changed, done[change](t, w.send(t, to.method, "/users/leo/pulled", "")).Changed)
			require.Equal(t, to.begun, mode())
		}
		_, err := w.service.feeds.Deliver(t.Context()) // as the server does all the time
		require.NoError(t, err)
		require.Equal(t, to.ended, mode())
		publish(to.object)
		require.Equal(t, to.home, w.objects(t, "/users/linus/home"))
	}
}

func namesMayHaveAnyCharacter(t *testing.T, w world) {
	done[followed](t, w.send(t, "PUT", "/users/a%2Fb/following/c:d%23%3F%20%25%C3%A9", ""))
	done[followed](t, w.send(t, "PUT", "/users/a/following/%2E%2E", ""))
	require.Equal(t, "c:d#? %é", done[cursor.Page[edge]](t, w.send(t, "GET", "/users/a%2Fb/following", "")).Items[0].User)
	require.Equal(t, "..", done[cursor.Page[edge]](t, w.send(t, "GET", "/users/a/following", "")).Items[0].User)
	got := done[feed.Activity](t, w.send(t, "POST", "/users/c:d%23%3F%20%25%C3%A9/activities", `{"verb":"add"}`))
	require.Equal(t, "user:c:d#? %é", got.Actor.String())
	require.Len(t, w.objects(t, "/users/a%2Fb/home"), 1)
}

func unknownRoutesAreRefusedAsJSON(t *testing.T, w world) {
	refused(t, w.send(t, "GET", "/", ""), http.StatusNotFound)
	refused(t, w.send(t, "GET", "/users/jack", ""), http.StatusNotFound)
	a := w.send(t, "POST", "/users/jack/home", "")
	refused(t, a, http.StatusMethodNotAllowed)
	require.Equal(t, "GET, HEAD", a.header.Get("Allow"))
}

func TestInternalErrorsAreNotShown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	require.NoError(t, w.env.DB.Table(w.env.Tables.Follow).DeleteTable().Run(t.Context()))
	a := w.send(t, "GET", "/users/jack/counts", "")
	require.Equal(t, http.StatusInternalServerError, a.status)
	require.JSONEq(t, `{"error":"Internal Server Error"}`, a.text)
}

func anotherFeaturesTableIsRefusedAtTheStart(t *testing.T, w world) {
	log := slog.New(slog.DiscardHandler)
	codec, err := newCodec(environment(nil), log)
	require.NoError(t, err)
	for _, wrong := range []func(*tables.Names){
		func(t *tables.Names) { t.Follow = t.Reaction },
		func(t *tables.Names) { t.Reaction = t.Follow },
		func(t *tables.Names) { t.Follow = t.Machines },
		func(t *tables.Names) { t.Machines = t.Feed },
		func(t *tables.Names) { t.Feed, t.Comment = t.Comment, t.Feed },
		func(t *tables.Names) { t.Leaderboard = t.Feed },
	} {
		names := w.env.Tables
		wrong(&names)
		_, err = newService(t.Context(), w.env.DB, names, codec, log)
		require.ErrorIs(t, err, plaza.ErrTable)
	}
}
