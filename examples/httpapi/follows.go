package main

import (
	"net/http"
	"time"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/follow"
)

// edge is the other user of a follow.
type edge struct {
	User  string    `json:"user"`
	Since time.Time `json:"since"`
}

func followerOf(e follow.Edge) edge { return edge{User: e.Follower, Since: e.ID.Time()} }

func followeeOf(e follow.Edge) edge { return edge{User: e.Followee, Since: e.ID.Time()} }

func (a *api) follow(r *http.Request) (any, error) {
	user, other := r.PathValue("user"), r.PathValue("other")
	created, err := a.feeds.Home(user).Follow(r.Context(), other, nil)
	return followed{created}, err
}

func (a *api) unfollow(r *http.Request) (any, error) {
	removed, err := a.feeds.Home(r.PathValue("user")).Unfollow(r.Context(), r.PathValue("other"), nil)
	return removal{removed}, err
}

func (a *api) following(r *http.Request, req cursor.PageRequest) (cursor.Page[edge], error) {
	page, err := a.follows.Following(r.Context(), r.PathValue("user"), req)
	return shaped(page, followeeOf), err
}

func (a *api) followers(r *http.Request, req cursor.PageRequest) (cursor.Page[edge], error) {
	page, err := a.follows.Followers(r.Context(), r.PathValue("user"), req)
	return shaped(page, followerOf), err
}

func (a *api) userCounts(r *http.Request) (any, error) {
	return a.follows.Counts(r.Context(), r.PathValue("user"))
}
