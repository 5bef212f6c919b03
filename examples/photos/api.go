package main

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strconv"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/feed/comment"
	"github.com/plaza-sdk/plaza/feed/reaction"
	"github.com/plaza-sdk/plaza/leaderboard"
)

type api struct {
	*album
	log *slog.Logger
}

// route answers a request of a user who is logged in.
type route func(r *http.Request, user string) (answer any, err error)

func (a *api) routes() map[string]route {
	return map[string]route{
		"PUT /following/{user}":         a.follow,
		"DELETE /following/{user}":      a.unfollow,
		"GET /home":                     a.home,
		"POST /photos":                  a.publish,
		"GET /photos/{photo}":           a.photo,
		"PUT /photos/{photo}/like":      a.react,
		"DELETE /photos/{photo}/like":   a.unreact,
		"POST /photos/{photo}/comments": a.comment,
		"GET /photos/{photo}/comments":  a.thread,
		"GET /board":                    a.board,
	}
}

type changed struct {
	Changed bool `json:"changed"`
}

func (a *api) follow(r *http.Request, user string) (any, error) {
	created, err := a.feeds.Home(user).Follow(r.Context(), r.PathValue("user"), nil)
	return changed{created}, err
}

func (a *api) unfollow(r *http.Request, user string) (any, error) {
	ended, err := a.feeds.Home(user).Unfollow(r.Context(), r.PathValue("user"), nil)
	return changed{ended}, err
}

func (a *api) home(r *http.Request, user string) (any, error) {
	req, err := page(r)
	if err != nil {
		return nil, err
	}
	found, err := a.feeds.Home(user).List(r.Context(), req)
	if err != nil {
		return nil, err
	}
	photos, err := a.show(r.Context(), user, found.Items)
	return cursor.Page[photo]{Items: photos, Next: found.Next, Prev: found.Prev}, err
}

// publish takes a key of the client's: the request may be repeated with it.
func (a *api) publish(r *http.Request, user string) (any, error) {
	var body struct {
		Key  string          `json:"key"`
		Data json.RawMessage `json:"data"`
	}
	if err := read(r, &body); err != nil {
		return nil, err
	}
	return a.post(r.Context(), user, body.Key, body.Data)
}

func (a *api) photo(r *http.Request, user string) (any, error) {
	found, err := a.find(r.Context(), r.PathValue("photo"))
	if err != nil {
		return nil, err
	}
	photos, err := a.show(r.Context(), user, []feed.Activity{found})
	if err != nil {
		return nil, err
	}
	return photos[0], nil
}

func (a *api) react(r *http.Request, user string) (any, error) {
	found, err := a.find(r.Context(), r.PathValue("photo"))
	if err != nil {
		return nil, err
	}
	_, began, err := a.likes.React(r.Context(), reaction.Reaction{User: user, Object: found.Object.String(), Kind: like})
	return changed{began}, err
}

func (a *api) unreact(r *http.Request, user string) (any, error) {
	ended, err := a.likes.Unreact(r.Context(), reaction.Reaction{User: user, Object: r.PathValue("photo"), Kind: like})
	return changed{ended}, err
}

// comment takes a key, as publish does.
func (a *api) comment(r *http.Request, user string) (any, error) {
	var body struct {
		Key  string `json:"key"`
		Text string `json:"text"`
	}
	if err := read(r, &body); err != nil {
		return nil, err
	}
	found, err := a.find(r.Context(), r.PathValue("photo"))
	if err != nil {
		return nil, err
	}
	added, _, err := a.comments.Add(r.Context(), comment.Comment{Object: found.Object.String(), User: user, Key: body.Key, Text: body.Text})
	return added, err
}

func (a *api) thread(r *http.Request, _ string) (any, error) {
	req, err := page(r)
	if err != nil {
		return nil, err
	}
	return a.comments.ByObject(r.Context(), r.PathValue("photo"), req, nil)
}

func (a *api) board(r *http.Request, _ string) (any, error) {
	req, err := page(r)
	if err != nil {
		return nil, err
	}
	return a.boards.Top(r.Context(), leaderboard.In{Board: week}, req)
}

func read(r *http.Request, body any) error {
	if err := json.NewDecoder(r.Body).Decode(body); err != nil {
		return &plaza.InvalidError{Field: "body", Reason: "is not the JSON of this request"}
	}
	return nil
}

func page(r *http.Request) (cursor.PageRequest, error) {
	req := cursor.PageRequest{Cursor: cursor.Cursor(r.FormValue("cursor"))}
	if limit := r.FormValue("limit"); limit != "" {
		var err error
		if req.Limit, err = strconv.Atoi(limit); err != nil {
			return req, &plaza.InvalidError{Field: "limit", Reason: "is not a number"}
		}
	}
	return req, nil
}

// answer runs f and returns the answer's status and JSON.
func (a *api) answer(r *http.Request, user string, f route) (status int, body []byte) {
	if user == "" {
		return http.StatusUnauthorized, []byte(`{"error":"log in first"}`)
	}
	answer, err := f(r, user)
	if err == nil {
		if body, err = json.Marshal(answer); err == nil {
			return http.StatusOK, body
		}
	}
	status = statusOf(err)
	if status == http.StatusInternalServerError {
		a.log.ErrorContext(r.Context(), "no answer", "route", r.Pattern, "error", err)
	}
	problem := map[string]string{"error": http.StatusText(status)}
	var invalid *plaza.InvalidError
	if errors.As(err, &invalid) {
		problem["field"], problem["reason"] = invalid.Field, invalid.Reason
	}
	body, _ = json.Marshal(problem) // strings alone
	return status, body
}

func statusOf(err error) int {
	switch {
	case errors.Is(err, plaza.ErrInvalid):
		return http.StatusBadRequest
	case errors.Is(err, plaza.ErrForbidden):
		return http.StatusForbidden
	case errors.Is(err, plaza.ErrNotFound):
		return http.StatusNotFound
	case errors.Is(err, plaza.ErrConflict):
		return http.StatusConflict
	case errors.Is(err, plaza.ErrRemoved):
		return http.StatusGone
	case errors.Is(err, plaza.ErrBusy), errors.Is(err, plaza.ErrUnavailable), errors.Is(err, plaza.ErrUnknownOutcome):
		return http.StatusServiceUnavailable
	case errors.Is(err, context.DeadlineExceeded):
		return http.StatusGatewayTimeout
	}
	return http.StatusInternalServerError
}
