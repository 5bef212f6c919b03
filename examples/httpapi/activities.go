package main

import (
	"encoding/json"
	"net/http"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/examples/guard"
	"github.com/plaza-sdk/plaza/feed"
)

// notRef is what is wrong with a text that names nothing.
const notRef = "is neither kind:id nor an id, of up to 256 bytes each"

// content is the part of an activity that an edit replaces.
type content struct {
	Verb   string          `json:"verb"`
	Object string          `json:"object"` // "picture:10"
	Target string          `json:"target"`
	Time   string          `json:"time"` // RFC 3339
	Data   json.RawMessage `json:"data"`
}

// publication is an activity to publish. With an id, from POST /ids or from the answer to
// a failed publish, a repeat is the same activity. A foreignId does the same, as long as
// no other activity has it.
type publication struct {
	ID        string   `json:"id"`
	ForeignID string   `json:"foreignId"`
	To        []string `json:"to"`
	content
}

// activity returns an activity by user, who is the user in the path.
func (c content) activity(user string) (feed.Activity, error) {
	a := feed.Activity{Actor: feed.Ref{Kind: "user", ID: user}, Verb: c.Verb, Data: c.Data}
	if err := a.Object.UnmarshalText([]byte(c.Object)); err != nil {
		return a, &plaza.InvalidError{Field: "object", Reason: notRef}
	}
	if err := a.Target.UnmarshalText([]byte(c.Target)); err != nil {
		return a, &plaza.InvalidError{Field: "target", Reason: notRef}
	}
	var err error
	a.Time, err = parseTime("time", c.Time)
	return a, err
}

func (p publication) activity(user string) (feed.Activity, error) {
	a, err := p.content.activity(user)
	if err != nil {
		return a, err
	}
	a.ForeignID, a.To = p.ForeignID, p.To
	a.ID, err = newID("id", p.ID)
	return a, err
}

func (a *api) publish(r *http.Request) (any, error) {
	var p publication
	if err := guard.ReadJSON(r, &p); err != nil {
		return nil, err
	}
	activity, err := p.activity(r.PathValue("user"))
	if err != nil {
		return nil, err
	}
	activity, _, err = a.feeds.Outbox(r.PathValue("user")).Publish(r.Context(), activity)
	if err != nil {
		return nil, &addError{id: activity.ID, err: err}
	}
	return activity, nil
}

func (a *api) outbox(r *http.Request, req cursor.PageRequest) (cursor.Page[feed.Activity], error) {
	return a.feeds.Outbox(r.PathValue("user")).List(r.Context(), req)
}

func (a *api) home(r *http.Request, req cursor.PageRequest) (cursor.Page[feed.Activity], error) {
	return a.feeds.Home(r.PathValue("user")).List(r.Context(), req)
}

func (a *api) homeGrouped(r *http.Request, req cursor.PageRequest) (cursor.Page[feed.Group], error) {
	return a.feeds.Home(r.PathValue("user")).Grouped(r.Context(), req)
}

// reach is how a user's activities reach homes.
type reach struct {
	Mode feed.Mode `json:"mode"`
}

func (a *api) mode(r *http.Request) (any, error) {
	mode, err := a.feeds.Outbox(r.PathValue("user")).Mode(r.Context())
	return reach{mode}, err
}

// pull and push are for whoever operates the service.
func (a *api) pull(r *http.Request) (any, error) { return a.setPulled(r, true) }

func (a *api) push(r *http.Request) (any, error) { return a.setPulled(r, false) }

func (a *api) setPulled(r *http.Request, pulled bool) (any, error) {
	changed, err := a.feeds.Outbox(r.PathValue("user")).SetPulled(r.Context(), pulled)
	return change{changed}, err
}

func (a *api) getActivity(r *http.Request) (any, error) {
	id, err := pathID(r, "id")
	if err != nil {
		return nil, err
	}
	activity, err := a.feeds.Outbox(r.PathValue("user")).Get(r.Context(), id)
	return activity, err
}

func (a *api) editActivity(r *http.Request) (any, error) {
	id, err := pathID(r, "id")
	if err != nil {
		return nil, err
	}
	var c content
	if err := guard.ReadJSON(r, &c); err != nil {
		return nil, err
	}
	activity, err := c.activity(r.PathValue("user"))
	if err != nil {
		return nil, err
	}
	activity.ID = id
	activity, _, err = a.feeds.Outbox(r.PathValue("user")).Update(r.Context(), activity)
	return activity, err
}

func (a *api) removeActivity(r *http.Request) (any, error) {
	id, err := pathID(r, "id")
	if err != nil {
		return nil, err
	}
	removed, err := a.feeds.Outbox(r.PathValue("user")).Remove(r.Context(), id)
	return removal{removed}, err
}

func (a *api) removeForeign(r *http.Request) (any, error) {
	removed, err := a.feeds.Outbox(r.PathValue("user")).RemoveForeign(r.Context(), r.URL.Query().Get("foreignId"))
	return removal{removed}, err
}
