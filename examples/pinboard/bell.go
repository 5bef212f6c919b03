package main

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/examples/guard"
	"github.com/plaza-sdk/plaza/examples/pinboard/people"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/notify/announce"
	"github.com/plaza-sdk/plaza/notify/digest"
	"github.com/plaza-sdk/plaza/notify/prefs"
)

// everyone is the audience of announcements.
const everyone = "everyone"

// openBell opens the features of notifications, which share a table.
func (a *app) openBell(db *dynamo.DB) (err error) {
	table := a.db.tables.Notify
	a.prefs, err = prefs.New(db, table, a.ids, &prefs.Options{
		Channels: []string{email}, Verbs: verbs(), Tokens: prefs.Keyring{Keys: map[byte][]byte{0: a.secret}}, Consistent: true, OnCorrupt: a.failures.Corrupt,
	})
	if err != nil {
		return err
	}
	if a.announcements, err = announce.New(db, table, a.ids, &announce.Options{OnCorrupt: a.failures.Corrupt}); err != nil {
		return err
	}
	if a.digests, err = digest.New(db, table, &digest.Options{ScheduleOf: a.scheduleOf, OnCorrupt: a.failures.Corrupt}); err != nil {
		return err
	}
	a.bell, err = notify.New(db, table, a.ids, &notify.Options{
		Policy: a.prefs, Announcements: a.announcements, Scheduler: a.digests,
		Consistent: true, // a page reads right after the bell rang
		OnCorrupt:  a.failures.Corrupt,
	})
	if err != nil {
		return err
	}
	a.rings, err = newRings()
	return err
}

// welcome greets everyone, unless that was done before. Data has the other languages.
func (a *app) welcome(ctx context.Context) error {
	before, err := a.announcements.List(ctx, everyone, cursor.PageRequest{Limit: 1})
	if err != nil || len(before.Items) > 0 {
		return err
	}
	// Announcements show once every process has read them. This is the only process, and
	// has read none, so it announces as if it were a minute ago.
	ago := func() time.Time { return time.Now().Add(-time.Minute) }
	early, err := announce.New(dynamo.New(a.db.config), a.db.tables.Notify, a.ids, &announce.Options{Now: ago})
	if err != nil {
		return err
	}
	_, _, err = early.Announce(ctx, notify.Announcement{
		Audience: everyone, Title: "Welcome to Pinboard",
		Text:  "Open a second window as somebody else: like, follow, comment and write, and watch this bell.",
		Data:  json.RawMessage(`{"zh":{"title":"欢迎来到 Pinboard","text":"在第二个窗口中以他人身份打开：点赞、关注、评论、发私信，再看看这里的通知。"}}`),
		Until: time.Now().Add(60 * 24 * time.Hour),
	})
	return err
}

func (s *api) bellRoutes() {
	s.route("GET /api/bell", s.listed, "cursor")
	s.route("GET /api/bell/archived", s.shelf(s.bell.Archived), "cursor")
	s.route("GET /api/bell/snoozed", s.shelf(s.bell.Snoozed), "cursor")
	s.route("GET /api/bell/unseen", s.unseen)
	s.route("PUT /api/bell/seen", s.markView(s.bell.MarkSeen))
	s.route("PUT /api/bell/allread", s.markView(s.bell.MarkAllRead))
	s.route("PUT /api/bell/read", s.markRead)
	s.route("DELETE /api/bell/groups/{group}/read", s.move(s.bell.MarkUnread))
	s.route("PUT /api/bell/groups/{group}/archived", s.move(s.bell.Archive))
	s.route("DELETE /api/bell/groups/{group}/archived", s.move(s.bell.Unarchive))
	s.route("PUT /api/bell/groups/{group}/snoozed", s.snooze)
	s.route("DELETE /api/bell/groups/{group}/snoozed", s.move(s.bell.Unsnooze))
	s.route("DELETE /api/bell/announcements/{id}", s.dismiss)
}

// noticePage is a page of the bell, with the titles of the pictures in it, and what a mark
// covers that is made after it.
type noticePage struct {
	cursor.Page[notify.Entry]
	View   notify.View       `json:"view"`
	Titles map[string]string `json:"titles"` // by picture; those that are gone have none
}

func reader(me people.Person) notify.Reader {
	return notify.Reader{User: me.ID, Audiences: []string{everyone}}
}

func (s *api) listed(r *http.Request, me people.Person) (any, error) {
	page, err := s.bell.List(r.Context(), reader(me), pageOf(r, 20))
	if err != nil {
		return nil, err
	}
	titles, err := s.titlesOf(r.Context(), page.Items)
	return noticePage{page, notify.See(page.Items), titles}, err
}

// shelf lists the notifications that are archived or snoozed.
func (s *api) shelf(list func(context.Context, string, cursor.PageRequest) (cursor.Page[notify.Entry], error)) action {
	return func(r *http.Request, me people.Person) (any, error) {
		page, err := list(r.Context(), me.ID, pageOf(r, 20))
		if err != nil {
			return nil, err
		}
		titles, err := s.titlesOf(r.Context(), page.Items)
		return noticePage{Page: page, Titles: titles}, err
	}
}

func (s *api) unseen(r *http.Request, me people.Person) (any, error) {
	return s.bell.Unseen(r.Context(), reader(me))
}

// markView marks the entries of a page, which sends its View back.
func (s *api) markView(mark func(context.Context, string, notify.View) (bool, error)) action {
	return func(r *http.Request, me people.Person) (any, error) {
		var view notify.View
		if err := guard.ReadJSON(r, &view); err != nil {
			return nil, err
		}
		did, err := mark(r.Context(), me.ID, view)
		return changed{did}, err
	}
}

func (s *api) markRead(r *http.Request, me people.Person) (any, error) {
	var read struct {
		Shown []notify.Shown `json:"shown"`
	}
	if err := guard.ReadJSON(r, &read); err != nil {
		return nil, err
	}
	_, err := s.bell.MarkRead(r.Context(), me.ID, read.Shown)
	return struct{}{}, err
}

// move changes the group that the path names.
func (s *api) move(do func(context.Context, notify.In) (bool, error)) action {
	return func(r *http.Request, me people.Person) (any, error) {
		did, err := do(r.Context(), notify.In{User: me.ID, Group: r.PathValue("group")})
		return changed{did}, err
	}
}

func (s *api) snooze(r *http.Request, me people.Person) (any, error) {
	var body struct {
		Until time.Time `json:"until"`
	}
	if err := guard.ReadJSON(r, &body); err != nil {
		return nil, err
	}
	did, err := s.bell.Snooze(r.Context(), notify.In{User: me.ID, Group: r.PathValue("group")}, body.Until)
	return changed{did}, err
}

func (s *api) dismiss(r *http.Request, me people.Person) (any, error) {
	id, err := ids.Parse(r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	did, err := s.bell.Dismiss(r.Context(), me.ID, id)
	return changed{did}, err
}
