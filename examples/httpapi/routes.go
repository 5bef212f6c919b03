package main

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids"
)

// api answers over follow and feed. It lets everybody do everything: who the
// caller is, and whether that is the user in the path, is for the service to
// check that this is copied into.
type api struct {
	*service
	log *slog.Logger
	mux *http.ServeMux
}

// action does what a request asks for. What it returns is answered as JSON.
type action func(*http.Request) (answer any, err error)

func newAPI(s *service, log *slog.Logger) *api {
	a := &api{service: s, log: log, mux: http.NewServeMux()}

	a.route("PUT /users/{user}/following/{other}", http.StatusOK, a.follow)
	a.route("DELETE /users/{user}/following/{other}", http.StatusOK, a.unfollow)
	a.route("GET /users/{user}/following", http.StatusOK, a.following)
	a.route("GET /users/{user}/followers", http.StatusOK, a.followers)
	a.route("GET /users/{user}/counts", http.StatusOK, a.counts)

	a.route("POST /ids", http.StatusCreated, a.mint)
	a.route("POST /users/{user}/activities", http.StatusCreated, a.publish)
	a.route("GET /users/{user}/activities", http.StatusOK, a.outbox)
	a.route("DELETE /users/{user}/activities", http.StatusOK, a.removeForeign) // ?foreignId=
	a.route("GET /users/{user}/activities/{id}", http.StatusOK, a.get)
	a.route("PUT /users/{user}/activities/{id}", http.StatusOK, a.edit)
	a.route("DELETE /users/{user}/activities/{id}", http.StatusOK, a.remove)

	a.route("GET /users/{user}/home", http.StatusOK, a.home) // lists take ?limit= and ?cursor=
	return a
}

func (a *api) route(pattern string, status int, do action) {
	a.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		answer, err := do(r)
		if err == nil {
			write(w, status, answer)
			return
		}
		p := problemOf(err)
		if p.status >= 500 {
			a.log.Error("request failed", "route", r.Pattern, "status", p.status, "err", err)
		}
		p.write(w)
	})
}

func (a *api) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), requestTime)
	defer cancel()
	r = r.WithContext(ctx)
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	if _, pattern := a.mux.Handler(r); pattern == "" {
		w = refusal{w}
	}
	a.mux.ServeHTTP(w, r)
}

func (a *api) follow(r *http.Request) (any, error) {
	created, err := a.feeds.Home(r.PathValue("user")).Follow(r.Context(), r.PathValue("other"), nil)
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
	return list(r, read, followeeOf)
}

func (a *api) followers(r *http.Request) (any, error) {
	read := func(ctx context.Context, page cursor.PageRequest) (cursor.Page[follow.Edge], error) {
		return a.follows.Followers(ctx, r.PathValue("user"), page)
	}
	return list(r, read, followerOf)
}

func (a *api) counts(r *http.Request) (any, error) {
	c, err := a.follows.Counts(r.Context(), r.PathValue("user"))
	return counts{Followers: c.Followers, Following: c.Following}, err
}

// mint gives an id to publish with, for who wants to be able to repeat it even
// if no answer at all arrives.
func (a *api) mint(r *http.Request) (any, error) {
	id, err := a.ids.Next(r.Context())
	return minted{id}, err
}

func (a *api) publish(r *http.Request) (any, error) {
	var p publication
	if err := readJSON(r, &p); err != nil {
		return nil, err
	}
	activity, err := p.activity(r.PathValue("user"), time.Now())
	if err != nil {
		return nil, err
	}
	activity, err = a.feeds.Outbox(r.PathValue("user")).Publish(r.Context(), activity)
	if err != nil {
		return nil, &publishError{id: activity.ID, err: err}
	}
	return activityOf(activity), nil
}

func (a *api) outbox(r *http.Request) (any, error) {
	return list(r, a.feeds.Outbox(r.PathValue("user")).List, activityOf)
}

func (a *api) home(r *http.Request) (any, error) {
	return list(r, a.feeds.Home(r.PathValue("user")).List, activityOf)
}

func (a *api) get(r *http.Request) (any, error) {
	id, err := ids.Parse(r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	activity, err := a.feeds.Outbox(r.PathValue("user")).Get(r.Context(), id)
	return activityOf(activity), err
}

func (a *api) edit(r *http.Request) (any, error) {
	id, err := ids.Parse(r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	var c content
	if err := readJSON(r, &c); err != nil {
		return nil, err
	}
	activity, err := c.activity(r.PathValue("user"))
	if err != nil {
		return nil, err
	}
	activity.ID = id
	activity, err = a.feeds.Outbox(r.PathValue("user")).Update(r.Context(), activity)
	return activityOf(activity), err
}

func (a *api) remove(r *http.Request) (any, error) {
	id, err := ids.Parse(r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	removed, err := a.feeds.Outbox(r.PathValue("user")).Remove(r.Context(), id)
	return removal{removed}, err
}

func (a *api) removeForeign(r *http.Request) (any, error) {
	query, err := readQuery(r)
	if err != nil {
		return nil, err
	}
	removed, err := a.feeds.Outbox(r.PathValue("user")).RemoveForeign(r.Context(), query.Get("foreignId"))
	return removal{removed}, err
}

// list answers with one page.
func list[S, T any](r *http.Request, read func(context.Context, cursor.PageRequest) (cursor.Page[S], error), shape func(S) T) (any, error) {
	req, err := readPageRequest(r)
	if err != nil {
		return nil, err
	}
	page, err := read(r.Context(), req)
	return pageOf(page, shape), err
}
