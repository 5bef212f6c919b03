package main

import (
	"cmp"
	"net/http"

	"github.com/plaza-sdk/plaza/examples/guard"
	"github.com/plaza-sdk/plaza/examples/pinboard/people"
)

// whoHeader names the person who asks. Each window of a browser sends its own, so that two
// windows show two people. There are no passwords: a real service has sessions. No other
// site can send it, since a browser asks first whether it may, and is refused.
const whoHeader = "Pinboard-User"

// who returns the person who asks. An event stream cannot send headers, so it names the person
// by ?as=.
func who(r *http.Request) (people.Person, error) {
	p, ok := people.Get(cmp.Or(r.Header.Get(whoHeader), r.URL.Query().Get("as")))
	if !ok {
		return p, &guard.RefusedError{Status: http.StatusUnauthorized, Field: whoHeader, Reason: "is nobody here"}
	}
	return p, nil
}

// known reports whether there is such a person.
func known(id string) bool {
	_, ok := people.Get(id)
	return ok
}
