package videos

import (
	"cmp"
	"fmt"
	"log/slog"
	"net/http"
	"slices"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
)

// Options of New. The zero value works.
type Options struct {
	// Videos can be played. Defaults to Hills and Lighthouse.
	Videos []Video

	// Others are ids of videos that only other players play: their danmu are accepted
	// too.
	Others []string

	// Hosts are names to answer to, besides localhost and the address that a request
	// arrived at.
	Hosts []string

	// Known reports whether there is such a user. Requests under any other name are
	// refused. By default every name is known.
	Known func(user string) bool

	// IDs makes the ids of danmu. Defaults to a lease.Source, which Close closes.
	IDs ids.Source

	// Script is the address of a JavaScript module of this origin, which the page loads
	// before its own, for what a service adds to the page. For its requests it uses
	// static/api.js. Defaults to none.
	Script string

	// Wrap is called once for each route that answers with JSON, such as
	// "PUT /videos/{id}/danmu/{danmu}/like", and returns what handles its requests.
	// By default that is h itself.
	Wrap func(route string, h http.HandlerFunc) http.HandlerFunc

	// Log gets what went wrong. Defaults to none.
	Log *slog.Logger
}

func (o *Options) withDefaults() (Options, error) {
	full := Options{}
	if o != nil {
		full = *o
	}
	if len(full.Videos) == 0 {
		full.Videos = []Video{Hills(), Lighthouse()}
	}
	full.Log = cmp.Or(full.Log, slog.New(slog.DiscardHandler))
	for i, v := range full.Videos {
		if reason := v.flaw(); reason != "" {
			return full, &plaza.InvalidError{Field: fmt.Sprintf("Options.Videos[%d]", i), Reason: reason}
		}
		if slices.ContainsFunc(full.Videos[:i], func(before Video) bool { return before.ID == v.ID }) {
			return full, &plaza.InvalidError{Field: fmt.Sprintf("Options.Videos[%d]", i), Reason: "has the ID of another"}
		}
	}
	return full, nil
}
