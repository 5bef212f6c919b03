package main

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
)

func TestAPageOfHomeTakesFiveRequests(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, eric := w.as(t, "ann"), w.as(t, "eric")
	ann.follow("eric")
	eric.pins(2*pageSize + 5)
	for _, pin := range get[cursor.Page[card]](ann, "/api/people/eric/pins").Items {
		call[changed](ann, http.MethodPut, "/api/pins/"+pin.Picture+"/like", nothing{})
	}
	for _, path := range []string{"/api/home", "/api/home/grouped"} {
		page := get[cursor.Page[any]](ann, path)
		require.NotEmpty(t, page.Items)
		all, each := ann.last()
		require.LessOrEqual(t, all.Requests, 5, "%s: %v", path, each)
		get[cursor.Page[any]](ann, path+"?cursor="+string(page.Next))
		all, each = ann.last()
		require.LessOrEqual(t, all.Requests, 5, "%s, the second page: %v", path, each)
		require.Empty(t, get[cursor.Page[any]](ann, path+"?cursor="+string(page.Prev)).Items)
		all, each = ann.last()
		require.LessOrEqual(t, all.Requests, 3, "%s, a poll: %v", path, each)
	}
}

func TestHomeShowsPinsWithTheirLikesAndComments(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, eric, lin := w.as(t, "ann"), w.as(t, "eric"), w.as(t, "lin")
	ann.follow("eric")
	picture := eric.pin("Dawn")
	call[changed](ann, http.MethodPut, "/api/pins/"+picture+"/like", nothing{})
	call[changed](lin, http.MethodPut, "/api/pins/"+picture+"/like", nothing{})
	lin.comment(picture, remarkBody{Text: "lovely"})

	page := get[cursor.Page[card]](ann, "/api/home")
	require.Len(t, page.Items, 1)
	c := page.Items[0]
	require.Equal(t, "eric.places", c.BoardID)
	require.Equal(t, []any{"Dawn", "Places", picture, "eric", int64(2), true, int64(1)}, []any{c.Title, c.Board, c.Picture, c.By, c.Likes, c.Liked, c.Comments})

	// What is new since then comes above the page.
	eric.pin("Noon")
	require.Equal(t, []string{"Noon"}, titles(get[cursor.Page[card]](ann, "/api/home?cursor="+string(page.Prev))))
	groups := get[cursor.Page[group]](ann, "/api/home/grouped").Items
	require.Len(t, groups, 1, "of one day and one board")
	require.Len(t, groups[0].Pins, 2)
}

func TestARepinShowsTheOriginalOnlyOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, eric, chris := w.as(t, "ann"), w.as(t, "eric"), w.as(t, "chris")
	ann.follow("eric")
	ann.follow("chris")
	picture := eric.pin("Dawn")
	require.True(t, call[saved](chris, http.MethodPost, "/api/pins", publish{Picture: picture, Board: chris.makeBoard("Saved")}).Created)
	require.Equal(t, []string{"Dawn"}, titles(get[cursor.Page[card]](ann, "/api/home")))
	require.Equal(t, []string{"Dawn"}, titles(get[cursor.Page[card]](ann, "/api/boards/chris.saved/pins")))
}

func TestHomeRefusesOtherCursorsAndParameters(t *testing.T) {
	t.Parallel()
	ann := newWorld(t).as(t, "ann")
	require.Equal(t, "Cursor", ann.refused(http.StatusBadRequest, http.MethodGet, "/api/home?cursor=x", nil).Field)
	require.Equal(t, "query", ann.refused(http.StatusBadRequest, http.MethodGet, "/api/home?limit=1000", nil).Field)
	require.Empty(t, get[cursor.Page[card]](ann, "/api/home").Items)
}
