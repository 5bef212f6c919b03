package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/examples/pinboard/art"
	"github.com/plaza-sdk/plaza/examples/pinboard/people"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/feed/comment"
	"github.com/plaza-sdk/plaza/ids"
)

// pageSize is how many pins a page has.
const pageSize = 20

// pinData is the Data of a pin.
type pinData struct {
	Title string `json:"title"`
	Board string `json:"board"` // its name
	Tag   string `json:"tag,omitempty"`
}

// card is a pin as lists show it.
type card struct {
	pinData
	ID       ids.ID    `json:"id"` // of the activity
	Picture  string    `json:"picture"`
	By       string    `json:"by"`
	BoardID  string    `json:"boardId"`
	At       time.Time `json:"at"`
	Width    int       `json:"width"`
	Height   int       `json:"height"`
	Likes    int64     `json:"likes"`
	Liked    bool      `json:"liked"` // by the caller
	Comments int64     `json:"comments"`
}

// cards counts the likes and comments of all pins in 3 requests, at once.
func (s *api) cards(ctx context.Context, me people.Person, pins []feed.Activity) ([]card, error) {
	cards := make([]card, len(pins))
	if len(pins) == 0 {
		return cards, nil
	}
	objects := make([]string, len(pins))
	for i, pin := range pins {
		objects[i] = pin.Object.String()
	}
	var likes map[string]map[string]int64
	var mine map[string][]string
	var comments map[string]comment.Counts
	counting, ctx := errgroup.WithContext(ctx)
	counting.Go(func() (err error) { likes, err = s.Reactions.CountsMany(ctx, objects); return err })
	counting.Go(func() (err error) { mine, err = s.Reactions.Reacted(ctx, me.ID, objects); return err })
	counting.Go(func() (err error) { comments, err = s.Comments.CountsMany(ctx, objects); return err })
	if err := counting.Wait(); err != nil {
		return nil, err
	}
	for i, pin := range pins {
		c := card{ID: pin.ID, Picture: pin.Object.ID, By: pin.Actor.ID, BoardID: pin.Target.ID, At: pin.Time}
		if err := json.Unmarshal(pin.Data, &c.pinData); err != nil {
			return nil, fmt.Errorf("data of %s/%s: %w", pin.Owner, pin.ID, err)
		}
		c.Width, c.Height = art.Size(c.Picture)
		c.Likes, c.Comments = likes[objects[i]][like], comments[objects[i]].All
		c.Liked = slices.Contains(mine[objects[i]], like)
		cards[i] = c
	}
	return cards, nil
}

// listCards answers with a page of a list of pins.
func (s *api) listCards(r *http.Request, me people.Person, list func(context.Context, cursor.PageRequest) (cursor.Page[feed.Activity], error)) (any, error) {
	page, err := list(r.Context(), pageOf(r, pageSize))
	if err != nil {
		return nil, err
	}
	cards, err := s.cards(r.Context(), me, page.Items)
	return cursor.Page[card]{Items: cards, Next: page.Next, Prev: page.Prev}, err
}
