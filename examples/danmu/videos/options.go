package videos

import (
	"cmp"
	"fmt"
	"log/slog"
	"slices"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
)

// Options of New. The zero value works.
type Options struct {
	// Videos can be played. Defaults to Hills and Lighthouse.
	Videos []Video

	// Others are ids of videos that only other players play: danmu are taken for them too.
	Others []string

	// Hosts are names to answer to, besides localhost and the address that a request
	// arrived at.
	Hosts []string

	// Known reports whether there is such a user. Requests in another name are refused.
	// By default every name is known.
	Known func(user string) bool

	// IDs makes the ids of danmu. Defaults to a lease.Source, which Close closes.
	IDs ids.Source

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
