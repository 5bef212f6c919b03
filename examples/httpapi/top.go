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

// refOf is the object that reactions to a comment name. It contains the
// comment's own object, which may have up to 234 bytes, as a name has at most 256.
func refOf(at comment.Address) string { return refKind + at.ID.String() + ":" + at.Object }

// parseRef undoes refOf. It takes the comment for one of the object's own list,
// since only those are in Top.
func parseRef(object string) (at comment.Address, ok bool) {
	ref, isComment := strings.CutPrefix(object, refKind)
	id, object, _ := strings.Cut(ref, ":")
	at.Object = object
	at.ID, _ = ids.Parse(id)
	return at, isComment && at.ID != 0 && object != ""
}

// scoreOf counts the likes and loves of a comment, by which Top sorts.
func scoreOf(reactions *reaction.Repository) func(context.Context, comment.Address) (int64, error) {
	return func(ctx context.Context, at comment.Address) (int64, error) {
		counts, err := reactions.Counts(ctx, refOf(at))
		return counts[like] + counts[love], err
	}
}

// updateScore moves a comment in Top after a reaction to it, even after a repeated one:
// the process that took the first may have ended before this.
func (a *api) updateScore(ctx context.Context, object string) error {
	at, ok := parseRef(object)
	if !ok {
		return nil
	}
	_, err := a.comments.UpdateScore(ctx, at)
	switch {
	case errors.Is(err, plaza.ErrNotFound), errors.Is(err, plaza.ErrRemoved):
		return nil // a reply, or gone
	case errors.Is(err, plaza.ErrBusy):
		return nil // the last of its likes updates it
	}
	return err
}
