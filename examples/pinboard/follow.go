package main

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/examples/pinboard/art"
	"github.com/plaza-sdk/plaza/examples/pinboard/people"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/follow"
)

func (s *api) followRoutes() {
	s.route("PUT /api/follows/{source}", s.follow)
	s.route("DELETE /api/follows/{source}", s.unfollow)
}

// changed answers a write that may be repeated.
type changed struct {
	Changed bool `json:"changed"`
}

// follow follows a person, a board or a tag.
func (s *api) follow(r *http.Request, me people.Person) (any, error) {
	source, err := s.source(r.Context(), r.PathValue("source"))
	if err != nil {
		return nil, err
	}
	created, err := s.Feeds.Home(me.ID).Follow(r.Context(), source.String(), nil)
	return changed{created}, err
}

func (s *api) unfollow(r *http.Request, me people.Person) (any, error) {
	source, err := feed.ParseRef(r.PathValue("source"))
	if err != nil {
		return nil, err
	}
	ended, err := s.Feeds.Home(me.ID).Unfollow(r.Context(), source.String(), nil)
	return changed{ended}, err
}

// source reads a person, a board or a tag. Unknown sources are plaza.ErrNotFound.
func (s *api) source(ctx context.Context, text string) (feed.Ref, error) {
	source, err := feed.ParseRef(text)
	switch {
	case err != nil:
		return source, err
	case source.Kind == "board":
		_, err := s.board(ctx, source.ID)
		return source, err
	case source.Kind == "tag" && slices.Contains(art.Tags(), source.ID), source.Kind == "" && known(source.ID):
		return source, nil
	}
	return source, fmt.Errorf("source %q: %w", text, plaza.ErrNotFound)
}

// followed is the number of followers, and whether the caller is one of them.
type followed struct {
	follow.Counts
	follow.Relation
}

// followed takes 2 requests.
func (s *api) followed(ctx context.Context, me people.Person, source feed.Ref) (followed, error) {
	counts, err := s.Follows.Counts(ctx, source.String())
	if err != nil {
		return followed{}, err
	}
	relations, err := s.Follows.Relations(ctx, me.ID, []string{source.String()})
	return followed{counts, relations[source.String()]}, err
}
