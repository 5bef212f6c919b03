package main

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/notify/announce"
)

// fromTomorrow are the fields of an announcement that are not about its content.
func fromTomorrow() (from, until time.Time, fields string) {
	from = time.Now().Add(24 * time.Hour).UTC().Truncate(time.Second)
	until = from.Add(24 * time.Hour)
	return from, until, `"from":"` + from.Format(time.RFC3339) + `","until":"` + until.Format(time.RFC3339) + `"`
}

// announced is an announcement that shows now, made an hour ago: one that is made now
// shows in 40 s.
func (w world) announced(t *testing.T, title, text string) notify.Announcement {
	t.Helper()
	past := func() time.Time { return time.Now().Add(-time.Hour) }
	editor, err := announce.New(w.env.DB, w.env.Tables.Notify, w.service.ids, &announce.Options{Now: past})
	require.NoError(t, err)
	a, _, err := editor.Announce(t.Context(), notify.Announcement{Audience: everybody, Title: title, Text: text, Until: time.Now().Add(time.Hour)})
	require.NoError(t, err)
	return a
}

func TestAnEditorAnnouncesAndWithdraws(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	from, until, times := fromTomorrow()
	body := `{"title":"<b>New</b>","text":"é","refs":["picture:bob:1"],"data":{"n":1},` + times + `,"id":"` + done[minted](t, w.send(t, "POST", "/ids", "")).ID.String() + `"}`
	made := w.send(t, "POST", "/announcements", body)
	require.Equal(t, http.StatusCreated, made.status, made.text)
	require.Contains(t, made.text, `"<b>New</b>"`)
	a := done[notify.Announcement](t, made)
	require.Equal(t, []feed.Ref{{Kind: "picture", ID: "bob:1"}}, a.Refs)
	require.Equal(t, from, a.From.UTC())
	require.Equal(t, until, a.Until.UTC())
	require.Equal(t, made.text, w.send(t, "POST", "/announcements", body).text, "the repeat is the same one")
	require.Empty(t, w.entries(t, "bob"), "not before its time")

	all := func() []notify.Announcement {
		return done[cursor.Page[notify.Announcement]](t, w.send(t, "GET", "/announcements", "")).Items
	}
	require.Len(t, all(), 1)
	at := "/announcements/" + a.ID.String()
	for i, removed := range []bool{true, false} {
		require.Equal(t, removed, done[removal](t, w.send(t, "DELETE", at, "")).Removed, "call %d", i)
	}
	require.NotZero(t, all()[0].Withdrawn)
	refused(t, w.send(t, "POST", "/announcements", body), http.StatusGone)
}

func TestAnAnnouncementShowsToAllAndIsDismissedByOne(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.announced(t, "New", "A text")
	done[followed](t, w.send(t, "PUT", "/users/ann/following/bob", ""))
	for _, user := range []string{"ann", "bob"} {
		shown := w.entries(t, user)
		last := shown[len(shown)-1]
		require.Equal(t, "A text", last.Announcement.Text)
		require.False(t, last.Seen)
	}
	require.Equal(t, 2, w.unseen(t, "bob"))
	at := "/users/bob/notifications/announcements/" + a.ID.String()
	for range 2 {
		done[none](t, w.send(t, "DELETE", at, ""))
		require.Len(t, w.entries(t, "bob"), 1)
		require.Equal(t, 1, w.unseen(t, "bob"))
	}
	require.Len(t, w.entries(t, "ann"), 1)
	done[none](t, w.send(t, "PUT", "/users/ann/notifications/seen", w.view(t, "ann")))
	require.Zero(t, w.unseen(t, "ann"))
	require.False(t, w.entries(t, "ann")[0].Read)
}
