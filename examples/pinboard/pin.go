package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/examples/guard"
	"github.com/plaza-sdk/plaza/examples/pinboard/people"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/feed/reaction"
)

// Kinds of reactions.
const (
	like   = "like"
	report = "report"
)

const maxTitle = 100 // characters

func (s *api) pinRoutes() {
	s.route("GET /api/pins/{picture}", s.showPin)
	s.route("PUT /api/pins/{picture}", s.retitle)
	s.route("DELETE /api/pins/{picture}", s.unpin)
	s.route("PUT /api/pins/{picture}/like", s.like)
	s.route("DELETE /api/pins/{picture}/like", s.unlike)
	s.route("GET /api/pins/{picture}/likes", s.likers, "cursor")
}

// pin returns the first pin of the picture that a request names. An unknown or removed one
// is plaza.ErrNotFound.
func (s *api) pin(r *http.Request) (feed.Activity, error) {
	p, err := parsePicture(r.PathValue("picture"))
	if err != nil {
		return feed.Activity{}, err
	}
	return s.firstPin(r.Context(), p)
}

func (a *app) firstPin(ctx context.Context, p pictureID) (feed.Activity, error) {
	pin, err := a.Feeds.Outbox(p.owner).Get(ctx, p.activity)
	if err == nil && pin.Object != p.ref() { // a repin is not a picture
		err = fmt.Errorf("picture %s: %w", p, plaza.ErrNotFound)
	}
	return pin, err
}

// pinPage is a card, and whether the caller may hide and pin comments on it.
type pinPage struct {
	card
	MayHide bool `json:"mayHide"`
}

func (s *api) showPin(r *http.Request, me people.Person) (any, error) {
	pin, err := s.pin(r)
	if err != nil {
		return nil, err
	}
	cards, err := s.cards(r.Context(), me, []feed.Activity{pin})
	if err != nil {
		return nil, err
	}
	return pinPage{cards[0], mayHide(me, pin)}, nil
}

// retitle edits the first pin of a picture, and then the repins. Every home and list shows
// the new title. After an error, repeat it.
func (s *api) retitle(r *http.Request, me people.Person) (any, error) {
	var body struct {
		Title string `json:"title"`
	}
	if err := guard.ReadJSON(r, &body); err != nil {
		return nil, err
	}
	pin, err := s.pin(r)
	if err != nil {
		return nil, err
	}
	if pin.Owner != me.ID {
		return nil, fmt.Errorf("editing %s: %w", pin.Object, plaza.ErrForbidden)
	}
	title, err := titleOf(body.Title)
	if err != nil {
		return nil, err
	}
	edited, err := s.setTitle(r.Context(), pin, title)
	if err != nil {
		return nil, err
	}
	for repin, err := range cursor.All(r.Context(), s.Feeds.Outbox(repins(pin.Object)).List) {
		if err != nil {
			return nil, err
		}
		if _, err := s.setTitle(r.Context(), repin, title); err != nil && !errors.Is(err, plaza.ErrNotFound) { // it was removed just now
			return nil, err
		}
	}
	return changed{edited}, nil
}

// setTitle changes the title that a pin shows.
func (s *api) setTitle(ctx context.Context, pin feed.Activity, title string) (edited bool, err error) {
	var data pinData
	if err := json.Unmarshal(pin.Data, &data); err != nil {
		return false, fmt.Errorf("data of %s/%s: %w", pin.Owner, pin.ID, err)
	}
	data.Title = title
	if pin.Data, err = json.Marshal(data); err != nil {
		return false, err
	}
	_, edited, err = s.Feeds.Outbox(pin.Owner).Update(ctx, pin)
	return edited, err
}

func titleOf(text string) (string, error) {
	title := strings.TrimSpace(text)
	if title == "" || utf8.RuneCountInString(title) > maxTitle {
		return "", &plaza.InvalidError{Field: "title", Reason: fmt.Sprintf("does not have 1 to %d characters", maxTitle)}
	}
	return title, nil
}

// unpin takes one's own pin of the picture out of every home and board. If the picture is
// one's own, nobody has it any more.
func (s *api) unpin(r *http.Request, me people.Person) (any, error) {
	p, err := parsePicture(r.PathValue("picture"))
	if err != nil {
		return nil, err
	}
	if p.owner == me.ID {
		removed, err := s.removePicture(r.Context(), p)
		return changed{removed}, err
	}
	removed, err := s.Feeds.Outbox(me.ID).RemoveForeign(r.Context(), p.ref().String())
	return changed{removed}, err
}

// removePicture removes the first pin of a picture, and then the repins. After an error,
// repeat it.
func (s *api) removePicture(ctx context.Context, p pictureID) (removed bool, err error) {
	if removed, err = s.Feeds.Outbox(p.owner).Remove(ctx, p.activity); err != nil {
		return removed, err
	}
	for repin, err := range cursor.All(ctx, s.Feeds.Outbox(repins(p.ref())).List) {
		if err != nil {
			return removed, err
		}
		if _, err := s.Feeds.Outbox(repin.Owner).Remove(ctx, repin.ID); err != nil {
			return removed, err
		}
	}
	return removed, nil
}

// repins is the outbox that all repins of a picture are addressed to.
func repins(picture feed.Ref) string { return "repins:" + picture.ID }

// like likes a picture. One person's like of one picture is one reaction, however often
// the request comes.
func (s *api) like(r *http.Request, me people.Person) (any, error) {
	pin, err := s.pin(r)
	if err != nil {
		return nil, err
	}
	_, liked, err := s.Reactions.React(r.Context(), reaction.Reaction{User: me.ID, Object: pin.Object.String(), Kind: like})
	return changed{liked}, err
}

func (s *api) unlike(r *http.Request, me people.Person) (any, error) {
	p, err := parsePicture(r.PathValue("picture"))
	if err != nil {
		return nil, err
	}
	ended, err := s.Reactions.Unreact(r.Context(), reaction.Reaction{User: me.ID, Object: p.ref().String(), Kind: like})
	return changed{ended}, err
}

// likers lists the likes of a picture.
func (s *api) likers(r *http.Request, _ people.Person) (any, error) {
	p, err := parsePicture(r.PathValue("picture"))
	if err != nil {
		return nil, err
	}
	return s.Reactions.ByObject(r.Context(), p.ref().String(), like, pageOf(r, pageSize))
}
