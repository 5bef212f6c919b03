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

func TestCommentsAreThreadsWithQuotesAndMentions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, eric := w.as(t, "ann"), w.as(t, "eric")
	picture := ann.pin("Dawn")
	path := "/api/pins/" + picture + "/comments"
	first := eric.comment(picture, remarkBody{Key: "1", Text: "Where is this, @ann? @nobody knows. @ann!"})
	require.Equal(t, []string{"ann"}, first.Mentions)
	require.Equal(t, first.ID, eric.comment(picture, remarkBody{Key: "1", Text: "Where is this, @ann? @nobody knows. @ann!"}).ID, "a repeat is the same comment")
	reply := ann.comment(picture, remarkBody{Text: attack, Root: first.ID.String()})
	eric.comment(picture, remarkBody{Text: "Thanks", Root: first.ID.String(), Parent: reply.ID.String()})
	quoting := ann.comment(picture, remarkBody{Text: "As I said", Quote: first.ID.String()})
	require.Equal(t, "eric", quoting.Quote.User)
	require.Equal(t, []string{"As I said", first.Text, "\t" + attack, "\tThanks"}, outline(get[remarks](ann, path)))
	require.Equal(t, []string{first.Text, "\t" + attack, "\tThanks", "As I said"}, outline(get[remarks](ann, path+"?oldest=true")))
	require.Equal(t, []string{attack, "Thanks"}, outline(get[remarks](ann, path+"/"+first.ID.String()+"/replies")))

	// The quote follows the edit.
	call[remark](eric, http.MethodPut, path+"/"+first.ID.String(), map[string]string{"text": "Where?"})
	page := get[remarks](ann, path)
	require.Equal(t, "Where?", page.Items[0].Quote.Excerpt)
	require.False(t, page.Items[1].EditedAt.IsZero())
	require.EqualValues(t, 4, get[card](ann, "/api/pins/"+picture).Comments)
}

func TestCommentsRefuseBadInputAndOtherPeople(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, eric := w.as(t, "ann"), w.as(t, "eric")
	picture := ann.pin("Dawn")
	path := "/api/pins/" + picture + "/comments"
	mine := "/" + ann.comment(picture, remarkBody{Text: "Mine"}).ID.String()
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
		{http.StatusBadRequest, "body", http.MethodPost, "", map[string]any{"key": "2", "text": "x", "user": "ann"}},
		{http.StatusNotFound, "", http.MethodPost, "", remarkBody{Key: "2", Text: "x", Root: none[1:]}},
		{http.StatusForbidden, "", http.MethodPut, mine, map[string]string{"text": "Stolen"}},
		{http.StatusForbidden, "", http.MethodDelete, mine, nothing{}},
		{http.StatusForbidden, "", http.MethodPut, mine + "/hidden", nothing{}},
		{http.StatusForbidden, "", http.MethodPut, mine + "/pinned", nothing{}},
		{http.StatusBadRequest, "ID", http.MethodPut, "/x/like", nothing{}},
		{http.StatusNotFound, "", http.MethodPut, none + "/like", nothing{}},
	} {
		require.Equal(t, c.field, eric.refused(c.status, c.method, path+c.suffix, c.body).Field, "%s %s %v", c.method, c.suffix, c.body)
	}
	unknown := "/api/pins/" + pictureID{"ann", ids.At(time.Now())}.String() + "/comments"
	eric.refused(http.StatusNotFound, http.MethodGet, unknown, nil)
	eric.refused(http.StatusNotFound, http.MethodPost, unknown, remarkBody{Key: "2", Text: "x"})
	require.Equal(t, []string{"Mine"}, outline(get[remarks](ann, path)))
}

func TestAPicturesOwnerPinsAndHidesComments(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, eric, lin := w.as(t, "ann"), w.as(t, "eric"), w.as(t, "lin")
	picture := ann.pin("Dawn")
	path := "/api/pins/" + picture + "/comments"
	rude := eric.comment(picture, remarkBody{Text: "rude"})
	kind := lin.comment(picture, remarkBody{Text: "kind"})
	hidden, pinned := path+"/"+rude.ID.String()+"/hidden", path+"/"+kind.ID.String()+"/pinned"

	require.True(t, call[changed](ann, http.MethodPut, pinned, nothing{}).Changed)
	require.False(t, call[changed](ann, http.MethodPut, pinned, nothing{}).Changed)
	require.Equal(t, "kind", get[remarks](lin, path).Pinned.Text)
	require.True(t, call[changed](ann, http.MethodPut, hidden, nothing{}).Changed)
	require.Equal(t, []string{"kind"}, outline(get[remarks](lin, path)))
	for _, c := range []caller{ann, eric, w.as(t, "mia")} { // the owner, its author, the moderator
		page := get[remarks](c, path)
		require.Equal(t, []string{"kind", "rude"}, outline(page), c.id)
		require.True(t, page.Items[1].Hidden)
	}
	require.EqualValues(t, 1, get[card](ann, "/api/pins/"+picture).Comments)
	require.True(t, call[changed](ann, http.MethodDelete, hidden, nothing{}).Changed)
	require.Equal(t, []string{"kind", "rude"}, outline(get[remarks](lin, path)))
	require.True(t, call[changed](ann, http.MethodDelete, pinned, nothing{}).Changed)
	require.Nil(t, get[remarks](lin, path).Pinned)
}

func TestACommentIsLikedAndDeleted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, eric := w.as(t, "ann"), w.as(t, "eric")
	picture := ann.pin("Dawn")
	path := "/api/pins/" + picture + "/comments"
	root := eric.comment(picture, remarkBody{Text: "root"})
	reply := ann.comment(picture, remarkBody{Text: "reply", Root: root.ID.String()})
	one := path + "/" + reply.ID.String()
	require.True(t, call[changed](eric, http.MethodPut, one+"/like?root="+root.ID.String(), nothing{}).Changed)
	require.False(t, call[changed](eric, http.MethodPut, one+"/like?root="+root.ID.String(), nothing{}).Changed)
	first := get[remarks](eric, path).Items[0].First[0]
	require.True(t, first.Liked)
	require.EqualValues(t, 1, first.Likes)
	require.True(t, call[changed](eric, http.MethodDelete, one+"/like?root="+root.ID.String(), nothing{}).Changed)

	// A root with a reply leaves its place.
	require.True(t, call[changed](eric, http.MethodDelete, path+"/"+root.ID.String(), nothing{}).Changed)
	require.False(t, call[changed](eric, http.MethodDelete, path+"/"+root.ID.String(), nothing{}).Changed)
	page := get[remarks](eric, path)
	require.Equal(t, []string{"", "\treply"}, outline(page))
	require.NotNil(t, page.Items[0].Removed)
	eric.refused(http.StatusGone, http.MethodPut, path+"/"+root.ID.String()+"/like", nothing{})
}
