package main

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/internal/faults"
)

func TestAPageOfHomeTakesFiveRequests(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, eric := w.as(t, "ann"), w.as(t, "eric")
	ann.follow("eric")
	eric.pins(faults.Size(2*pageSize, pageSize) + 5)
	for _, pin := range get[cursor.Page[card]](ann, "/api/people/eric/pins").Items[:faults.Size(pageSize, 3)] {
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

func homeShowsPinsWithTheirLikesAndComments(t *testing.T, w *world) {
	beatriz, ben, bianca := w.as(t, "beatriz"), w.as(t, "ben"), w.as(t, "bianca")
	beatriz.follow("ben")
	picture := ben.pin("Dawn")
	call[changed](beatriz, http.MethodPut, "/api/pins/"+picture+"/like", nothing{})
	call[changed](bianca, http.MethodPut, "/api/pins/"+picture+"/like", nothing{})
	bianca.comment(picture, remarkBody{Text: "lovely"})

	page := get[cursor.Page[card]](beatriz, "/api/home")
	require.Len(t, page.Items, 1)
	c := page.Items[0]
	require.Equal(t, "ben.places", c.BoardID)
	require.Equal(t, []any{"Dawn", "Places", picture, "ben", int64(2), true, int64(1)}, []any{c.Title, c.Board, c.Picture, c.By, c.Likes, c.Liked, c.Comments})

	// What is new since then comes above the page.
	ben.pin("Noon")
	require.Equal(t, []string{"Noon"}, titles(get[cursor.Page[card]](beatriz, "/api/home?cursor="+string(page.Prev))))
	groups := get[cursor.Page[group]](beatriz, "/api/home/grouped").Items
	require.Len(t, groups, 1, "of one day and one board")
	require.Len(t, groups[0].Pins, 2)
}
