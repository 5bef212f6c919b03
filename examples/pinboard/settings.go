package main

import (
	"context"
	"net/http"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/examples/guard"
	"github.com/plaza-sdk/plaza/examples/pinboard/people"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/notify/message"
	msglive "github.com/plaza-sdk/plaza/notify/message/live"
	"github.com/plaza-sdk/plaza/notify/prefs"
)

// email is the channel beside the bell. Its mails are digests.
const email = "email"

// verbs are those that people can turn on and off. A mention reaches its person although the
// picture is muted.
func verbs() []prefs.Verb {
	return []prefs.Verb{
		{Name: like},
		{Name: pinVerb},
		{Name: commentVerb, Channels: []string{email}},
		{Name: replyVerb, Channels: []string{email}},
		{Name: mentionVerb, Channels: []string{email}, Pierces: true},
		{Name: followVerb, Channels: []string{email}},
	}
}

func (s *api) settingRoutes() {
	s.route("GET /api/settings", s.settings)
	s.route("PUT /api/settings", s.choose)
	s.route("PUT /api/settings/digest", s.chooseDigest)
	s.route("POST /api/digests", s.digestNow)
	s.route("GET /api/mails", s.mailbox)
	s.route("POST /api/unsubscribe", s.unsubscribe)
	s.route("GET /api/blocked", s.blocked, "cursor")
	s.route("PUT /api/blocked/{other}", s.changeBlock(s.Messages.Block, msglive.Blocked))
	s.route("DELETE /api/blocked/{other}", s.changeBlock(s.Messages.Unblock, msglive.Unblocked))
	s.route("GET /api/muted", s.muted, "cursor")
	s.route("PUT /api/muted/{object}", s.changeMute(s.Prefs.Mute))
	s.route("DELETE /api/muted/{object}", s.changeMute(s.Prefs.Unmute))
}

// settings are the choices of a person, with the defaults of the others.
type settings struct {
	Verbs  []prefs.Setting `json:"verbs"`
	Digest rhythm          `json:"digest"`
}

func (s *api) settings(r *http.Request, me people.Person) (any, error) {
	chosen, err := s.Prefs.Settings(r.Context(), me.ID)
	if err != nil {
		return nil, err
	}
	digest, err := s.rhythmOf(r.Context(), me.ID)
	return settings{chosen, digest}, err
}

func (s *api) choose(r *http.Request, me people.Person) (any, error) {
	var body struct {
		Verb    string `json:"verb"`
		Channel string `json:"channel"`
		On      *bool  `json:"on"`
	}
	if err := guard.ReadJSON(r, &body); err != nil {
		return nil, err
	}
	if body.On == nil {
		return nil, &plaza.InvalidError{Field: "on", Reason: "is missing"}
	}
	did, err := s.Prefs.Set(r.Context(), prefs.Subscription{User: me.ID, Verb: body.Verb, Channel: body.Channel}, *body.On)
	return changed{did}, err
}

// unsubscribe is the link of a mail. Whoever has the link may use it: its token is
// signed and names the person.
func (s *api) unsubscribe(r *http.Request, _ people.Person) (any, error) {
	var body struct {
		Token string `json:"token"`
	}
	if err := guard.ReadJSON(r, &body); err != nil {
		return nil, err
	}
	_, did, err := s.Prefs.Unsubscribe(r.Context(), body.Token)
	return changed{did}, err
}

func (s *api) blocked(r *http.Request, me people.Person) (any, error) {
	return s.Prefs.Blocks(r.Context(), me.ID, pageOf(r, 50))
}

// changeBlock is for notifications and messages alike.
func (s *api) changeBlock(do func(context.Context, message.Pair) (bool, error), kind msglive.Kind) action {
	return func(r *http.Request, me people.Person) (any, error) {
		p := message.Pair{User: me.ID, Other: r.PathValue("other")}
		if !known(p.Other) {
			return nil, plaza.ErrNotFound
		}
		did, err := do(r.Context(), p)
		if err == nil {
			s.tell(r.Context(), msglive.Event{Kind: kind, Conversation: p.Conversation(), User: p.User})
		}
		return changed{did}, err
	}
}

// mutePage is a page of mutes, with the titles of pictures.
type mutePage struct {
	cursor.Page[prefs.Mute]
	Titles map[string]string `json:"titles"`
}

func (s *api) muted(r *http.Request, me people.Person) (any, error) {
	page, err := s.Prefs.Mutes(r.Context(), me.ID, pageOf(r, 50))
	if err != nil {
		return nil, err
	}
	things := make([]feed.Ref, len(page.Items))
	for i, m := range page.Items {
		things[i] = m.Object
	}
	titles, err := s.titles(r.Context(), things)
	return mutePage{page, titles}, err
}

func (s *api) changeMute(do func(context.Context, prefs.Topic) (bool, error)) action {
	return func(r *http.Request, me people.Person) (any, error) {
		object, err := feed.ParseRef(r.PathValue("object"))
		if err != nil {
			return nil, err
		}
		if object.Kind == "" || s.ownerOf(object) == "" { // people are blocked instead
			return nil, plaza.ErrNotFound
		}
		did, err := do(r.Context(), prefs.Topic{User: me.ID, Object: object})
		return changed{did}, err
	}
}
