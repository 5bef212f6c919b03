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
const bellPatience, bellTick = 20 * time.Second, 200 * time.Millisecond

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
	_, _, err = w.Feeds.Outbox(owner).Publish(t.Context(), feed.Activity{
		ID: id, Actor: feed.Ref{ID: owner}, Verb: "pin", Object: feed.Ref{Kind: "picture", ID: picture},
		Target: feed.Ref{Kind: "board", ID: owner + ".places"}, ForeignID: "picture:" + picture, Data: data,
	})
	require.NoError(t, err)
	return picture
}

// bellLike likes an object in a person's name.
func (w *world) bellLike(t *testing.T, user, object string) {
	t.Helper()
	_, _, err := w.Reactions.React(t.Context(), reaction.Reaction{User: user, Object: object, Kind: like})
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

func whatPeopleDoRingsTheBell(t *testing.T, w *world) {
	dawn := w.bellPin(t, "emeka", "Dawn over the sea")
	for _, user := range []string{"enzo", "emma", "erik", "emeka"} {
		w.bellLike(t, user, "picture:"+dawn)
	}
	w.bells(t, "emeka", "@erik and 2 others liked your picture “Dawn over the sea”")
	_, err := w.Reactions.Unreact(t.Context(), reaction.Reaction{User: "erik", Object: "picture:" + dawn, Kind: like})
	require.NoError(t, err)
	w.bells(t, "emeka", "@emma and @enzo liked your picture “Dawn over the sea”")

	for _, followee := range []string{"emeka", "board:emeka.places", "tag:sea"} {
		_, err := w.Feeds.Home("enzo").Follow(t.Context(), followee, nil)
		require.NoError(t, err)
	}
	w.bells(t, "emeka", "@enzo followed your board", "@enzo followed you", "@emma and @enzo liked your picture “Dawn over the sea”")
	_, err = w.Follows.Unfollow(t.Context(), follow.Edge{Follower: "enzo", Followee: "emeka"})
	require.NoError(t, err)
	w.bells(t, "emeka", "@enzo followed your board", "@emma and @enzo liked your picture “Dawn over the sea”")
}

func aSavedPictureRingsItsOwnersBell(t *testing.T, w *world) {
	dawn := w.bellPin(t, "esperanza", "Dawn")
	for _, user := range []string{"farah", "ewa"} {
		c := w.as(t, user)
		call[saved](c, http.MethodPost, "/api/pins", publish{Picture: dawn, Board: c.makeBoard("Places")})
	}
	w.bells(t, "esperanza", "@ewa and @farah saved your picture “Dawn”")
	call[changed](w.as(t, "ewa"), http.MethodDelete, "/api/pins/"+dawn, nil)
	w.bells(t, "esperanza", "@farah saved your picture “Dawn”")
}

func aCommentReachesEachOfItsPeopleOnce(t *testing.T, w *world) {
	dawn := w.bellPin(t, "fatima", "Dawn")
	add := func(c comment.Comment) comment.Comment {
		t.Helper()
		c.Object = "picture:" + dawn
		added, _, err := w.Comments.Add(t.Context(), c)
		require.NoError(t, err)
		return added
	}
	root := add(comment.Comment{User: "femi", Text: "Where is that, @felix?", Mentions: []string{"felix", "fatima", "nobody"}})
	w.bells(t, "fatima", "@femi mentioned you in a comment on “Dawn”")
	w.bells(t, "felix", "@femi mentioned you in a comment on “Dawn”")
	reply := add(comment.Comment{User: "felix", Root: root.ID, Text: "In the north."})
	w.bells(t, "femi", "@felix replied to your comment on “Dawn”")
	w.bells(t, "fatima", "@felix commented on your picture “Dawn”", "@femi mentioned you in a comment on “Dawn”")
	w.bellLike(t, "finn", commentRef(root.Address()).String())
	call[changed](w.as(t, "finn"), http.MethodPut, "/api/pins/"+dawn+"/comments/"+reply.ID.String()+"/like?root="+root.ID.String(), nothing{})
	w.bells(t, "femi", "@finn liked your comment on “Dawn”", "@felix replied to your comment on “Dawn”")
	w.bells(t, "felix", "@finn liked your comment on “Dawn”", "@femi mentioned you in a comment on “Dawn”")

	_, err := w.Comments.Delete(t.Context(), comment.Action{Address: reply.Address(), User: "felix"})
	require.NoError(t, err)
	w.bells(t, "femi", "@finn liked your comment on “Dawn”")
	w.bells(t, "fatima", "@femi mentioned you in a comment on “Dawn”")
}

func seenIsNotRead(t *testing.T, w *world) {
	fiona := w.as(t, "fiona")
	dawn := w.bellPin(t, "fiona", "Dawn")
	w.bellLike(t, "freya", "picture:"+dawn)
	page := w.bells(t, "fiona", "@freya liked your picture “Dawn”")
	require.Equal(t, notify.Count{N: 1}, get[notify.Count](fiona, "/api/bell/unseen"))

	for range 2 { // a repeat is harmless
		call[struct{}](fiona, http.MethodPut, "/api/bell/seen", page.View)
		require.Equal(t, notify.Count{}, get[notify.Count](fiona, "/api/bell/unseen"))
	}
	e := get[noticePage](fiona, "/api/bell").Items[0]
	require.True(t, e.Seen)
	require.False(t, e.Read)
	for range 2 {
		call[struct{}](fiona, http.MethodPut, "/api/bell/read", map[string]any{"shown": []notify.Shown{{Group: e.Group, Last: e.Last}}})
		require.True(t, get[noticePage](fiona, "/api/bell").Items[0].Read)
	}
	call[changed](fiona, http.MethodDelete, "/api/bell/groups/"+url.PathEscape(e.Group)+"/read", nil)
	require.False(t, get[noticePage](fiona, "/api/bell").Items[0].Read)
	call[struct{}](fiona, http.MethodPut, "/api/bell/allread", get[noticePage](fiona, "/api/bell").View)
	require.True(t, get[noticePage](fiona, "/api/bell").Items[0].Read)
}

func aNoticeIsPutAwayAndBack(t *testing.T, w *world) {
	gabriel := w.as(t, "gabriel")
	w.bellLike(t, "giulia", "picture:"+w.bellPin(t, "gabriel", "Dawn"))
	const line = "@giulia liked your picture “Dawn”"
	e := w.bells(t, "gabriel", line).Items[0]
	group := "/api/bell/groups/" + url.PathEscape(e.Group)
	until := time.Now().Add(time.Hour).Truncate(time.Second)
	for _, c := range []struct {
		shelf string
		body  any
	}{
		{"archived", struct{}{}},
		{"snoozed", map[string]time.Time{"until": until}},
	} {
		gabriel.once(http.MethodPut, group+"/"+c.shelf, c.body)
		require.Empty(t, w.bells(t, "gabriel").Items)
		shelf := get[noticePage](gabriel, "/api/bell/"+c.shelf)
		require.Equal(t, []string{named(line)}, []string{lineOf(shelf.Items[0], shelf.Titles).Text})
		gabriel.once(http.MethodDelete, group+"/"+c.shelf, nil)
		w.bells(t, "gabriel", line)
	}
}

func aBellIsItsOwners(t *testing.T, w *world) {
	w.bellLike(t, "gustav", "picture:"+w.bellPin(t, "grace", "Dawn"))
	e := w.bells(t, "grace", "@gustav liked your picture “Dawn”").Items[0]
	gustav := w.as(t, "gustav")
	require.Empty(t, get[noticePage](gustav, "/api/bell").Items)
	group := "/api/bell/groups/" + url.PathEscape(e.Group)
	require.Equal(t, changed{}, call[changed](gustav, http.MethodPut, group+"/archived", struct{}{}))
	call[struct{}](gustav, http.MethodPut, "/api/bell/read", map[string]any{"shown": []notify.Shown{{Group: e.Group, Last: e.Last}}})
	require.False(t, w.bells(t, "grace", "@gustav liked your picture “Dawn”").Items[0].Read)
	gustav.refused(http.StatusBadRequest, http.MethodPut, group+"/snoozed", map[string]time.Time{"until": time.Now().AddDate(2, 0, 0)})
}

func everyoneIsWelcomedOnce(t *testing.T, w *world) {
	for range 2 {
		require.NoError(t, w.welcome(t.Context()))
	}
	page := w.bells(t, "elif", "Welcome to Pinboard")
	require.Equal(t, 1, get[notify.Count](w.as(t, "elif"), "/api/bell/unseen").N)
	call[struct{}](w.as(t, "elif"), http.MethodDelete, "/api/bell/announcements/"+page.Items[0].Announcement.ID.String(), nil)
	w.bells(t, "elif")
	w.bells(t, "elin", "Welcome to Pinboard")
}
