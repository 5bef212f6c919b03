package main

import (
	"context"
	"errors"
	"strings"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/feed/comment"
	"github.com/plaza-sdk/plaza/feed/reaction"
	"github.com/plaza-sdk/plaza/ids"
)

const refKind = "comment:"

// refOf is the object that reactions to a comment name. It has the comment's
// own object in it, so that who reacts to it need not tell that: up to 234
// bytes, as 256 are the most.
func refOf(at comment.At) string { return refKind + at.ID.String() + ":" + at.Object }

// parseRef undoes refOf, as for a comment of the object's own list: only those
// are ranked.
func parseRef(object string) (at comment.At, ok bool) {
	ref, isComment := strings.CutPrefix(object, refKind)
	id, object, _ := strings.Cut(ref, ":")
	at.Object = object
	at.ID, _ = ids.Parse(id)
	return at, isComment && at.ID != 0 && object != ""
}

// scoreOf is what comments are ranked by: how many like or love them.
func scoreOf(reactions *reaction.Repository) func(context.Context, comment.At) (int64, error) {
	return func(ctx context.Context, at comment.At) (int64, error) {
		counts, err := reactions.Counts(ctx, refOf(at))
		return counts[like] + counts[love], err
	}
}

// rank gives a comment its place in Top, also where the reaction was a repeat:
// whoever came first may have died before this. Then the place stays as it was
// until the next reaction to the comment, or any other Rank of it.
func (a *api) rank(ctx context.Context, object string) error {
	at, ok := parseRef(object)
	if !ok {
		return nil
	}
	_, err := a.comments.Rank(ctx, at)
	switch {
	case errors.Is(err, plaza.ErrNotFound), errors.Is(err, plaza.ErrRemoved):
		return nil // a reply, or gone
	case errors.Is(err, plaza.ErrBusy):
		return nil // its likes go on changing, and the last of them ranks it
	}
	return err
}
