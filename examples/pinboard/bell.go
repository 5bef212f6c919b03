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
)

// everyone is the audience of announcements.
const everyone = "everyone"

// welcome greets everyone, unless that was done before. Data has the other languages.
func (a *app) welcome(ctx context.Context) error {
	before, err := a.Announcements.List(ctx, everyone, cursor.PageRequest{Limit: 1})
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
	s.route("GET /api/bell/archived", s.shelf(s.Bell.Archived), "cursor")
	s.route("GET /api/bell/snoozed", s.shelf(s.Bell.Snoozed), "cursor")
	s.route("GET /api/bell/unseen", s.unseen)
	s.route("PUT /api/bell/seen", s.markView(s.Bell.MarkSeen))
	s.route("PUT /api/bell/allread", s.markView(s.Bell.MarkAllRead))
	s.route("PUT /api/bell/read", s.markRead)
	s.route("DELETE /api/bell/groups/{group}/read", s.move(s.Bell.MarkUnread))
	s.route("PUT /api/bell/groups/{group}/archived", s.move(s.Bell.Archive))
	s.route("DELETE /api/bell/groups/{group}/archived", s.move(s.Bell.Unarchive))
	s.route("PUT /api/bell/groups/{group}/snoozed", s.snooze)
	s.route("DELETE /api/bell/groups/{group}/snoozed", s.move(s.Bell.Unsnooze))
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
	page, err := s.Bell.List(r.Context(), reader(me), pageOf(r, 20))
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
	return s.Bell.Unseen(r.Context(), reader(me))
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
	_, err := s.Bell.MarkRead(r.Context(), me.ID, read.Shown)
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
	did, err := s.Bell.Snooze(r.Context(), notify.In{User: me.ID, Group: r.PathValue("group")}, body.Until)
	return changed{did}, err
}

func (s *api) dismiss(r *http.Request, me people.Person) (any, error) {
	id, err := ids.Parse(r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	did, err := s.Bell.Dismiss(r.Context(), me.ID, id)
	return changed{did}, err
}
