package main

import (
	"net/http"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/examples/pinboard/people"
	"github.com/plaza-sdk/plaza/feed"
)

func (s *api) homeRoutes() {
	s.route("GET /api/home", s.home, "cursor")
	s.route("GET /api/home/grouped", s.homeGrouped, "cursor")
}

// home lists the pins of the people, boards and tags that one follows. The page polls for
// new ones with the first page's Prev.
func (s *api) home(r *http.Request, me people.Person) (any, error) {
	return s.listCards(r, me, s.Feeds.Home(me.ID).List)
}

// group has the pins of a board and a day.
type group struct {
	Key  string `json:"key"`
	Pins []card `json:"pins"`
}

// homeGrouped is home with the pins of a day to the same board together.
func (s *api) homeGrouped(r *http.Request, me people.Person) (any, error) {
	page, err := s.Feeds.Home(me.ID).Grouped(r.Context(), pageOf(r, pageSize))
	if err != nil {
		return nil, err
	}
	var pins []feed.Activity
	for _, g := range page.Items {
		pins = append(pins, g.Activities...)
	}
	cards, err := s.cards(r.Context(), me, pins)
	if err != nil {
		return nil, err
	}
	groups := make([]group, len(page.Items))
	for i, g := range page.Items {
		n := len(g.Activities)
		groups[i], cards = group{g.Key, cards[:n]}, cards[n:]
	}
	return cursor.Page[group]{Items: groups, Next: page.Next, Prev: page.Prev}, nil
}
