package main

import (
	"context"
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

func (a *api) following(r *http.Request) (any, error) {
	read := func(ctx context.Context, page cursor.PageRequest) (cursor.Page[follow.Edge], error) {
		return a.follows.Following(ctx, r.PathValue("user"), page)
	}
	return listAs(r, read, followeeOf)
}

func (a *api) followers(r *http.Request) (any, error) {
	read := func(ctx context.Context, page cursor.PageRequest) (cursor.Page[follow.Edge], error) {
		return a.follows.Followers(ctx, r.PathValue("user"), page)
	}
	return listAs(r, read, followerOf)
}

func (a *api) userCounts(r *http.Request) (any, error) {
	return a.follows.Counts(r.Context(), r.PathValue("user"))
}
