package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/examples/pinboard/people"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/follow"
)

func (s *api) profileRoutes() {
	s.route("GET /api/people/{person}", s.profile)
	s.route("GET /api/people/{person}/pins", s.profilePins, "cursor")
	s.route("GET /api/people/{person}/boards", s.profileBoards, "cursor")
	s.route("GET /api/people/{person}/followers", s.followers, "cursor")
	s.route("GET /api/people/{person}/following", s.following, "cursor")
}

// personOf reads the person in the path.
func personOf(r *http.Request) (people.Person, error) {
	p, ok := people.Get(r.PathValue("person"))
	if !ok {
		return p, fmt.Errorf("person: %w", plaza.ErrNotFound)
	}
	return p, nil
}

func (s *api) profile(r *http.Request, me people.Person) (any, error) {
	p, err := personOf(r)
	if err != nil {
		return nil, err
	}
	f, err := s.followed(r.Context(), me, feed.Ref{ID: p.ID})
	return struct {
		people.Person
		followed
	}{p, f}, err
}

func (s *api) profilePins(r *http.Request, me people.Person) (any, error) {
	p, err := personOf(r)
	if err != nil {
		return nil, err
	}
	return s.listCards(r, me, s.Feeds.Outbox(p.ID).List)
}

// neighbor is a follower or a followee, and its relation to the caller.
type neighbor struct {
	ID string    `json:"id"` // of a person, a board or a tag
	At time.Time `json:"at"`
	follow.Relation
}

func (s *api) followers(r *http.Request, me people.Person) (any, error) {
	return s.neighbors(r, me, s.Follows.Followers, func(e follow.Edge) string { return e.Follower })
}

func (s *api) following(r *http.Request, me people.Person) (any, error) {
	return s.neighbors(r, me, s.Follows.Following, func(e follow.Edge) string { return e.Followee })
}

// neighbors lists one side of a person's follows. Relations reads the viewer's own to all
// of a page at once.
func (s *api) neighbors(r *http.Request, me people.Person, list func(context.Context, string, cursor.PageRequest) (cursor.Page[follow.Edge], error), other func(follow.Edge) string) (any, error) {
	p, err := personOf(r)
	if err != nil {
		return nil, err
	}
	edges, err := list(r.Context(), p.ID, pageOf(r, 2*pageSize))
	if err != nil {
		return nil, err
	}
	others := make([]string, len(edges.Items))
	for i, e := range edges.Items {
		others[i] = other(e)
	}
	relations, err := s.Follows.Relations(r.Context(), me.ID, others)
	page := cursor.Page[neighbor]{Items: make([]neighbor, len(others)), Next: edges.Next, Prev: edges.Prev}
	for i, id := range others {
		page.Items[i] = neighbor{id, edges.Items[i].ID.Time(), relations[id]}
	}
	return page, err
}
