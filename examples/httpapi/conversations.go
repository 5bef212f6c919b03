package main

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/examples/guard"
	"github.com/plaza-sdk/plaza/notify/message"
	"github.com/plaza-sdk/plaza/notify/prefs"
)

// inPath returns the user and the conversation in the path.
func inPath(r *http.Request) message.In {
	return message.In{Conversation: r.PathValue("conversation"), User: r.PathValue("user")}
}

// preview is a conversation in an inbox, with the time of its last message.
type preview struct {
	message.Entry
	Last *letter `json:"last,omitempty"`
}

func previewOf(e message.Entry) preview {
	p := preview{Entry: e}
	if e.Last.Seq > 0 {
		last := letterOf(e.Last)
		p.Last = &last
	}
	return p
}

func (a *api) inbox(r *http.Request) (any, error) {
	return listAs(r, func(ctx context.Context, req cursor.PageRequest) (cursor.Page[message.Entry], error) {
		return a.messages.Inbox(ctx, r.PathValue("user"), req)
	}, previewOf)
}

func (a *api) unread(r *http.Request) (any, error) {
	return a.messages.Unread(r.Context(), r.PathValue("user"))
}

// pair is a conversation of two users. It begins with its first message, so opening it
// writes nothing.
type pair struct {
	Conversation string `json:"conversation"`
	Blocked      bool   `json:"blocked"` // by the user in the path
}

func (a *api) pairWith(r *http.Request) (any, error) {
	p := message.Pair{User: r.PathValue("user"), Other: r.PathValue("other")}
	blocked, err := a.prefs.Blocked(r.Context(), prefs.Pair{User: p.User, Actor: p.Other})
	if err != nil {
		return nil, err
	}
	return pair{p.Conversation(), blocked}, nil
}

// createGroup creates a group of the user in the path and others.
func (a *api) createGroup(r *http.Request) (any, error) {
	var body struct {
		Members []string `json:"members"`
	}
	if err := guard.ReadJSON(r, &body); err != nil {
		return nil, err
	}
	user := r.PathValue("user")
	g := message.Group{ID: r.PathValue("group"), Members: body.Members}
	if !slices.Contains(g.Members, user) {
		g.Members = append(g.Members, user)
	}
	created, err := a.messages.Create(r.Context(), g, user)
	var invalid *plaza.InvalidError
	if errors.As(err, &invalid) && invalid.Field == "ID" {
		err = &plaza.InvalidError{Field: "group", Reason: invalid.Reason}
	}
	return followed{created}, err
}

func (a *api) members(r *http.Request) (any, error) {
	return a.messages.Members(r.Context(), inPath(r))
}

// addMember adds a user to a group of the user in the path.
func (a *api) addMember(r *http.Request) (any, error) {
	in := inPath(r)
	if _, err := a.messages.Members(r.Context(), in); err != nil {
		return nil, err
	}
	by := in.User
	in.User = r.PathValue("other")
	changed, err := a.messages.Add(r.Context(), in, by)
	return change{changed}, err
}

func (a *api) leave(r *http.Request) (any, error) {
	changed, err := a.messages.Leave(r.Context(), inPath(r))
	return change{changed}, err
}

func (a *api) readTo(r *http.Request) (any, error) {
	var body struct {
		UpTo int64 `json:"upTo"`
	}
	if err := guard.ReadJSON(r, &body); err != nil {
		return nil, err
	}
	_, err := a.messages.MarkRead(r.Context(), inPath(r), body.UpTo)
	return none{}, err
}

func (a *api) receipts(r *http.Request) (any, error) {
	return a.messages.Receipts(r.Context(), inPath(r))
}

func (a *api) clear(r *http.Request) (any, error) {
	_, err := a.messages.Clear(r.Context(), inPath(r))
	return none{}, err
}
