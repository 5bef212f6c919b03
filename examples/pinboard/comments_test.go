package main

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/ids"
)

// remarkBody is the body of a comment.
type remarkBody struct {
	Key    string `json:"key"`
	Text   string `json:"text"`
	Root   string `json:"root,omitempty"`
	Parent string `json:"parent,omitempty"`
	Quote  string `json:"quote,omitempty"`
}

// comment writes a comment under a new key, unless it has one.
func (c caller) comment(picture string, body remarkBody) remark {
	c.t.Helper()
	if body.Key == "" {
		id, err := c.ids.Next(c.t.Context())
		require.NoError(c.t, err)
		body.Key = id.String()
	}
	return call[remark](c, http.MethodPost, "/api/pins/"+picture+"/comments", body)
}

// outline returns the texts of a page of comments, replies after a tab.
func outline(page remarks) []string {
	texts := []string{}
	for _, root := range page.Items {
		texts = append(texts, root.Text)
		for _, reply := range root.First {
			texts = append(texts, "\t"+reply.Text)
		}
	}
	return texts
}

func commentsAreThreadsWithQuotesAndMentions(t *testing.T, w *world) {
	abebe, adaeze := w.as(t, "abebe"), w.as(t, "adaeze")
	picture := abebe.pin("Dawn")
	path := "/api/pins/" + picture + "/comments"
	first := adaeze.comment(picture, remarkBody{Key: "1", Text: "Where is this, @abebe? @nobody knows. @abebe!"})
	require.Equal(t, []string{"abebe"}, first.Mentions)
	require.Equal(t, first.ID, adaeze.comment(picture, remarkBody{Key: "1", Text: "Where is this, @abebe? @nobody knows. @abebe!"}).ID, "a repeat is the same comment")
	reply := abebe.comment(picture, remarkBody{Text: hostile, Root: first.ID.String()})
	adaeze.comment(picture, remarkBody{Text: "Thanks", Root: first.ID.String(), Parent: reply.ID.String()})
	quoting := abebe.comment(picture, remarkBody{Text: "As I said", Quote: first.ID.String()})
	require.Equal(t, "adaeze", quoting.Quote.User)
	require.Equal(t, []string{"As I said", first.Text, "\t" + hostile, "\tThanks"}, outline(get[remarks](abebe, path)))
	require.Equal(t, []string{first.Text, "\t" + hostile, "\tThanks", "As I said"}, outline(get[remarks](abebe, path+"?oldest=true")))
	require.Equal(t, []string{hostile, "Thanks"}, outline(get[remarks](abebe, path+"/"+first.ID.String()+"/replies")))

	// The quote follows the edit.
	call[remark](adaeze, http.MethodPut, path+"/"+first.ID.String(), map[string]string{"text": "Where?"})
	page := get[remarks](abebe, path)
	require.Equal(t, "Where?", page.Items[0].Quote.Excerpt)
	require.False(t, page.Items[1].EditedAt.IsZero())
	require.EqualValues(t, 4, get[card](abebe, "/api/pins/"+picture).Comments)
}

func commentsRefuseBadInputAndOtherPeople(t *testing.T, w *world) {
	aditi, agnes := w.as(t, "aditi"), w.as(t, "agnes")
	picture := aditi.pin("Dawn")
	path := "/api/pins/" + picture + "/comments"
	mine := "/" + aditi.comment(picture, remarkBody{Text: "Mine"}).ID.String()
	none := "/" + ids.At(time.Now()).String()
	for _, c := range []struct {
		status         int
		field          string
		method, suffix string
		body           any
	}{
		{http.StatusBadRequest, "key", http.MethodPost, "", remarkBody{Text: "x"}},
		{http.StatusBadRequest, "Text", http.MethodPost, "", remarkBody{Key: "2", Text: " "}},
		{http.StatusBadRequest, "Text", http.MethodPost, "", remarkBody{Key: "2", Text: strings.Repeat("x", 2001)}},
		{http.StatusBadRequest, "root", http.MethodPost, "", map[string]any{"key": "2", "text": "x", "root": 5}},
		{http.StatusBadRequest, "body", http.MethodPost, "", map[string]any{"key": "2", "text": "x", "user": "aditi"}},
		{http.StatusNotFound, "", http.MethodPost, "", remarkBody{Key: "2", Text: "x", Root: none[1:]}},
		{http.StatusForbidden, "", http.MethodPut, mine, map[string]string{"text": "Stolen"}},
		{http.StatusForbidden, "", http.MethodDelete, mine, nothing{}},
		{http.StatusForbidden, "", http.MethodPut, mine + "/hidden", nothing{}},
		{http.StatusForbidden, "", http.MethodPut, mine + "/pinned", nothing{}},
		{http.StatusBadRequest, "ID", http.MethodPut, "/x/like", nothing{}},
		{http.StatusNotFound, "", http.MethodPut, none + "/like", nothing{}},
	} {
		require.Equal(t, c.field, agnes.refused(c.status, c.method, path+c.suffix, c.body).Field, "%s %s %v", c.method, c.suffix, c.body)
	}
	unknown := "/api/pins/" + pictureID{"aditi", ids.At(time.Now())}.String() + "/comments"
	agnes.refused(http.StatusNotFound, http.MethodGet, unknown, nil)
	agnes.refused(http.StatusNotFound, http.MethodPost, unknown, remarkBody{Key: "2", Text: "x"})
	require.Equal(t, []string{"Mine"}, outline(get[remarks](aditi, path)))
}

func aPicturesOwnerPinsAndHidesComments(t *testing.T, w *world) {
	ahmed, aiko, aisha := w.as(t, "ahmed"), w.as(t, "aiko"), w.as(t, "aisha")
	picture := ahmed.pin("Dawn")
	path := "/api/pins/" + picture + "/comments"
	rude := aiko.comment(picture, remarkBody{Text: "rude"})
	kind := aisha.comment(picture, remarkBody{Text: "kind"})
	hidden, pinned := path+"/"+rude.ID.String()+"/hidden", path+"/"+kind.ID.String()+"/pinned"

	ahmed.once(http.MethodPut, pinned, nothing{})
	require.Equal(t, "kind", get[remarks](aisha, path).Pinned.Text)
	require.True(t, call[changed](ahmed, http.MethodPut, hidden, nothing{}).Changed)
	require.Equal(t, []string{"kind"}, outline(get[remarks](aisha, path)))
	for _, c := range []caller{ahmed, aiko, w.as(t, "mia")} { // the owner, its author, the moderator
		page := get[remarks](c, path)
		require.Equal(t, []string{"kind", "rude"}, outline(page), c.id)
		require.True(t, page.Items[1].Hidden)
	}
	require.EqualValues(t, 1, get[card](ahmed, "/api/pins/"+picture).Comments)
	require.True(t, call[changed](ahmed, http.MethodDelete, hidden, nothing{}).Changed)
	require.Equal(t, []string{"kind", "rude"}, outline(get[remarks](aisha, path)))
	require.True(t, call[changed](ahmed, http.MethodDelete, pinned, nothing{}).Changed)
	require.Nil(t, get[remarks](aisha, path).Pinned)
}

func aCommentIsLikedAndDeleted(t *testing.T, w *world) {
	akira, alba := w.as(t, "akira"), w.as(t, "alba")
	picture := akira.pin("Dawn")
	path := "/api/pins/" + picture + "/comments"
	root := alba.comment(picture, remarkBody{Text: "root"})
	reply := akira.comment(picture, remarkBody{Text: "reply", Root: root.ID.String()})
	one := path + "/" + reply.ID.String()
	alba.once(http.MethodPut, one+"/like?root="+root.ID.String(), nothing{})
	first := get[remarks](alba, path).Items[0].First[0]
	require.True(t, first.Liked)
	require.EqualValues(t, 1, first.Likes)
	require.True(t, call[changed](alba, http.MethodDelete, one+"/like?root="+root.ID.String(), nothing{}).Changed)

	// A root with a reply leaves its place.
	alba.once(http.MethodDelete, path+"/"+root.ID.String(), nothing{})
	page := get[remarks](alba, path)
	require.Equal(t, []string{"", "\treply"}, outline(page))
	require.NotNil(t, page.Items[0].Removed)
	alba.refused(http.StatusGone, http.MethodPut, path+"/"+root.ID.String()+"/like", nothing{})
}
