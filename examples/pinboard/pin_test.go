package main

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed/reaction"
	"github.com/plaza-sdk/plaza/ids"
)

func TestPublishingAPictureTwicePinsItOnce(t *testing.T) {
	t.Parallel()
	ann := newWorld(t).as(t, "ann")
	body := publish{Title: hostile, Board: ann.makeBoard("Places to Visit")}
	drew := call[drawn](ann, http.MethodPost, "/api/pictures", nothing{})
	cost, _ := ann.last()
	require.Zero(t, cost.Requests, "drawing writes nothing")
	body.Picture, body.Proof = drew.Picture, drew.Proof
	require.Equal(t, saved{true, "ann.places-to-visit"}, call[saved](ann, http.MethodPost, "/api/pins", body))
	require.Equal(t, saved{false, "ann.places-to-visit"}, call[saved](ann, http.MethodPost, "/api/pins", body))
	for _, list := range []string{"/api/people/ann/pins", "/api/boards/ann.places-to-visit/pins", "/api/tags/" + drew.Tag + "/pins", "/api/home"} {
		require.Equal(t, []string{hostile}, titles(get[cursor.Page[card]](ann, list)), list)
	}
	got := get[card](ann, "/api/pins/"+drew.Picture)
	require.Equal(t, pinData{hostile, "Places to Visit", drew.Tag}, got.pinData)
	require.Equal(t, [2]int{drew.Width, drew.Height}, [2]int{got.Width, got.Height})
}

func onlyAFreshPictureOfOnesOwnIsPublished(t *testing.T, w *world) {
	alejandro, alina := w.as(t, "alejandro"), w.as(t, "alina")
	places, foreign := alejandro.makeBoard("Places"), alina.makeBoard("Places")
	fresh, others := alejandro.draw("Fresh", places), alina.draw("Mine", foreign)
	of := func(change func(*publish)) publish {
		body := fresh
		change(&body)
		return body
	}
	old := pictureID{"alejandro", ids.At(time.Now().Add(-25 * time.Hour))}.String()
	chosen := pictureID{"alejandro", ids.At(time.Now())}.String()
	for _, c := range []struct {
		status int
		field  string
		body   any
	}{
		{http.StatusBadRequest, "picture", publish{old, "Old", places, w.proofOf(old)}},
		{http.StatusBadRequest, "picture", of(func(p *publish) { p.Picture = chosen })},
		{http.StatusBadRequest, "picture", of(func(p *publish) { p.Proof = "" })},
		{http.StatusBadRequest, "picture", of(func(p *publish) { p.Proof = others.Proof })},
		{http.StatusBadRequest, "picture", publish{Picture: "../alejandro", Title: "Path", Board: places}},
		{http.StatusBadRequest, "title", of(func(p *publish) { p.Title = "  " })},
		{http.StatusBadRequest, "body", map[string]string{"user": "alina"}},
		{http.StatusForbidden, "", of(func(p *publish) { p.Board = foreign })},
		{http.StatusNotFound, "", of(func(p *publish) { p.Board = "alejandro.none" })},
		{http.StatusNotFound, "", of(func(p *publish) { p.Board = "nobody.places" })},
		{http.StatusNotFound, "", of(func(p *publish) { p.Picture = others.Picture })},
	} {
		require.Equal(t, c.field, alejandro.refused(c.status, http.MethodPost, "/api/pins", c.body).Field, "%v", c.body)
	}
	require.Empty(t, get[cursor.Page[card]](alejandro, "/api/people/alejandro/pins").Items)
}

func anotherOnesPictureIsSavedOnce(t *testing.T, w *world) {
	amara, amelie := w.as(t, "amara"), w.as(t, "amelie")
	picture := amara.pin("Dawn")
	body := publish{Picture: picture, Title: "Mine now", Board: amelie.makeBoard("Saved")}
	require.Equal(t, saved{true, "amelie.saved"}, call[saved](amelie, http.MethodPost, "/api/pins", body))
	body.Board = amelie.makeBoard("Elsewhere")
	require.Equal(t, saved{false, "amelie.saved"}, call[saved](amelie, http.MethodPost, "/api/pins", body), "it is on a board")
	pins := get[cursor.Page[card]](amara, "/api/people/amelie/pins").Items
	require.Len(t, pins, 1)
	require.Equal(t, []string{picture, "Dawn", "amelie", "Saved"}, []string{pins[0].Picture, pins[0].Title, pins[0].By, pins[0].Board})

	// The repin is not a picture of its own.
	repin := pictureID{"amelie", pins[0].ID}.String()
	amara.refused(http.StatusNotFound, http.MethodGet, "/api/pins/"+repin, nil)
	amara.refused(http.StatusNotFound, http.MethodPut, "/api/pins/"+repin+"/like", nothing{})

	// Taking it away leaves the picture to its owner.
	require.True(t, call[changed](amelie, http.MethodDelete, "/api/pins/"+picture, nothing{}).Changed)
	require.Empty(t, get[cursor.Page[card]](amara, "/api/people/amelie/pins").Items)
	require.Equal(t, "Dawn", get[card](amara, "/api/pins/"+picture).Title)
}

func aSavedPictureFollowsTheOriginal(t *testing.T, w *world) {
	amina, anders, andrei := w.as(t, "amina"), w.as(t, "anders"), w.as(t, "andrei")
	andrei.follow("anders")
	andrei.follow("amina")
	picture := amina.pin("Dawn")
	lists := []string{"/api/home", "/api/people/anders/pins", "/api/boards/anders.saved/pins"}
	require.True(t, call[saved](anders, http.MethodPost, "/api/pins", publish{Picture: picture, Board: anders.makeBoard("Saved")}).Created)
	for _, title := range []string{"Dawn", "Dusk"} {
		for _, list := range lists {
			require.Equal(t, []string{title}, titles(get[cursor.Page[card]](andrei, list)), list)
		}
		call[changed](amina, http.MethodPut, "/api/pins/"+picture, map[string]string{"title": "Dusk"})
	}
	require.Equal(t, "Saved", get[cursor.Page[card]](andrei, lists[1]).Items[0].Board, "its board stays")

	require.True(t, call[changed](amina, http.MethodDelete, "/api/pins/"+picture, nothing{}).Changed)
	for _, list := range lists {
		require.Empty(t, get[cursor.Page[card]](andrei, list).Items, list)
	}
	anders.refused(http.StatusNotFound, http.MethodPost, "/api/pins", publish{Picture: picture, Board: "anders.saved"})
}

func aTitleIsEditedAndAPinRemovedEverywhereByItsOwnerAlone(t *testing.T, w *world) {
	anika, anton := w.as(t, "anika"), w.as(t, "anton")
	anton.follow("anika")
	path := "/api/pins/" + anika.pin("Dawn")
	anton.refused(http.StatusForbidden, http.MethodPut, path, map[string]string{"title": "Mine"})
	anika.refused(http.StatusBadRequest, http.MethodPut, path, map[string]string{"title": ""})
	anika.once(http.MethodPut, path, map[string]string{"title": "Dusk"})
	require.Equal(t, []string{"Dusk"}, titles(get[cursor.Page[card]](anton, "/api/home")))

	require.False(t, call[changed](anton, http.MethodDelete, path, nothing{}).Changed)
	require.Equal(t, []string{"Dusk"}, titles(get[cursor.Page[card]](anton, "/api/home")))
	anika.once(http.MethodDelete, path, nothing{})
	require.Empty(t, get[cursor.Page[card]](anton, "/api/home").Items)
	anton.refused(http.StatusNotFound, http.MethodGet, path, nil)
	anton.refused(http.StatusNotFound, http.MethodPut, path+"/like", nothing{})
}

func aLikeCountsOnceAndCanBeTakenBack(t *testing.T, w *world) {
	astrid, ayla := w.as(t, "astrid"), w.as(t, "ayla")
	path := "/api/pins/" + astrid.pin("Dawn")
	ayla.once(http.MethodPut, path+"/like", nothing{})
	require.EqualValues(t, 1, get[card](astrid, path).Likes)
	require.False(t, get[card](astrid, path).Liked)
	likers := get[cursor.Page[reaction.Reaction]](astrid, path+"/likes").Items
	require.Len(t, likers, 1)
	require.Equal(t, "ayla", likers[0].User)
	ayla.once(http.MethodDelete, path+"/like", nothing{})
	require.Zero(t, get[card](astrid, path).Likes)
	unknown := pictureID{"astrid", ids.At(time.Now())}.String()
	ayla.refused(http.StatusNotFound, http.MethodPut, "/api/pins/"+unknown+"/like", nothing{})
	ayla.refused(http.StatusBadRequest, http.MethodPut, "/api/pins/astrid/like", nothing{})
}
