package main

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"slices"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/examples/guard"
	"github.com/plaza-sdk/plaza/examples/pinboard/people"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/feed/comment"
	"github.com/plaza-sdk/plaza/feed/reaction"
	"github.com/plaza-sdk/plaza/ids"
)

// addComment stores a comment. The page chooses its key, so that a repeat is one comment.
func (s *api) addComment(r *http.Request, me people.Person) (any, error) {
	var body struct {
		Key    string `json:"key"`
		Text   string `json:"text"`
		Root   ids.ID `json:"root"`   // of the thread that a reply is in
		Parent ids.ID `json:"parent"` // of a reply to a reply
		Quote  ids.ID `json:"quote"`  // the root that is quoted
	}
	if err := guard.ReadJSON(r, &body); err != nil {
		return nil, err
	}
	if body.Key == "" {
		return nil, &plaza.InvalidError{Field: "key", Reason: "is empty"}
	}
	pin, err := s.pin(r)
	if err != nil {
		return nil, err
	}
	c := comment.Comment{
		Object: pin.Object.String(), Root: body.Root, Parent: body.Parent,
		User: me.ID, Text: body.Text, Mentions: mentionsIn(body.Text), Key: body.Key,
	}
	if body.Quote != 0 {
		c.Quote = &comment.Quote{Address: comment.Address{ID: body.Quote}}
	}
	if c, _, err = s.Comments.Add(r.Context(), c); err != nil {
		return nil, err
	}
	c, err = s.Comments.Get(r.Context(), c.Address()) // with the quoted text
	return remark{Comment: c, At: c.ID.Time()}, err
}

// editComment replaces the text of one's own comment.
func (s *api) editComment(r *http.Request, me people.Person) (any, error) {
	var body struct {
		Text string `json:"text"`
	}
	if err := guard.ReadJSON(r, &body); err != nil {
		return nil, err
	}
	at, _, err := s.commentOf(r)
	if err != nil {
		return nil, err
	}
	c, _, err := s.Comments.Edit(r.Context(), comment.Comment{
		Object: at.Object, Root: at.Root, ID: at.ID,
		User: me.ID, Text: body.Text, Mentions: mentionsIn(body.Text),
	})
	return remark{Comment: c, At: c.ID.Time()}, err
}

func (s *api) deleteComment(r *http.Request, me people.Person) (any, error) {
	at, _, err := s.commentOf(r)
	if err != nil {
		return nil, err
	}
	deleted, err := s.Comments.Delete(r.Context(), comment.Action{Address: at, User: me.ID})
	return changed{deleted}, err
}

func (s *api) likeComment(r *http.Request, me people.Person) (any, error) {
	at, _, err := s.commentOf(r)
	if err != nil {
		return nil, err
	}
	c, err := s.Comments.Get(r.Context(), at)
	if err == nil && c.Removed != nil {
		err = plaza.ErrRemoved
	}
	if err != nil {
		return nil, err
	}
	_, liked, err := s.Reactions.React(r.Context(), reaction.Reaction{User: me.ID, Object: commentRef(at).String(), Kind: like})
	return changed{liked}, err
}

func (s *api) unlikeComment(r *http.Request, me people.Person) (any, error) {
	at, _, err := s.commentOf(r)
	if err != nil {
		return nil, err
	}
	ended, err := s.Reactions.Unreact(r.Context(), reaction.Reaction{User: me.ID, Object: commentRef(at).String(), Kind: like})
	return changed{ended}, err
}

// moderated is the action of the picture's owner, or of a moderator, on a comment.
func (s *api) moderated(do func(context.Context, comment.Address) (bool, error)) action {
	return func(r *http.Request, me people.Person) (any, error) {
		at, pin, err := s.commentOf(r)
		if err != nil {
			return nil, err
		}
		if !mayHide(me, pin) {
			return nil, fmt.Errorf("comments on %s: %w", pin.Object, plaza.ErrForbidden)
		}
		did, err := do(r.Context(), at)
		return changed{did}, err
	}
}

// commentOf reads which comment a request is about: ?root= is given for a reply. It returns
// the pin of its picture too.
func (s *api) commentOf(r *http.Request) (at comment.Address, pin feed.Activity, err error) {
	if at.ID, err = ids.Parse(r.PathValue("comment")); err != nil {
		return at, pin, err
	}
	if root := r.URL.Query().Get("root"); root != "" {
		if at.Root, err = ids.Parse(root); err != nil {
			return at, pin, err
		}
	}
	pin, err = s.pin(r)
	at.Object = pin.Object.String()
	return at, pin, err
}

var mention = regexp.MustCompile(`@([a-z0-9-]+)`)

// mentionsIn returns the people in a text, such as @ann, each once.
func mentionsIn(text string) []string {
	var named []string
	for _, found := range mention.FindAllStringSubmatch(text, -1) {
		if known(found[1]) && !slices.Contains(named, found[1]) && len(named) < comment.MaxMentions {
			named = append(named, found[1])
		}
	}
	return named
}
