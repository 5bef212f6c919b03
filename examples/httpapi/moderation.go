package main

import (
	"context"
	"net/http"

	"github.com/plaza-sdk/plaza/examples/guard"
	"github.com/plaza-sdk/plaza/feed/comment"
)

// verdict is who removes a comment, the object's owner or a moderator, and why.
type verdict struct {
	By     string `json:"by"`
	Reason string `json:"reason"`
}

func (a *api) removeComment(r *http.Request) (any, error) {
	where, err := at(r)
	if err != nil {
		return nil, err
	}
	var v verdict
	if err := guard.ReadJSON(r, &v); err != nil {
		return nil, err
	}
	removed, err := a.comments.Remove(r.Context(), where, comment.Removal{By: v.By, Reason: v.Reason})
	return removal{removed}, err
}

func (a *api) hide(r *http.Request) (any, error) { return changeAt(r, a.comments.Hide) }

func (a *api) unhide(r *http.Request) (any, error) { return changeAt(r, a.comments.Unhide) }

func changeAt(r *http.Request, do func(context.Context, comment.Address) (bool, error)) (any, error) {
	where, err := at(r)
	if err != nil {
		return nil, err
	}
	changed, err := do(r.Context(), where)
	return change{changed}, err
}

func (a *api) pin(r *http.Request) (any, error) { return changeAt(r, a.comments.Pin) }

func (a *api) unpin(r *http.Request) (any, error) { return changeAt(r, a.comments.Unpin) }
