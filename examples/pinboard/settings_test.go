package main

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/kit"
	"github.com/plaza-sdk/plaza/notify/digest"
	"github.com/plaza-sdk/plaza/notify/prefs"
)

func (c caller) mails() []mail {
	c.t.Helper()
	return get[struct {
		Items []mail `json:"items"`
	}](c, "/api/mails").Items
}

func peopleChooseWhatTheyHearOf(t *testing.T, w *world) {
	hana := w.as(t, "hana")
	on := func(verb, channel string) bool {
		t.Helper()
		all := get[settings](hana, "/api/settings").Verbs
		i := slices.IndexFunc(all, func(s prefs.Setting) bool { return s.Verb == verb && s.Channel == channel })
		require.GreaterOrEqual(t, i, 0)
		return all[i].On
	}
	require.True(t, on(like, prefs.InApp))
	require.False(t, on(like, email))
	hana.once(http.MethodPut, "/api/settings", map[string]any{"verb": like, "channel": prefs.InApp, "on": false})
	require.False(t, on(like, prefs.InApp))
	dawn, dusk := w.bellPin(t, "hana", "Dawn"), w.bellPin(t, "hana", "Dusk")
	w.bellLike(t, "haruto", "picture:"+dawn)
	w.bellLike(t, "haruto", "picture:"+w.bellPin(t, "hannah", "Noon"))
	w.bells(t, "hannah", "@haruto liked your picture “Noon”") // so the like before was handled too
	_, err := w.Feeds.Home("haruto").Follow(t.Context(), "hana", nil)
	require.NoError(t, err)
	w.bells(t, "hana", "@haruto followed you")

	call[changed](hana, http.MethodPut, "/api/settings", map[string]any{"verb": like, "channel": prefs.InApp, "on": true})
	hana.once(http.MethodPut, "/api/muted/"+url.PathEscape("picture:"+dawn), struct{}{})
	muted := get[mutePage](hana, "/api/muted")
	require.Equal(t, "Dawn", muted.Titles[muted.Items[0].Object.ID])
	w.bellLike(t, "hannah", "picture:"+dawn)
	w.bellLike(t, "hannah", "picture:"+dusk)
	w.bells(t, "hana", "@hannah liked your picture “Dusk”", "@haruto followed you")
	require.Equal(t, changed{true}, call[changed](hana, http.MethodDelete, "/api/muted/"+url.PathEscape("picture:"+dawn), nil))
	require.Empty(t, get[mutePage](hana, "/api/muted").Items)

	call[changed](hana, http.MethodPut, "/api/blocked/hassan", struct{}{})
	require.Equal(t, "hassan", get[cursor.Page[prefs.Block]](hana, "/api/blocked").Items[0].Actor)
	w.bellLike(t, "hassan", "picture:"+dusk)
	w.bellLike(t, "mia", "picture:"+dusk)
	w.bells(t, "hana", "@mia and @hannah liked your picture “Dusk”", "@haruto followed you")
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
	_, err := w.Feeds.Home("eric").Follow(t.Context(), "ann", nil)
	require.NoError(t, err)
	w.bells(t, "ann", "@eric followed you")

	opts := w.options()
	opts.Now = func() time.Time { return time.Now().Add(2 * time.Hour) }
	later, err := kit.New(dynamo.New(w.env.Config), w.ids, opts)
	require.NoError(t, err)
	for _, done := range []int{1, 0} {
		sent, err := later.Deliver(t.Context())
		require.NoError(t, err)
		require.Equal(t, done, sent)
	}
	mails := ann.mails()
	require.Len(t, mails, 1)
	require.Equal(t, "1 thing happened on Pinboard", mails[0].Subject)
	require.Equal(t, []mailLine{{named("@eric followed you"), "/people/eric"}}, mails[0].Lines)
	require.Empty(t, w.as(t, "eric").mails())
}

func aDigestIsSentNow(t *testing.T, w *world) {
	hugo := w.as(t, "hugo")
	now := map[string]string{"key": "1"}
	require.Equal(t, sentMails{}, call[sentMails](hugo, http.MethodPost, "/api/digests", now))
	w.bellLike(t, "ibrahim", "picture:"+w.bellPin(t, "hugo", "Dawn"))
	w.bells(t, "hugo", "@ibrahim liked your picture “Dawn”") // another table's stream may be faster
	for _, followee := range []string{"hugo", "board:hugo.places"} {
		_, err := w.Feeds.Home("ibrahim").Follow(t.Context(), followee, nil)
		require.NoError(t, err)
	}
	w.bells(t, "hugo", "@ibrahim followed your board", "@ibrahim followed you", "@ibrahim liked your picture “Dawn”")
	for range 2 { // a repeat sends no other
		require.Equal(t, sentMails{2}, call[sentMails](hugo, http.MethodPost, "/api/digests", now))
	}
	mails := hugo.mails()
	require.Len(t, mails, 1)
	require.Equal(t, []mailLine{{named("@ibrahim followed your board"), "/boards/hugo.places"}, {named("@ibrahim followed you"), "/people/ibrahim"}}, mails[0].Lines)

	hugo.once(http.MethodPost, "/api/unsubscribe", map[string]string{"token": mails[0].Unsubscribe})
	require.Equal(t, sentMails{}, call[sentMails](hugo, http.MethodPost, "/api/digests", map[string]string{"key": "2"}))
	hugo.refused(http.StatusBadRequest, http.MethodPost, "/api/unsubscribe", map[string]string{"token": mails[0].Unsubscribe + "x"})
}

// The next process has the mails of this one, and its links end what they should.
func TestMailsAndTheirLinksOutliveARestart(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann := w.as(t, "ann")
	picture := ann.draw("Dawn", ann.makeBoard("Places"))
	token, err := w.unsubscribeToken("ann", email)
	require.NoError(t, err)
	for _, key := range []string{"1", "2", "2"} {
		require.NoError(t, post{w.app}.Send(t.Context(), digest.Digest{Key: key, User: "ann", Unsubscribe: token}))
	}
	before := ann.mails()
	require.Len(t, before, 2)
	require.Equal(t, "2", before[0].Key, "newest first")

	again, err := newApp(t.Context(), w.db, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, again.close()) })
	next := *w
	next.app, next.server = again, httptest.NewServer(newAPI(again))
	t.Cleanup(next.server.Close)
	ann = next.as(t, "ann")
	require.Equal(t, before, ann.mails())
	require.Empty(t, next.as(t, "eric").mails())
	require.Equal(t, changed{true}, call[changed](ann, http.MethodPost, "/api/unsubscribe", map[string]string{"token": before[0].Unsubscribe}))
	require.True(t, call[saved](ann, http.MethodPost, "/api/pins", picture).Created)
}
