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

// refOf returns the object name for reactions to a comment. It contains the name of the
// comment's object, so that may have up to 234 bytes of the 256 that a name may have.
func refOf(at comment.Address) string { return refKind + at.ID.String() + ":" + at.Object }

// parseRef undoes refOf. It assumes a comment of the object's own list, because only
// those are in Top.
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

// updateScore moves a comment in Top after a reaction to it. It does so even after a
// repeat, because the process that stored the reaction may have died before this.
func (a *api) updateScore(ctx context.Context, object string) error {
	at, ok := parseRef(object)
	if !ok {
		return nil
	}
	_, err := a.comments.UpdateScore(ctx, at)
	switch {
	case errors.Is(err, plaza.ErrNotFound), errors.Is(err, plaza.ErrRemoved):
		return nil // a reply, or removed
	case errors.Is(err, plaza.ErrBusy):
		return nil // another like, which comes later, updates it
	}
	return err
}
