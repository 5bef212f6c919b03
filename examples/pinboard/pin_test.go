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

const attack = `<img src=x onerror="alert(1)"><script>alert(2)</script>`

func TestPublishingAPictureTwicePinsItOnce(t *testing.T) {
	t.Parallel()
	ann := newWorld(t).as(t, "ann")
	body := publish{Title: attack, Board: ann.makeBoard("Places to Visit")}
	drew := call[drawn](ann, http.MethodPost, "/api/pictures", nothing{})
	cost, _ := ann.last()
	require.Zero(t, cost.Requests, "drawing writes nothing")
	body.Picture = drew.Picture
	require.Equal(t, saved{true, "ann.places-to-visit"}, call[saved](ann, http.MethodPost, "/api/pins", body))
	require.Equal(t, saved{false, "ann.places-to-visit"}, call[saved](ann, http.MethodPost, "/api/pins", body))
	for _, list := range []string{"/api/people/ann/pins", "/api/boards/ann.places-to-visit/pins", "/api/tags/" + drew.Tag + "/pins", "/api/home"} {
		require.Equal(t, []string{attack}, titles(get[cursor.Page[card]](ann, list)), list)
	}
	got := get[card](ann, "/api/pins/"+drew.Picture)
	require.Equal(t, pinData{attack, "Places to Visit", drew.Tag}, got.pinData)
	require.Equal(t, [2]int{drew.Width, drew.Height}, [2]int{got.Width, got.Height})
}

func TestOnlyAFreshPictureOfOnesOwnIsPublished(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, eric := w.as(t, "ann"), w.as(t, "eric")
	places, foreign := ann.makeBoard("Places"), eric.makeBoard("Places")
	fresh := call[drawn](ann, http.MethodPost, "/api/pictures", nothing{}).Picture
	old := pictureID{"ann", ids.At(time.Now().Add(-25 * time.Hour))}.String()
	future := pictureID{"ann", ids.At(time.Now().Add(time.Hour))}.String()
	for _, c := range []struct {
		status int
		field  string
		body   any
	}{
		{http.StatusBadRequest, "picture", publish{old, "Old", places}},
		{http.StatusBadRequest, "picture", publish{future, "Future", places}},
		{http.StatusBadRequest, "picture", publish{"../ann", "Path", places}},
		{http.StatusBadRequest, "title", publish{fresh, "  ", places}},
		{http.StatusBadRequest, "body", map[string]string{"user": "eric"}},
		{http.StatusForbidden, "", publish{fresh, "Foreign board", foreign}},
		{http.StatusNotFound, "", publish{fresh, "No board", "ann.none"}},
		{http.StatusNotFound, "", publish{fresh, "No board", "nobody.places"}},
		{http.StatusNotFound, "", publish{"eric." + ids.At(time.Now()).String(), "Never pinned", places}},
	} {
		require.Equal(t, c.field, ann.refused(c.status, http.MethodPost, "/api/pins", c.body).Field, "%v", c.body)
	}
	require.Empty(t, get[cursor.Page[card]](ann, "/api/people/ann/pins").Items)
}

func TestAnotherOnesPictureIsSavedOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, eric := w.as(t, "ann"), w.as(t, "eric")
	picture := ann.pin("Dawn")
	body := publish{Picture: picture, Title: "Mine now", Board: eric.makeBoard("Saved")}
	require.Equal(t, saved{true, "eric.saved"}, call[saved](eric, http.MethodPost, "/api/pins", body))
	body.Board = eric.makeBoard("Elsewhere")
	require.Equal(t, saved{false, "eric.saved"}, call[saved](eric, http.MethodPost, "/api/pins", body), "it is on a board")
	pins := get[cursor.Page[card]](ann, "/api/people/eric/pins").Items
	require.Len(t, pins, 1)
	require.Equal(t, []string{picture, "Dawn", "eric", "Saved"}, []string{pins[0].Picture, pins[0].Title, pins[0].By, pins[0].Board})

	// The repin is no picture of its own.
	repin := pictureID{"eric", pins[0].ID}.String()
	ann.refused(http.StatusNotFound, http.MethodGet, "/api/pins/"+repin, nil)
	ann.refused(http.StatusNotFound, http.MethodPut, "/api/pins/"+repin+"/like", nothing{})

	// Taking it away leaves the picture to its owner.
	require.True(t, call[changed](eric, http.MethodDelete, "/api/pins/"+picture, nothing{}).Changed)
	require.Empty(t, get[cursor.Page[card]](ann, "/api/people/eric/pins").Items)
	require.Equal(t, "Dawn", get[card](ann, "/api/pins/"+picture).Title)
}

func TestAPictureThatIsRemovedLeavesThoseWhoSavedIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, eric, lin := w.as(t, "ann"), w.as(t, "eric"), w.as(t, "lin")
	lin.follow("eric")
	picture := ann.pin("Dawn")
	call[saved](eric, http.MethodPost, "/api/pins", publish{Picture: picture, Board: eric.makeBoard("Saved")})
	require.Equal(t, []string{"Dawn"}, titles(get[cursor.Page[card]](lin, "/api/home")))
	require.True(t, call[changed](ann, http.MethodDelete, "/api/pins/"+picture, nothing{}).Changed)
	for _, list := range []string{"/api/home", "/api/people/eric/pins", "/api/boards/eric.saved/pins"} {
		require.Empty(t, get[cursor.Page[card]](lin, list).Items, list)
	}
	eric.refused(http.StatusNotFound, http.MethodPost, "/api/pins", publish{Picture: picture, Board: "eric.saved"})
}

func TestATitleIsEditedAndAPinRemovedEverywhereByItsOwnerAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, eric := w.as(t, "ann"), w.as(t, "eric")
	eric.follow("ann")
	path := "/api/pins/" + ann.pin("Dawn")
	eric.refused(http.StatusForbidden, http.MethodPut, path, map[string]string{"title": "Mine"})
	ann.refused(http.StatusBadRequest, http.MethodPut, path, map[string]string{"title": ""})
	require.True(t, call[changed](ann, http.MethodPut, path, map[string]string{"title": "Dusk"}).Changed)
	require.False(t, call[changed](ann, http.MethodPut, path, map[string]string{"title": "Dusk"}).Changed)
	require.Equal(t, []string{"Dusk"}, titles(get[cursor.Page[card]](eric, "/api/home")))

	require.False(t, call[changed](eric, http.MethodDelete, path, nothing{}).Changed)
	require.Equal(t, []string{"Dusk"}, titles(get[cursor.Page[card]](eric, "/api/home")))
	require.True(t, call[changed](ann, http.MethodDelete, path, nothing{}).Changed)
	require.False(t, call[changed](ann, http.MethodDelete, path, nothing{}).Changed)
	require.Empty(t, get[cursor.Page[card]](eric, "/api/home").Items)
	eric.refused(http.StatusNotFound, http.MethodGet, path, nil)
	eric.refused(http.StatusNotFound, http.MethodPut, path+"/like", nothing{})
}

func TestANewTitleIsOnThePinsOfThoseWhoSavedThePicture(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, eric, lin := w.as(t, "ann"), w.as(t, "eric"), w.as(t, "lin")
	picture := ann.pin("Dawn")
	for _, c := range []caller{eric, lin} {
		call[saved](c, http.MethodPost, "/api/pins", publish{Picture: picture, Board: c.makeBoard("Saved")})
	}
	require.True(t, call[changed](ann, http.MethodPut, "/api/pins/"+picture, map[string]string{"title": "Dusk"}).Changed)
	for _, list := range []string{"/api/people/eric/pins", "/api/boards/lin.saved/pins"} {
		pins := get[cursor.Page[card]](ann, list).Items
		require.Len(t, pins, 1)
		require.Equal(t, []string{"Dusk", "Saved"}, []string{pins[0].Title, pins[0].Board}, "its board stays")
	}
}

func TestALikeCountsOnceAndCanBeTakenBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, eric := w.as(t, "ann"), w.as(t, "eric")
	path := "/api/pins/" + ann.pin("Dawn")
	require.True(t, call[changed](eric, http.MethodPut, path+"/like", nothing{}).Changed)
	require.False(t, call[changed](eric, http.MethodPut, path+"/like", nothing{}).Changed)
	require.EqualValues(t, 1, get[card](ann, path).Likes)
	require.False(t, get[card](ann, path).Liked)
	likers := get[cursor.Page[reaction.Reaction]](ann, path+"/likes").Items
	require.Len(t, likers, 1)
	require.Equal(t, "eric", likers[0].User)
	require.True(t, call[changed](eric, http.MethodDelete, path+"/like", nothing{}).Changed)
	require.False(t, call[changed](eric, http.MethodDelete, path+"/like", nothing{}).Changed)
	require.Zero(t, get[card](ann, path).Likes)
	unknown := pictureID{"ann", ids.At(time.Now())}.String()
	eric.refused(http.StatusNotFound, http.MethodPut, "/api/pins/"+unknown+"/like", nothing{})
	eric.refused(http.StatusBadRequest, http.MethodPut, "/api/pins/ann/like", nothing{})
}
