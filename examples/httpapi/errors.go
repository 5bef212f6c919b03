package main

import (
	"net/http"
	"strings"

	"github.com/plaza-sdk/plaza/examples/web"
	"github.com/plaza-sdk/plaza/ids"
)

// addError carries the id with which a failed publish, comment or score can be repeated.
type addError struct {
	id  ids.ID
	err error
}

func (e *addError) Error() string { return e.err.Error() }

func (e *addError) Unwrap() error { return e.err }

// wireName returns this service's name for a field of Plaza's, such as "Quote.ID".
func wireName(field string) string {
	switch field {
	case "Owner", "Reader", "Follower", "Sender":
		return "user"
	case "Source", "Followee", "Actor":
		return "other"
	case "ForeignID":
		return "foreignId"
	case "At":
		return "op" // the op has the time of the score
	}
	field = strings.TrimPrefix(field, "View.")             // which is the body
	field = strings.Replace(field, "Objects", "object", 1) // ?object=, which may occur several times
	names := strings.Split(field, ".")
	for i, name := range names {
		names[i] = strings.ToLower(name[:1]) + name[1:]
		if name == "ID" {
			names[i] = "id"
		}
	}
	return strings.Join(names, ".")
}

// refusal turns the mux's own answers, such as 404 and 405, into problems.
type refusal struct{ http.ResponseWriter }

func (w refusal) WriteHeader(status int) {
	web.Write(w.ResponseWriter, status, web.Problem{Error: http.StatusText(status)})
}

func (w refusal) Write(text []byte) (int, error) { return len(text), nil }
