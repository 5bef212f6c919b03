package main

import (
	"strings"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
)

// pictureID names a picture by the activity that first pinned it, such as
// ann.0E2M8GR3TC07V in ann's outbox.
type pictureID struct {
	owner    string
	activity ids.ID
}

// parsePicture is the strict inverse of String.
func parsePicture(text string) (pictureID, error) {
	owner, activity, _ := strings.Cut(text, ".")
	id, err := ids.Parse(activity)
	if err != nil || id == 0 || !isPlain(owner) {
		return pictureID{}, &plaza.InvalidError{Field: "picture", Reason: "is not the name of a picture"}
	}
	return pictureID{owner, id}, nil
}

func (p pictureID) String() string { return p.owner + "." + p.activity.String() }

// ref names the picture in pins, reactions and comments.
func (p pictureID) ref() feed.Ref { return feed.Ref{Kind: "picture", ID: p.String()} }

// isPlain reports whether text looks like the id of a person, or of anything else that needs
// no other characters.
func isPlain(text string) bool {
	other := func(c rune) bool { return (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' }
	return text != "" && len(text) <= 64 && !strings.ContainsFunc(text, other)
}
