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

func aProfileCountsAndListsFollows(t *testing.T, w *world) {
	cedric, chidi, chloe := w.as(t, "cedric"), w.as(t, "chidi"), w.as(t, "chloe")
	cedric.follow("chidi")
	chloe.follow("chidi")
	chidi.follow("cedric")
	require.False(t, call[changed](cedric, http.MethodPut, "/api/follows/chidi", nothing{}).Changed, "a repeat")

	p := get[profileAnswer](cedric, "/api/people/chidi")
	require.Equal(t, "chidi", p.ID)
	require.EqualValues(t, 2, p.Followers)
	require.EqualValues(t, 1, p.Following)
	require.True(t, p.Mutual())
	cost, each := cedric.last()
	require.LessOrEqual(t, cost.Requests, 2, "%v", each)

	seen := map[string]bool{}
	for _, n := range get[cursor.Page[neighbor]](cedric, "/api/people/chidi/followers").Items {
		seen[n.ID] = n.FollowedBy
	}
	require.Equal(t, map[string]bool{"cedric": false, "chloe": false}, seen)
	following := get[cursor.Page[neighbor]](chloe, "/api/people/cedric/following").Items
	require.Len(t, following, 1)
	require.True(t, following[0].Follows, "chloe follows chidi too")
	require.Empty(t, get[cursor.Page[neighbor]](chloe, "/api/people/chiara/followers").Items)

	cedric.once(http.MethodDelete, "/api/follows/chidi", nothing{})
	require.EqualValues(t, 1, get[profileAnswer](cedric, "/api/people/chidi").Followers)
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
