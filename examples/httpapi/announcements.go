package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/examples/guard"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/notify"
)

// newAnnouncement is an announcement to everybody. With an id, from POST /ids or from the
// answer to a failed one, a repeat is the same announcement. It shows from the time in
// from, and 50 s from now at the earliest.
type newAnnouncement struct {
	ID    string          `json:"id"`
	Title string          `json:"title"`
	Text  string          `json:"text"`
	Refs  []string        `json:"refs"` // "picture:10"
	Data  json.RawMessage `json:"data"`
	From  string          `json:"from"` // RFC 3339, optional
	Until string          `json:"until"`
}

func (n newAnnouncement) announcement() (a notify.Announcement, err error) {
	a = notify.Announcement{Audience: everybody, Title: n.Title, Text: n.Text, Data: n.Data}
	for i, text := range n.Refs {
		ref, err := feed.ParseRef(text)
		if err != nil {
			return a, &plaza.InvalidError{Field: fmt.Sprintf("refs[%d]", i), Reason: notRef}
		}
		a.Refs = append(a.Refs, ref)
	}
	if a.ID, err = newID("id", n.ID); err != nil {
		return a, err
	}
	if a.From, err = parseTime("from", n.From); err != nil {
		return a, err
	}
	a.Until, err = parseTime("until", n.Until)
	return a, err
}

func (a *api) announce(r *http.Request) (any, error) {
	var n newAnnouncement
	if err := guard.ReadJSON(r, &n); err != nil {
		return nil, err
	}
	given, err := n.announcement()
	if err != nil {
		return nil, err
	}
	announced, _, err := a.announcements.Announce(r.Context(), given)
	if err != nil {
		return nil, &addError{id: announced.ID, err: err}
	}
	return announced, nil
}

// announced is an editor's list: it has those that do not show yet, and withdrawn ones.
func (a *api) announced(r *http.Request) (any, error) {
	return list(r, func(ctx context.Context, req cursor.PageRequest) (cursor.Page[notify.Announcement], error) {
		return a.announcements.List(ctx, everybody, req)
	})
}

func (a *api) withdraw(r *http.Request) (any, error) {
	id, err := pathID(r, "id")
	if err != nil {
		return nil, err
	}
	removed, err := a.announcements.Withdraw(r.Context(), everybody, id)
	return removal{removed}, err
}
