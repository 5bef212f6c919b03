package main

import (
	"fmt"
	"net/http"
	"slices"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/examples/pinboard/art"
	"github.com/plaza-sdk/plaza/examples/pinboard/people"
	"github.com/plaza-sdk/plaza/feed"
)

func (s *api) tagRoutes() {
	s.route("GET /api/tags/{tag}", s.tag)
	s.route("GET /api/tags/{tag}/pins", s.tagPins, "cursor")
}

func (s *api) tag(r *http.Request, me people.Person) (any, error) {
	tag := r.PathValue("tag")
	if !slices.Contains(art.Tags(), tag) {
		return nil, fmt.Errorf("tag %q: %w", tag, plaza.ErrNotFound)
	}
	return s.followed(r.Context(), me, feed.Ref{Kind: "tag", ID: tag})
}

// tagPins lists a tag's outbox: pins are addressed to it.
func (s *api) tagPins(r *http.Request, me people.Person) (any, error) {
	tag := r.PathValue("tag")
	if !slices.Contains(art.Tags(), tag) {
		return nil, fmt.Errorf("tag %q: %w", tag, plaza.ErrNotFound)
	}
	return s.listCards(r, me, s.Feeds.Outbox("tag:"+tag).List)
}
