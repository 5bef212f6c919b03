package main

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/feed/comment"
	"github.com/plaza-sdk/plaza/feed/reaction"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/notify"
)

// How long a test waits for what comes by itself, and how often it looks.
const bellPatience, bellTick = 20 * time.Second, 50 * time.Millisecond

// newBell is a world whose workers run.
func newBell(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	require.NoError(t, w.switchOnStreams(t.Context()))
	w.startWork(t)
	return w
}

// startWork runs the workers until the test ends.
func (w *world) startWork(t *testing.T) {
	t.Helper()
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error)
	go func() { done <- w.run(ctx) }()
	t.Cleanup(func() {
		stop()
		require.NoError(t, <-done)
	})
}

// bellPin pins a picture of a person and returns its id.
func (w *world) bellPin(t *testing.T, owner, title string) string {
	t.Helper()
	id, err := w.ids.Next(t.Context())
	require.NoError(t, err)
	picture := owner + "." + id.String()
	data, err := json.Marshal(map[string]string{"title": title})
	require.NoError(t, err)
	_, _, err = w.feeds.Outbox(owner).Publish(t.Context(), feed.Activity{
		ID: id, Actor: feed.Ref{ID: owner}, Verb: "pin", Object: feed.Ref{Kind: "picture", ID: picture},
		Target: feed.Ref{Kind: "board", ID: owner + ".places"}, ForeignID: "picture:" + picture, Data: data,
	})
	require.NoError(t, err)
	return picture
}

// bellLike likes an object in a person's name.
func (w *world) bellLike(t *testing.T, user, object string) {
	t.Helper()
	_, _, err := w.reactions.React(t.Context(), reaction.Reaction{User: user, Object: object, Kind: like})
	require.NoError(t, err)
}

// named replaces @eric by the name of eric.
func named(text string) string {
	return regexp.MustCompile("@([a-z]+)").ReplaceAllStringFunc(text, func(at string) string { return nameOf(at[1:]) })
}

// bells waits until a person's bell has these lines, newest first. In them @eric stands for
// the name of eric.
func (w *world) bells(t *testing.T, person string, want ...string) noticePage {
	t.Helper()
	for i, line := range want {
		want[i] = named(line)
	}
	var page noticePage
	var got []string
	require.Eventually(t, func() bool {
		page = get[noticePage](w.as(t, person), "/api/bell")
		got = nil
		for _, e := range page.Items {
			if e.Announcement != nil {
				got = append(got, e.Announcement.Title)
				continue
			}
			got = append(got, lineOf(e, page.Titles).Text)
		}
		return slices.Equal(got, want)
	}, bellPatience, bellTick, "%s's bell has not %q", person, want)
	return page
}

func TestWhatPeopleDoRingsTheBell(t *testing.T) {
	t.Parallel()
	w := newBell(t)
	dawn := w.bellPin(t, "ann", "Dawn over the sea")
	for _, user := range []string{"eric", "chris", "lin", "ann"} {
		w.bellLike(t, user, "picture:"+dawn)
	}
	w.bells(t, "ann", "@lin and 2 others liked your picture “Dawn over the sea”")
	_, err := w.reactions.Unreact(t.Context(), reaction.Reaction{User: "lin", Object: "picture:" + dawn, Kind: like})
	require.NoError(t, err)
	w.bells(t, "ann", "@chris and @eric liked your picture “Dawn over the sea”")

	for _, followee := range []string{"ann", "board:ann.places", "tag:sea"} {
		_, err := w.feeds.Home("eric").Follow(t.Context(), followee, nil)
		require.NoError(t, err)
	}
	w.bells(t, "ann", "@eric followed your board", "@eric followed you", "@chris and @eric liked your picture “Dawn over the sea”")
	_, err = w.follows.Unfollow(t.Context(), follow.Edge{Follower: "eric", Followee: "ann"})
	require.NoError(t, err)
	w.bells(t, "ann", "@eric followed your board", "@chris and @eric liked your picture “Dawn over the sea”")
}

func TestASavedPictureRingsItsOwnersBell(t *testing.T) {
	t.Parallel()
	w := newBell(t)
	dawn := w.bellPin(t, "ann", "Dawn")
	for _, user := range []string{"eric", "chris"} {
		c := w.as(t, user)
		call[saved](c, http.MethodPost, "/api/pins", publish{Picture: dawn, Board: c.makeBoard("Places")})
	}
	w.bells(t, "ann", "@chris and @eric saved your picture “Dawn”")
	call[changed](w.as(t, "chris"), http.MethodDelete, "/api/pins/"+dawn, nil)
	w.bells(t, "ann", "@eric saved your picture “Dawn”")
}

func TestACommentReachesEachOfItsPeopleOnce(t *testing.T) {
	t.Parallel()
	w := newBell(t)
	dawn := w.bellPin(t, "ann", "Dawn")
	add := func(c comment.Comment) comment.Comment {
		t.Helper()
		c.Object = "picture:" + dawn
		added, _, err := w.comments.Add(t.Context(), c)
		require.NoError(t, err)
		return added
	}
	root := add(comment.Comment{User: "eric", Text: "Where is that, @chris?", Mentions: []string{"chris", "ann", "nobody"}})
	w.bells(t, "ann", "@eric mentioned you in a comment on “Dawn”")
	w.bells(t, "chris", "@eric mentioned you in a comment on “Dawn”")
	reply := add(comment.Comment{User: "chris", Root: root.ID, Text: "In the north."})
	w.bells(t, "eric", "@chris replied to your comment on “Dawn”")
	w.bells(t, "ann", "@chris commented on your picture “Dawn”", "@eric mentioned you in a comment on “Dawn”")
	w.bellLike(t, "lin", commentRef(root.Address()).String())
	call[changed](w.as(t, "lin"), http.MethodPut, "/api/pins/"+dawn+"/comments/"+reply.ID.String()+"/like?root="+root.ID.String(), nothing{})
	w.bells(t, "eric", "@lin liked your comment on “Dawn”", "@chris replied to your comment on “Dawn”")
	w.bells(t, "chris", "@lin liked your comment on “Dawn”", "@eric mentioned you in a comment on “Dawn”")

	_, err := w.comments.Delete(t.Context(), comment.Action{Address: reply.Address(), User: "chris"})
	require.NoError(t, err)
	w.bells(t, "eric", "@lin liked your comment on “Dawn”")
	w.bells(t, "ann", "@eric mentioned you in a comment on “Dawn”")
}

func TestSeenIsNotRead(t *testing.T) {
	t.Parallel()
	w := newBell(t)
	ann := w.as(t, "ann")
	dawn := w.bellPin(t, "ann", "Dawn")
	w.bellLike(t, "eric", "picture:"+dawn)
	page := w.bells(t, "ann", "@eric liked your picture “Dawn”")
	require.Equal(t, notify.Count{N: 1}, get[notify.Count](ann, "/api/bell/unseen"))

	for range 2 { // a repeat is harmless
		call[struct{}](ann, http.MethodPut, "/api/bell/seen", page.View)
		require.Equal(t, notify.Count{}, get[notify.Count](ann, "/api/bell/unseen"))
	}
	e := get[noticePage](ann, "/api/bell").Items[0]
	require.True(t, e.Seen)
	require.False(t, e.Read)
	for range 2 {
		call[struct{}](ann, http.MethodPut, "/api/bell/read", map[string]any{"shown": []notify.Shown{{Group: e.Group, Last: e.Last}}})
		require.True(t, get[noticePage](ann, "/api/bell").Items[0].Read)
	}
	call[changed](ann, http.MethodDelete, "/api/bell/groups/"+url.PathEscape(e.Group)+"/read", nil)
	require.False(t, get[noticePage](ann, "/api/bell").Items[0].Read)
	call[struct{}](ann, http.MethodPut, "/api/bell/allread", get[noticePage](ann, "/api/bell").View)
	require.True(t, get[noticePage](ann, "/api/bell").Items[0].Read)
}

func TestANoticeIsPutAwayAndBack(t *testing.T) {
	t.Parallel()
	w := newBell(t)
	ann := w.as(t, "ann")
	w.bellLike(t, "eric", "picture:"+w.bellPin(t, "ann", "Dawn"))
	const line = "@eric liked your picture “Dawn”"
	e := w.bells(t, "ann", line).Items[0]
	group := "/api/bell/groups/" + url.PathEscape(e.Group)
	until := time.Now().Add(time.Hour).Truncate(time.Second)
	for _, c := range []struct {
		shelf string
		body  any
	}{
		{"archived", struct{}{}},
		{"snoozed", map[string]time.Time{"until": until}},
	} {
		for _, did := range []bool{true, false} {
			require.Equal(t, changed{did}, call[changed](ann, http.MethodPut, group+"/"+c.shelf, c.body), c.shelf)
		}
		require.Empty(t, w.bells(t, "ann").Items)
		shelf := get[noticePage](ann, "/api/bell/"+c.shelf)
		require.Equal(t, []string{named(line)}, []string{lineOf(shelf.Items[0], shelf.Titles).Text})
		for _, did := range []bool{true, false} {
			require.Equal(t, changed{did}, call[changed](ann, http.MethodDelete, group+"/"+c.shelf, nil), c.shelf)
		}
		w.bells(t, "ann", line)
	}
}

func TestABellIsItsOwners(t *testing.T) {
	t.Parallel()
	w := newBell(t)
	w.bellLike(t, "eric", "picture:"+w.bellPin(t, "ann", "Dawn"))
	e := w.bells(t, "ann", "@eric liked your picture “Dawn”").Items[0]
	eric := w.as(t, "eric")
	require.Empty(t, get[noticePage](eric, "/api/bell").Items)
	group := "/api/bell/groups/" + url.PathEscape(e.Group)
	require.Equal(t, changed{}, call[changed](eric, http.MethodPut, group+"/archived", struct{}{}))
	call[struct{}](eric, http.MethodPut, "/api/bell/read", map[string]any{"shown": []notify.Shown{{Group: e.Group, Last: e.Last}}})
	require.False(t, w.bells(t, "ann", "@eric liked your picture “Dawn”").Items[0].Read)
	for _, c := range []struct {
		method, path string
		body         any
	}{
		{http.MethodPut, "/api/bell/groups/x/archived", struct{}{}},
		{http.MethodPut, group + "/snoozed", map[string]string{"until": "soon"}},
		{http.MethodPut, group + "/snoozed", map[string]time.Time{"until": time.Now().AddDate(2, 0, 0)}},
		{http.MethodPut, "/api/bell/read", map[string]int{"other": 1}},
		{http.MethodDelete, "/api/bell/announcements/x", nil},
		{http.MethodGet, "/api/bell?cursor=x", nil},
		{http.MethodGet, "/api/bell?limit=1", nil},
	} {
		eric.refused(http.StatusBadRequest, c.method, c.path, c.body)
	}
}

func TestEveryoneIsWelcomedOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for range 2 {
		require.NoError(t, w.welcome(t.Context()))
	}
	page := w.bells(t, "ann", "Welcome to Pinboard")
	require.Equal(t, 1, get[notify.Count](w.as(t, "ann"), "/api/bell/unseen").N)
	call[struct{}](w.as(t, "ann"), http.MethodDelete, "/api/bell/announcements/"+page.Items[0].Announcement.ID.String(), nil)
	w.bells(t, "ann")
	w.bells(t, "eric", "Welcome to Pinboard")
}
