package main

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/examples/guard"
	"github.com/plaza-sdk/plaza/examples/pinboard/art"
	"github.com/plaza-sdk/plaza/examples/pinboard/people"
	"github.com/plaza-sdk/plaza/feed"
)

const freshFor = 24 * time.Hour // to pin a picture

func (s *api) makeRoutes() {
	s.route("POST /api/pictures", s.draw)
	s.route("POST /api/pins", s.publish)
}

// drawn is a picture that nobody has pinned yet.
type drawn struct {
	Picture string `json:"picture"`
	Title   string `json:"title"`
	Tag     string `json:"tag"`
	Width   int    `json:"width"`
	Height  int    `json:"height"`
	Proof   string `json:"proof"` // that it was drawn
}

// draw chooses the id of the activity that may pin the picture. It writes nothing.
func (s *api) draw(r *http.Request, me people.Person) (any, error) {
	id, err := s.ids.Next(r.Context())
	if err != nil {
		return nil, err
	}
	p := pictureID{me.ID, id}.String()
	w, h := art.Size(p)
	return drawn{p, art.Title(p, art.TagOf(p)), art.TagOf(p), w, h, s.proofOf(p)}, nil
}

// proofOf shows that draw chose a picture. Nobody else chooses how a new one looks.
func (a *app) proofOf(picture string) string {
	mac := hmac.New(sha256.New, a.secret)
	_, _ = mac.Write([]byte("picture " + picture)) // never fails
	return hex.EncodeToString(mac.Sum(nil))
}

// wanted is a picture to pin.
type wanted struct {
	Picture string `json:"picture"`
	Title   string `json:"title"` // of a new picture
	Board   string `json:"board"` // its id
	Proof   string `json:"proof"` // of a new picture
}

// publish pins a picture to a board of one's own: a new picture, or one that somebody else
// has pinned. A person pins a picture once: a repeat answers with the stored pin.
func (s *api) publish(r *http.Request, me people.Person) (any, error) {
	var body wanted
	if err := guard.ReadJSON(r, &body); err != nil {
		return nil, err
	}
	pin, err := s.pinOf(r.Context(), me, body)
	if err != nil {
		return nil, err
	}
	pin, created, err := s.Feeds.Outbox(me.ID).Publish(r.Context(), pin)
	return saved{created, pin.Target.ID}, err
}

// saved answers a pin: whether it is new, and the board that it is on.
type saved struct {
	Created bool   `json:"created"`
	Board   string `json:"board"`
}

// pinOf is the activity that pins a picture.
func (s *api) pinOf(ctx context.Context, me people.Person, w wanted) (pin feed.Activity, err error) {
	p, err := parsePicture(w.Picture)
	if err != nil {
		return pin, err
	}
	b, err := s.board(ctx, w.Board)
	switch {
	case err != nil:
		return pin, err
	case b.Owner != me.ID:
		return pin, plaza.ErrForbidden
	}
	pin = feed.Activity{
		Actor: feed.Ref{ID: me.ID}, Verb: pinVerb, Object: p.ref(), Target: feed.Ref{Kind: "board", ID: b.ID},
		ForeignID: p.ref().String(), To: []string{"board:" + b.ID},
	}
	var data pinData
	if p.owner == me.ID {
		data, err = s.newPicture(&pin, p, w)
	} else {
		data, err = s.othersPicture(ctx, &pin, p)
	}
	if err != nil {
		return pin, err
	}
	data.Board = b.Name
	pin.Data, err = json.Marshal(data)
	return pin, err
}

// newPicture pins under the ID in the picture's name, so that a repeat is the same
// activity, and for those who follow the picture's tag.
func (s *api) newPicture(pin *feed.Activity, p pictureID, w wanted) (pinData, error) {
	if time.Since(p.activity.Time()) > freshFor || !hmac.Equal([]byte(w.Proof), []byte(s.proofOf(p.String()))) {
		return pinData{}, &plaza.InvalidError{Field: "picture", Reason: "was not drawn within the last day"}
	}
	title, err := titleOf(w.Title)
	tag := art.TagOf(p.String())
	pin.ID, pin.To = p.activity, append(pin.To, "tag:"+tag)
	return pinData{Title: title, Tag: tag}, err
}

// othersPicture makes the pin a repin, with the title and the tag of the picture. It is
// found when its picture is removed.
func (s *api) othersPicture(ctx context.Context, pin *feed.Activity, p pictureID) (pinData, error) {
	var data pinData
	first, err := s.firstPin(ctx, p)
	if err != nil {
		return data, err
	}
	pin.To = append(pin.To, repins(p.ref()))
	return data, json.Unmarshal(first.Data, &data)
}
