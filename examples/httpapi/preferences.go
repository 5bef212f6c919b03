package main

import (
	"context"
	"net/http"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/examples/guard"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/notify/message"
	"github.com/plaza-sdk/plaza/notify/prefs"
)

// email is the channel beside the list. Package notify reports what to send by it; this
// service sends none.
const email = "email"

// verbs are what users can choose about. A mention reaches its user although the object
// is muted.
func verbs() []prefs.Verb {
	return []prefs.Verb{
		{Name: followVerb, Channels: []string{email}},
		{Name: like},
		{Name: love},
		{Name: commentVerb},
		{Name: replyVerb, Channels: []string{email}},
		{Name: mentionVerb, Channels: []string{email}, Pierces: true},
	}
}

// settings answers with what applies to each verb and channel.
func (a *api) settings(r *http.Request) (any, error) {
	return a.prefs.Settings(r.Context(), r.PathValue("user"))
}

// choice is a setting to change. Without a verb it applies to all verbs that have no
// setting of their own.
type choice struct {
	Verb    string `json:"verb"`
	Channel string `json:"channel"`
	On      *bool  `json:"on"`
}

func (a *api) set(r *http.Request) (any, error) {
	var c choice
	if err := guard.ReadJSON(r, &c); err != nil {
		return nil, err
	}
	if c.On == nil {
		return nil, &plaza.InvalidError{Field: "on", Reason: "is missing"}
	}
	changed, err := a.prefs.Set(r.Context(), prefs.Subscription{User: r.PathValue("user"), Verb: c.Verb, Channel: c.Channel}, *c.On)
	return change{changed}, err
}

func (a *api) unset(r *http.Request) (any, error) {
	query := r.URL.Query()
	changed, err := a.prefs.Unset(r.Context(), prefs.Subscription{User: r.PathValue("user"), Verb: query.Get("verb"), Channel: query.Get("channel")})
	return change{changed}, err
}

func (a *api) blocks(r *http.Request) (any, error) {
	return list(r, func(ctx context.Context, req cursor.PageRequest) (cursor.Page[prefs.Block], error) {
		return a.prefs.Blocks(ctx, r.PathValue("user"), req)
	})
}

func (a *api) block(r *http.Request) (any, error) { return changeBlock(r, a.messages.Block) }

func (a *api) unblock(r *http.Request) (any, error) { return changeBlock(r, a.messages.Unblock) }

// changeBlock is for notifications and messages alike.
func changeBlock(r *http.Request, do func(context.Context, message.Pair) (bool, error)) (any, error) {
	changed, err := do(r.Context(), message.Pair{User: r.PathValue("user"), Other: r.PathValue("other")})
	return change{changed}, err
}

func (a *api) mutes(r *http.Request) (any, error) {
	return list(r, func(ctx context.Context, req cursor.PageRequest) (cursor.Page[prefs.Mute], error) {
		return a.prefs.Mutes(ctx, r.PathValue("user"), req)
	})
}

func (a *api) mute(r *http.Request) (any, error) { return changeMute(r, a.prefs.Mute) }

func (a *api) unmute(r *http.Request) (any, error) { return changeMute(r, a.prefs.Unmute) }

func changeMute(r *http.Request, do func(context.Context, prefs.Topic) (bool, error)) (any, error) {
	object, err := feed.ParseRef(r.PathValue("object"))
	if err != nil {
		return nil, &plaza.InvalidError{Field: "object", Reason: notRef}
	}
	changed, err := do(r.Context(), prefs.Topic{User: r.PathValue("user"), Object: object})
	return change{changed}, err
}
