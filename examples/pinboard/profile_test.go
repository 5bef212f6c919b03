package main

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/examples/pinboard/people"
)

type profileAnswer struct {
	people.Person
	followed
}

func TestAProfileCountsAndListsFollows(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, eric, lin := w.as(t, "ann"), w.as(t, "eric"), w.as(t, "lin")
	ann.follow("eric")
	lin.follow("eric")
	eric.follow("ann")
	require.False(t, call[changed](ann, http.MethodPut, "/api/follows/eric", nothing{}).Changed, "a repeat")

	p := get[profileAnswer](ann, "/api/people/eric")
	require.Equal(t, "eric", p.ID)
	require.EqualValues(t, 2, p.Followers)
	require.EqualValues(t, 1, p.Following)
	require.True(t, p.Mutual())
	cost, each := ann.last()
	require.LessOrEqual(t, cost.Requests, 2, "%v", each)

	seen := map[string]bool{}
	for _, n := range get[cursor.Page[neighbor]](ann, "/api/people/eric/followers").Items {
		seen[n.ID] = n.FollowedBy
	}
	require.Equal(t, map[string]bool{"ann": false, "lin": false}, seen)
	following := get[cursor.Page[neighbor]](lin, "/api/people/ann/following").Items
	require.Len(t, following, 1)
	require.True(t, following[0].Follows, "lin follows eric too")
	require.Empty(t, get[cursor.Page[neighbor]](lin, "/api/people/chris/followers").Items)

	require.True(t, call[changed](ann, http.MethodDelete, "/api/follows/eric", nothing{}).Changed)
	require.False(t, call[changed](ann, http.MethodDelete, "/api/follows/eric", nothing{}).Changed)
	require.EqualValues(t, 1, get[profileAnswer](ann, "/api/people/eric").Followers)
}

func TestWhatIsUnknownCannotBeFollowedOrSeen(t *testing.T) {
	t.Parallel()
	ann := newWorld(t).as(t, "ann")
	for _, source := range []string{"nobody", "board:ann.none", "board:nobody.places", "tag:none", "boards:eric", "picture:x"} {
		ann.refused(http.StatusNotFound, http.MethodPut, "/api/follows/"+source, nothing{})
	}
	ann.refused(http.StatusBadRequest, http.MethodPut, "/api/follows/:x", nothing{})
	ann.refused(http.StatusBadRequest, http.MethodPut, "/api/follows/ann", nothing{})
	for _, path := range []string{"/api/people/nobody", "/api/people/nobody/pins", "/api/people/nobody/boards", "/api/people/nobody/followers", "/api/boards/x", "/api/boards/x/pins", "/api/tags/x", "/api/tags/x/pins"} {
		ann.refused(http.StatusNotFound, http.MethodGet, path, nil)
	}
}

func TestATagIsFollowedLikeAPerson(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, eric := w.as(t, "ann"), w.as(t, "eric")
	picture := eric.pin("Dawn")
	tag := get[card](ann, "/api/pins/"+picture).Tag
	ann.follow("tag:" + tag)
	require.Equal(t, []string{"Dawn"}, titles(get[cursor.Page[card]](ann, "/api/home")))
	about := get[followed](ann, "/api/tags/"+tag)
	require.True(t, about.Follows)
	require.EqualValues(t, 1, about.Followers)
}
