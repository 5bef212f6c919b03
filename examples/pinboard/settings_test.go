package main

import (
	"net/http"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/notify/digest"
	"github.com/plaza-sdk/plaza/notify/prefs"
)

func (c caller) mails() []mail {
	c.t.Helper()
	return get[struct {
		Items []mail `json:"items"`
	}](c, "/api/mails").Items
}

func TestPeopleChooseWhatTheyHearOf(t *testing.T) {
	t.Parallel()
	w := newBell(t)
	ann := w.as(t, "ann")
	on := func(verb, channel string) bool {
		t.Helper()
		all := get[settings](ann, "/api/settings").Verbs
		i := slices.IndexFunc(all, func(s prefs.Setting) bool { return s.Verb == verb && s.Channel == channel })
		require.GreaterOrEqual(t, i, 0)
		return all[i].On
	}
	require.True(t, on(like, prefs.InApp))
	require.False(t, on(like, email))
	for _, did := range []bool{true, false} {
		require.Equal(t, changed{did}, call[changed](ann, http.MethodPut, "/api/settings", map[string]any{"verb": like, "channel": prefs.InApp, "on": false}))
	}
	require.False(t, on(like, prefs.InApp))
	dawn, dusk := w.bellPin(t, "ann", "Dawn"), w.bellPin(t, "ann", "Dusk")
	w.bellLike(t, "eric", "picture:"+dawn)
	w.bellLike(t, "eric", "picture:"+w.bellPin(t, "chris", "Noon"))
	w.bells(t, "chris", "@eric liked your picture “Noon”") // so the like before was handled too
	_, err := w.feeds.Home("eric").Follow(t.Context(), "ann", nil)
	require.NoError(t, err)
	w.bells(t, "ann", "@eric followed you")

	call[changed](ann, http.MethodPut, "/api/settings", map[string]any{"verb": like, "channel": prefs.InApp, "on": true})
	for _, did := range []bool{true, false} {
		require.Equal(t, changed{did}, call[changed](ann, http.MethodPut, "/api/muted/"+url.PathEscape("picture:"+dawn), struct{}{}))
	}
	muted := get[mutePage](ann, "/api/muted")
	require.Equal(t, "Dawn", muted.Titles[muted.Items[0].Object.ID])
	w.bellLike(t, "chris", "picture:"+dawn)
	w.bellLike(t, "chris", "picture:"+dusk)
	w.bells(t, "ann", "@chris liked your picture “Dusk”", "@eric followed you")
	require.Equal(t, changed{true}, call[changed](ann, http.MethodDelete, "/api/muted/"+url.PathEscape("picture:"+dawn), nil))
	require.Empty(t, get[mutePage](ann, "/api/muted").Items)

	call[changed](ann, http.MethodPut, "/api/blocked/lin", struct{}{})
	require.Equal(t, "lin", get[cursor.Page[prefs.Block]](ann, "/api/blocked").Items[0].Actor)
	w.bellLike(t, "lin", "picture:"+dusk)
	w.bellLike(t, "mia", "picture:"+dusk)
	w.bells(t, "ann", "@mia and @chris liked your picture “Dusk”", "@eric followed you")

	for _, c := range []struct {
		path string
		body any
	}{
		{"/api/settings", map[string]any{"verb": "other", "channel": email, "on": true}},
		{"/api/settings", map[string]any{"verb": like, "channel": "sms", "on": true}},
		{"/api/settings", map[string]any{"verb": like, "channel": email}},
		{"/api/muted/" + url.PathEscape(":x"), struct{}{}},
		{"/api/settings/digest", rhythm{Every: "year"}},
		{"/api/settings/digest", rhythm{Every: "day", At: "25:00"}},
		{"/api/settings/digest", rhythm{Every: "day", At: "08:00", Zone: "Nowhere/Else"}},
		{"/api/settings/digest", rhythm{Every: "hour", Quiet: digest.Quiet{From: "22:00"}}},
	} {
		ann.refused(http.StatusBadRequest, http.MethodPut, c.path, c.body)
	}
	ann.refused(http.StatusNotFound, http.MethodPut, "/api/muted/"+url.PathEscape("picture:nobody.1"), struct{}{})
}

func TestADigestArrivesByItsSchedule(t *testing.T) {
	t.Parallel()
	w := newBell(t)
	ann := w.as(t, "ann")
	hourly := rhythm{Every: "hour", At: "08:00", Zone: "Europe/Berlin"}
	for range 2 {
		call[rhythm](ann, http.MethodPut, "/api/settings/digest", hourly)
		require.Equal(t, hourly, get[settings](ann, "/api/settings").Digest)
	}
	_, err := w.feeds.Home("eric").Follow(t.Context(), "ann", nil)
	require.NoError(t, err)
	w.bells(t, "ann", "@eric followed you")

	later := func() time.Time { return time.Now().Add(2 * time.Hour) }
	digests, err := digest.New(dynamo.New(w.env.Config), w.env.Tables.Notify, &digest.Options{Schedule: w.scheduleOf, Now: later})
	require.NoError(t, err)
	worker, err := w.digestWorker(digests)
	require.NoError(t, err)
	for _, done := range []int{1, 0} {
		sent, err := worker.Deliver(t.Context())
		require.NoError(t, err)
		require.Equal(t, done, sent)
	}
	mails := ann.mails()
	require.Len(t, mails, 1)
	require.Equal(t, "1 thing happened on Pinboard", mails[0].Subject)
	require.Equal(t, []mailLine{{named("@eric followed you"), "/people/eric"}}, mails[0].Lines)
	require.Empty(t, w.as(t, "eric").mails())
}

func TestADigestIsSentNow(t *testing.T) {
	t.Parallel()
	w := newBell(t)
	ann := w.as(t, "ann")
	now := map[string]string{"key": "1"}
	require.Equal(t, sentMails{}, call[sentMails](ann, http.MethodPost, "/api/digests", now))
	w.bellLike(t, "eric", "picture:"+w.bellPin(t, "ann", "Dawn"))
	w.bells(t, "ann", "@eric liked your picture “Dawn”") // another table's stream may be faster
	for _, followee := range []string{"ann", "board:ann.places"} {
		_, err := w.feeds.Home("eric").Follow(t.Context(), followee, nil)
		require.NoError(t, err)
	}
	w.bells(t, "ann", "@eric followed your board", "@eric followed you", "@eric liked your picture “Dawn”")
	for range 2 { // a repeat sends no other
		require.Equal(t, sentMails{2}, call[sentMails](ann, http.MethodPost, "/api/digests", now))
	}
	mails := ann.mails()
	require.Len(t, mails, 1)
	require.Equal(t, []mailLine{{named("@eric followed your board"), "/boards/ann.places"}, {named("@eric followed you"), "/people/eric"}}, mails[0].Lines)

	for _, did := range []bool{true, false} {
		require.Equal(t, changed{did}, call[changed](ann, http.MethodPost, "/api/unsubscribe", map[string]string{"token": mails[0].Unsubscribe}))
	}
	require.Equal(t, sentMails{}, call[sentMails](ann, http.MethodPost, "/api/digests", map[string]string{"key": "2"}))
	ann.refused(http.StatusBadRequest, http.MethodPost, "/api/unsubscribe", map[string]string{"token": mails[0].Unsubscribe + "x"})
	ann.refused(http.StatusBadRequest, http.MethodPost, "/api/digests", map[string]string{})
}

func TestABoxKeepsTheNewestMails(t *testing.T) {
	t.Parallel()
	box := newMails()
	for i := range mailsEach + 10 {
		for range 2 {
			box.keep("ann", mail{Key: string(rune('a' + i))})
		}
	}
	all := box.of("ann")
	require.Len(t, all, mailsEach)
	for i, one := range all { // newest first, each once
		require.Equal(t, string(rune('a'+mailsEach+9-i)), one.Key)
	}
	require.Empty(t, box.of("eric"))
}
