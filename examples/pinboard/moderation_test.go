package main

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed/comment"
	"github.com/plaza-sdk/plaza/ids"
)

func (w *world) moderationComment(t *testing.T, user, picture, text string, root ids.ID) comment.Comment {
	t.Helper()
	c, _, err := w.Comments.Add(t.Context(), comment.Comment{Object: "picture:" + picture, User: user, Text: text, Root: root})
	require.NoError(t, err)
	return c
}

func (c caller) report(object, reason string) changed {
	c.t.Helper()
	return call[changed](c, "PUT", "/api/reports", complaint{Object: object, Reason: reason})
}

type verdict struct {
	complaint
	Key    string `json:"key"`
	Action string `json:"action"`
}

func (c caller) moderate(key, action string, about complaint) changed {
	c.t.Helper()
	return call[changed](c, "POST", "/api/moderation/actions", verdict{about, key, action})
}

func (c caller) reported() []line { return get[cursor.Page[line]](c, "/api/moderation/reports").Items }
func (c caller) log() []line      { return get[cursor.Page[line]](c, "/api/moderation/log").Items }

func TestReportsComeBeforeTheModeratorOnceForEachObject(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	mia, eric, lin := w.as(t, "mia"), w.as(t, "eric"), w.as(t, "lin")
	require.Empty(t, mia.reported())
	picture := w.as(t, "ann").pin("Not mine")
	object := "picture:" + picture
	require.True(t, eric.report(object, "I took this").Changed)
	require.False(t, eric.report(object, "I took this").Changed, "a repeat")
	require.True(t, lin.report(object, "<b>ugly</b>").Changed)

	reports := mia.reported()
	require.Len(t, reports, 1)
	require.Equal(t, shown{Object: object, By: "ann", Title: "Not mine", Reason: "I took this"}, reports[0].shown)
	require.Equal(t, "eric", reports[0].Actor)
	require.Equal(t, picture, reports[0].Picture)
	require.EqualValues(t, 2, reports[0].Reports)
	cost, _ := mia.last()
	require.Equal(t, 2, cost.Requests, "the list and the counts")
	var reasons []string
	for _, l := range get[cursor.Page[line]](mia, "/api/moderation/reasons?object="+object).Items {
		reasons = append(reasons, l.Actor+": "+l.Reason)
	}
	require.Equal(t, []string{"lin: <b>ugly</b>", "eric: I took this"}, reasons)

	require.True(t, mia.moderate("k", "dismiss", complaint{Object: object, Reason: "it is ann's"}).Changed)
	require.Empty(t, mia.reported())
	eric.report(object, "a late repeat")
	require.Empty(t, mia.reported(), "it was looked at")
	_, err := w.Feeds.Outbox("ann").Get(t.Context(), reports[0].ID)
	require.ErrorIs(t, err, plaza.ErrNotFound, "only the report has that id")
	w.as(t, "chris").report(object, "mine too")
	require.Len(t, mia.reported(), 1, "another one's is new")
}

func TestTheModeratorRemovesAndHidesOnceAndItIsWrittenDown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	mia, eric := w.as(t, "mia"), w.as(t, "eric")
	picture := w.as(t, "ann").pin("Dawn")
	require.True(t, call[saved](eric, "POST", "/api/pins", publish{Picture: picture, Board: eric.makeBoard("Mine")}).Created)
	root := w.moderationComment(t, "lin", picture, "Buy cheap watches", 0)
	reply := w.moderationComment(t, "chris", picture, "You are a fool", root.ID)
	spam, insult := "comment:"+picture+"/"+root.ID.String(), "comment:"+picture+"/"+root.ID.String()+"/"+reply.ID.String()
	eric.report(spam, "spam")
	call[changed](eric, "PUT", "/api/reports", complaint{Object: insult, Reason: "unkind"})
	reports := mia.reported()
	require.Len(t, reports, 2)
	require.Equal(t, shown{Object: insult, By: "chris", Title: "Dawn", Text: "You are a fool", Reason: "unkind"}, reports[0].shown)

	at := complaint{Object: insult, Reason: "be kind"}
	require.True(t, mia.moderate("hide", "hide", at).Changed)
	require.False(t, mia.moderate("hide", "hide", at).Changed, "a repeat")
	_, err := w.Comments.Get(t.Context(), reply.Address())
	require.ErrorIs(t, err, plaza.ErrNotFound)
	require.Len(t, mia.reported(), 1)
	require.True(t, mia.moderate("unhide", "unhide", at).Changed)
	_, err = w.Comments.Get(t.Context(), reply.Address())
	require.NoError(t, err)

	require.True(t, mia.moderate("remove", "remove", complaint{Object: insult, Reason: "again"}).Changed)
	own, err := w.Comments.ByUser(t.Context(), "chris", cursor.PageRequest{}, &comment.ListOptions{WithHidden: true})
	require.NoError(t, err)
	require.Equal(t, "again", own.Items[0].Removed.Reason, "its author sees why")
	require.True(t, mia.moderate("picture", "remove", complaint{Object: "picture:" + picture, Reason: "stolen"}).Changed)
	require.False(t, mia.moderate("picture", "remove", complaint{Object: "picture:" + picture, Reason: "stolen"}).Changed)
	eric.refused(http.StatusNotFound, "PUT", "/api/reports", complaint{Object: "picture:" + picture})
	repins, err := w.Feeds.Outbox("eric").List(t.Context(), cursor.PageRequest{})
	require.NoError(t, err)
	require.Empty(t, repins.Items, "nobody has it any more")

	var done []string
	for _, l := range mia.log() {
		require.Equal(t, "mia", l.Actor)
		done = append(done, strings.TrimSuffix(l.Action+" "+l.Text, " ")+" of "+l.By+" in "+l.Title+": "+l.Reason)
	}
	require.Equal(t, []string{
		"remove of ann in Dawn: stolen", "remove You are a fool of chris in Dawn: again",
		"unhide You are a fool of chris in Dawn: be kind", "hide You are a fool of chris in Dawn: be kind",
	}, done, "each once")
}

func theAuthorAloneReadsTheModeratorsReason(t *testing.T, w *world) {
	mia, ida, ines := w.as(t, "mia"), w.as(t, "ida"), w.as(t, "ines")
	picture := w.bellPin(t, "ida", "Dawn")
	root := w.moderationComment(t, "ines", picture, "Buy watches", 0)
	w.moderationComment(t, "ingrid", picture, "No", root.ID) // so that it leaves its place
	call[changed](ida, "PUT", "/api/muted/picture:"+picture, nothing{})
	object, long := "comment:"+picture+"/"+root.ID.String(), strings.Repeat("<", maxReason)
	for _, d := range []struct{ action, object, reason string }{
		{"hide", object, "unkind"}, {"unhide", object, ""}, {"dismiss", object, "it is fine"}, {"remove", object, "an advertisement"},
	} {
		require.True(t, mia.moderate("ines "+d.action, d.action, complaint{d.object, d.reason}).Changed, d.action)
	}
	gone := w.moderationComment(t, "ingrid", picture, "Gone", 0)
	_, err := w.Comments.Delete(t.Context(), comment.Action{Address: gone.Address(), User: "ingrid"})
	require.NoError(t, err)
	require.False(t, mia.moderate("gone", "remove", complaint{commentRef(gone.Address()).String(), "not ida's"}).Changed)
	for _, c := range []caller{ida, ines, w.as(t, "ingrid"), mia} {
		comments := c.send("GET", "/api/pins/"+picture+"/comments", nil).text
		require.Contains(t, comments, `"removed"`)
		require.Equal(t, c.id == "ines", strings.Contains(comments, "an advertisement"), c.id)
	}
	require.True(t, mia.moderate("ida", "remove", complaint{"picture:" + picture, long}).Changed)
	for person, want := range map[string][]string{
		"ines": {"remove: an advertisement", "unhide: ", "hide: unkind"}, "ida": {"remove: " + long}, "ingrid": nil,
	} {
		var got []string
		require.Eventually(t, func() bool {
			got = nil
			answer := w.as(t, person).send("GET", "/api/bell", nil).text
			require.NotContains(t, answer, `"mia"`)
			var page noticePage
			require.NoError(t, json.Unmarshal([]byte(answer), &page))
			for _, e := range page.Items {
				var why complaint
				if e.Activity.Actor.ID == moderators {
					require.NoError(t, json.Unmarshal(e.Activity.Data, &why))
					got = append(got, e.Activity.Verb+": "+why.Reason)
				}
			}
			return slices.Equal(got, want)
		}, bellPatience, bellTick, "%s reads %q", person, got)
	}
}

func onlyModeratorsModerate(t *testing.T, w *world) {
	picture := w.as(t, "dmitri").pin("Dawn")
	for _, person := range []string{"dmitri", "eero"} {
		c := w.as(t, person)
		for _, path := range []string{"reports", "log", "reasons?object=picture:" + picture} {
			require.NotEmpty(t, c.refused(http.StatusForbidden, "GET", "/api/moderation/"+path, nil).Reason)
		}
		c.refused(http.StatusForbidden, "POST", "/api/moderation/actions", verdict{complaint{Object: "picture:" + picture}, "k", "remove"})
	}
	require.Empty(t, w.as(t, "mia").log())
	_, id, _ := strings.Cut(picture, ".")
	parsed, err := ids.Parse(id)
	require.NoError(t, err)
	_, err = w.Feeds.Outbox("dmitri").Get(t.Context(), parsed)
	require.NoError(t, err)
}
