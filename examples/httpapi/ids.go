package main

import (
	"net/http"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
)

// How far the id of what is new may be from now: a client may repeat what it
// did, not pick a place in other people's lists.
const (
	maxIDAge   = 24 * time.Hour
	maxIDAhead = time.Minute
)

type minted struct {
	ID ids.ID `json:"id"`
}

// mint gives the id of a publication or comment, or the op of a score, for a
// client that wants to repeat it even if no answer at all arrives.
func (a *api) mint(r *http.Request) (any, error) {
	id, err := a.ids.Next(r.Context())
	return minted{id}, err
}

// parseID takes no text for no id.
func parseID(field, text string) (ids.ID, error) {
	if text == "" {
		return 0, nil
	}
	id, err := ids.Parse(text)
	if err != nil || id == 0 {
		return 0, &plaza.InvalidError{Field: field, Reason: "is not an id of 13 characters"}
	}
	return id, nil
}

// pathID is the id under a name in the path, which is never empty.
func pathID(r *http.Request, name string) (ids.ID, error) { return parseID(name, r.PathValue(name)) }

// newID is that of what a client adds, or none.
func newID(field, text string) (ids.ID, error) {
	id, err := parseID(field, text)
	if err != nil || id == 0 {
		return 0, err
	}
	if age := time.Since(id.Time()); age > maxIDAge || age < -maxIDAhead {
		return 0, &plaza.InvalidError{Field: field, Reason: "is not of the last day"}
	}
	return id, nil
}
