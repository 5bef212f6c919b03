package main

import (
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed/comment"
	"github.com/plaza-sdk/plaza/feed/reaction"
)

// The kinds of reactions. A user has at most one of like and love on an object.
const (
	like     = "like"
	love     = "love"
	bookmark = "bookmark"
)

// oneOf are the kinds that replace each other.
func oneOf() []string { return []string{like, love} }

// reacted is the other side of a reaction: the user, or the object.
type reacted struct {
	User   string    `json:"user,omitempty"`
	Object string    `json:"object,omitempty"`
	Kind   string    `json:"kind"`
	Since  time.Time `json:"since"`
}

func byUser(a reaction.Reaction) reacted {
	return reacted{User: a.User, Kind: a.Kind, Since: a.ID.Time()}
}

func toObject(a reaction.Reaction) reacted {
	return reacted{Object: a.Object, Kind: a.Kind, Since: a.ID.Time()}
}

// objectCounts is the number of an object's visible comments, and of its reactions by
// kind.
type objectCounts struct {
	Comments  comment.Counts   `json:"comments"`
	Reactions map[string]int64 `json:"reactions"`
}

func reactionIn(r *http.Request) reaction.Reaction {
	return reaction.Reaction{User: r.PathValue("user"), Object: r.PathValue("object"), Kind: r.PathValue("kind")}
}

func (a *api) react(r *http.Request) (any, error) {
	given := reactionIn(r)
	_, changed, err := a.reactions.React(r.Context(), given)
	if err == nil {
		err = a.updateScore(r.Context(), given.Object)
	}
	return change{changed}, err
}

func (a *api) unreact(r *http.Request) (any, error) {
	given := reactionIn(r)
	changed, err := a.reactions.Unreact(r.Context(), given)
	if err == nil {
		err = a.updateScore(r.Context(), given.Object)
	}
	return change{changed}, err
}

func (a *api) reactionsTo(r *http.Request, req cursor.PageRequest) (cursor.Page[reacted], error) {
	page, err := a.reactions.ByObject(r.Context(), r.PathValue("object"), r.URL.Query().Get("kind"), req)
	return shaped(page, byUser), err
}

func (a *api) reactionsBy(r *http.Request, req cursor.PageRequest) (cursor.Page[reacted], error) {
	page, err := a.reactions.ByUser(r.Context(), r.PathValue("user"), r.URL.Query().Get("kind"), req)
	return shaped(page, toObject), err
}

// reactedTo answers with the kinds of a user's reactions to each object.
func (a *api) reactedTo(r *http.Request) (any, error) {
	return a.reactions.Reacted(r.Context(), r.PathValue("user"), r.URL.Query()["object"])
}

func (a *api) objectCounts(r *http.Request) (any, error) {
	var counts objectCounts
	group, ctx := errgroup.WithContext(r.Context())
	group.Go(func() (err error) {
		counts.Comments, err = a.comments.Counts(ctx, r.PathValue("object"))
		return err
	})
	group.Go(func() (err error) {
		counts.Reactions, err = a.reactions.Counts(ctx, r.PathValue("object"))
		return err
	})
	return counts, group.Wait()
}
