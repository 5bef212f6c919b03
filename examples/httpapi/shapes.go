package main

import (
	"encoding/json"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids"
)

// How far the id of a publication may be from now: a client may repeat what it
// did, not pick a place in other people's homes.
const (
	maxIDAge   = 24 * time.Hour
	maxIDAhead = time.Minute
)

// content is what an edit replaces, all of it.
type content struct {
	Verb   string          `json:"verb"`
	Object string          `json:"object"` // "picture:10"
	Target string          `json:"target"`
	Time   string          `json:"time"` // RFC 3339
	Data   json.RawMessage `json:"data"`
}

// publication is what a client publishes. With an id, of POST /ids or of the
// answer to a publish that failed, it may be repeated and is one activity;
// with a foreignId too, as long as nothing else has that.
type publication struct {
	ID        string   `json:"id"`
	ForeignID string   `json:"foreignId"`
	To        []string `json:"to"`
	content
}

// activity is by the user in the path: nobody speaks for others.
func (c content) activity(user string) (feed.Activity, error) {
	a := feed.Activity{Actor: feed.Ref{Kind: "user", ID: user}, Verb: c.Verb, Data: c.Data}
	if err := a.Object.UnmarshalText([]byte(c.Object)); err != nil {
		return a, &plaza.InvalidError{Field: "object", Reason: "is neither kind:id nor an id, of up to 256 bytes each"}
	}
	if err := a.Target.UnmarshalText([]byte(c.Target)); err != nil {
		return a, &plaza.InvalidError{Field: "target", Reason: "is neither kind:id nor an id, of up to 256 bytes each"}
	}
	if c.Time != "" {
		var err error
		if a.Time, err = time.Parse(time.RFC3339, c.Time); err != nil {
			return a, &plaza.InvalidError{Field: "time", Reason: "is not of RFC 3339"}
		}
	}
	return a, nil
}

func (p publication) activity(user string, now time.Time) (feed.Activity, error) {
	a, err := p.content.activity(user)
	if err != nil {
		return a, err
	}
	a.ForeignID, a.To = p.ForeignID, p.To
	if p.ID == "" {
		return a, nil
	}
	if a.ID, err = ids.Parse(p.ID); err != nil {
		return a, err
	}
	if age := now.Sub(a.ID.Time()); age > maxIDAge || age < -maxIDAhead {
		return a, &plaza.InvalidError{Field: "id", Reason: "is not of the last day"}
	}
	return a, nil
}

// activity is one as it is read.
type activity struct {
	ID        ids.ID          `json:"id"`
	Actor     feed.Ref        `json:"actor"`
	Verb      string          `json:"verb"`
	Object    feed.Ref        `json:"object,omitzero"`
	Target    feed.Ref        `json:"target,omitzero"`
	ForeignID string          `json:"foreignId,omitempty"`
	Time      time.Time       `json:"time"`
	To        []string        `json:"to,omitempty"`
	Data      json.RawMessage `json:"data,omitempty"`
}

func activityOf(a feed.Activity) activity {
	return activity{
		ID: a.ID, Actor: a.Actor, Verb: a.Verb, Object: a.Object, Target: a.Target,
		ForeignID: a.ForeignID, Time: a.Time, To: a.To, Data: a.Data,
	}
}

// edge is the other side of a follow.
type edge struct {
	User  string    `json:"user"`
	Since time.Time `json:"since"`
}

func followerOf(e follow.Edge) edge { return edge{User: e.Follower, Since: e.ID.Time()} }

func followeeOf(e follow.Edge) edge { return edge{User: e.Followee, Since: e.ID.Time()} }

// page is a part of a list. An empty next is its end; prev goes back, and from
// the first page asks for news.
type page[T any] struct {
	Items []T           `json:"items"`
	Next  cursor.Cursor `json:"next"`
	Prev  cursor.Cursor `json:"prev"`
}

func pageOf[S, T any](p cursor.Page[S], shape func(S) T) page[T] {
	shaped := page[T]{Items: make([]T, len(p.Items)), Next: p.Next, Prev: p.Prev}
	for i, item := range p.Items {
		shaped.Items[i] = shape(item)
	}
	return shaped
}

type counts struct {
	Followers int64 `json:"followers"`
	Following int64 `json:"following"`
}

type minted struct {
	ID ids.ID `json:"id"`
}

// followed and removal say whether this call did it: false for a repeat.
type followed struct {
	Created bool `json:"created"`
}

type removal struct {
	Removed bool `json:"removed"`
}
