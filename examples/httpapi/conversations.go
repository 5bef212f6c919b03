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
	msglive "github.com/plaza-sdk/plaza/notify/message/live"
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
	if err != nil {
		return nil, err
	}
	// After a repeat some have left, perhaps the user in the path too.
	members, err := a.messages.Members(r.Context(), message.In{Conversation: g.ID, User: user})
	if err != nil && !errors.Is(err, message.ErrNotMember) {
		return nil, err
	}
	for _, member := range members {
		a.tellOf(r.Context(), msglive.Joined, message.In{Conversation: g.ID, User: member}, 0)
	}
	return followed{created}, nil
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
	if err == nil {
		a.tellOf(r.Context(), msglive.Joined, in, 0)
	}
	return change{changed}, err
}

func (a *api) leave(r *http.Request) (any, error) {
	in := inPath(r)
	changed, err := a.messages.Leave(r.Context(), in)
	if err == nil && !changed { // a repeat, unless it is a stranger's, of whom nobody must be told
		_, err = a.messages.Access(r.Context(), in)
	}
	if err == nil {
		a.tellOf(r.Context(), msglive.Left, in, 0)
	}
	return change{changed}, err
}

func (a *api) readTo(r *http.Request) (any, error) {
	var body struct {
		UpTo int64 `json:"upTo"`
	}
	if err := guard.ReadJSON(r, &body); err != nil {
		return nil, err
	}
	in := inPath(r)
	err := a.messages.Read(r.Context(), in, body.UpTo)
	if err == nil {
		a.tellOf(r.Context(), msglive.Read, in, body.UpTo)
	}
	return none{}, err
}

func (a *api) receipts(r *http.Request) (any, error) {
	return a.messages.Receipts(r.Context(), inPath(r))
}

func (a *api) clear(r *http.Request) (any, error) {
	in := inPath(r)
	err := a.messages.Clear(r.Context(), in)
	if err != nil {
		return nil, err
	}
	now, err := a.messages.Access(r.Context(), in)
	if err == nil && now.From > 0 {
		a.tellOf(r.Context(), msglive.Cleared, in, now.From)
	}
	return none{}, err
}
