package main

import (
	"net/http"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
)

// How far a new id may be from now. A client may repeat its own requests, but not choose
// its place in other people's lists.
const (
	maxIDAge   = 24 * time.Hour
	maxIDAhead = time.Minute
)

type minted struct {
	ID ids.ID `json:"id"`
}

// mint returns an id for a publication or comment, or an op for a score. A client needs
// it to repeat the request even if no answer at all arrives.
func (a *api) mint(r *http.Request) (any, error) {
	id, err := a.ids.Next(r.Context())
	return minted{id}, err
}

// parseID returns 0 for an empty text.
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

// pathID reads an id from the path.
func pathID(r *http.Request, name string) (ids.ID, error) { return parseID(name, r.PathValue(name)) }

// newID reads the optional id of something that a client adds.
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
