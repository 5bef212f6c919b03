package main

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/examples/pinboard/people"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/feed/comment"
)

func (s *api) commentRoutes() {
	const comments, one = "/api/pins/{picture}/comments", "/api/pins/{picture}/comments/{comment}"
	s.route("GET "+comments, s.threads, "cursor", "oldest")
	s.route("POST "+comments, s.addComment)
	s.route("GET "+one+"/replies", s.replies, "cursor")
	s.route("PUT "+one, s.editComment, "root")
	s.route("DELETE "+one, s.deleteComment, "root")
	s.route("PUT "+one+"/like", s.likeComment, "root")
	s.route("DELETE "+one+"/like", s.unlikeComment, "root")
	s.route("PUT "+one+"/hidden", s.moderated(s.Comments.Hide), "root")
	s.route("DELETE "+one+"/hidden", s.moderated(s.Comments.Unhide), "root")
	s.route("PUT "+one+"/pinned", s.moderated(s.Comments.Pin), "root")
	s.route("DELETE "+one+"/pinned", s.moderated(s.Comments.Unpin), "root")
}

// remark is a comment as the page shows it.
type remark struct {
	comment.Comment
	At    time.Time `json:"at"`
	Likes int64     `json:"likes"`
	Liked bool      `json:"liked"` // by the caller
	First []remark  `json:"first,omitempty"`
}

// remarks is a page of remarks. The first page has the pinned one too.
type remarks struct {
	cursor.Page[remark]
	Pinned *remark `json:"pinned,omitempty"`
}

// threads lists the comments on a picture, each with its first replies.
func (s *api) threads(r *http.Request, me people.Person) (any, error) {
	pin, err := s.pin(r)
	if err != nil {
		return nil, err
	}
	page, err := s.Comments.Threads(r.Context(), pin.Object.String(), pageOf(r, pageSize),
		&comment.ListOptions{Oldest: r.URL.Query().Get("oldest") == "true", WithHidden: true})
	if err != nil {
		return nil, err
	}
	answer := remarks{Page: cursor.Page[remark]{Items: []remark{}, Next: page.Next, Prev: page.Prev}}
	for _, thread := range page.Items {
		if !mayRead(me, pin, thread.Comment) {
			continue
		}
		root := remark{Comment: thread.Comment}
		for _, reply := range thread.First {
			if mayRead(me, pin, reply) {
				root.First = append(root.First, remark{Comment: reply})
			}
		}
		answer.Items = append(answer.Items, root)
	}
	if r.URL.Query().Get("cursor") == "" {
		c, err := s.Comments.Pinned(r.Context(), pin.Object.String())
		switch {
		case err == nil:
			answer.Pinned = &remark{Comment: c}
		case !errors.Is(err, plaza.ErrNotFound):
			return nil, err
		}
	}
	return answer, s.liked(r.Context(), me, answer)
}

// replies lists a thread, the oldest first.
func (s *api) replies(r *http.Request, me people.Person) (any, error) {
	at, pin, err := s.commentOf(r)
	if err != nil {
		return nil, err
	}
	page, err := s.Comments.Replies(r.Context(), at, pageOf(r, pageSize), &comment.ListOptions{Oldest: true, WithHidden: true})
	if err != nil {
		return nil, err
	}
	answer := remarks{Page: cursor.Page[remark]{Items: []remark{}, Next: page.Next, Prev: page.Prev}}
	for _, c := range page.Items {
		if mayRead(me, pin, c) {
			answer.Items = append(answer.Items, remark{Comment: c})
		}
	}
	return answer, s.liked(r.Context(), me, answer)
}

// mayRead shows a hidden comment to its author and to those who may hide it.
func mayRead(me people.Person, pin feed.Activity, c comment.Comment) bool {
	return !c.Hidden || c.User == me.ID || mayHide(me, pin)
}

func mayHide(me people.Person, pin feed.Activity) bool {
	return pin.Owner == me.ID || people.Moderator(me.ID)
}

// liked fills in the times and the likes of all comments of an answer, in 2 requests.
func (s *api) liked(ctx context.Context, me people.Person, answer remarks) error {
	var all []*remark
	for i := range answer.Items {
		all = append(all, &answer.Items[i])
		for j := range answer.Items[i].First {
			all = append(all, &answer.Items[i].First[j])
		}
	}
	if answer.Pinned != nil {
		all = append(all, answer.Pinned)
	}
	if len(all) == 0 {
		return nil
	}
	objects := make([]string, len(all))
	for i, c := range all {
		objects[i] = commentRef(c.Address()).String()
	}
	counts, err := s.Reactions.CountsMany(ctx, objects)
	if err != nil {
		return err
	}
	mine, err := s.Reactions.Reacted(ctx, me.ID, objects)
	for i, c := range all {
		c.At, c.Likes, c.Liked = c.ID.Time(), counts[objects[i]][like], slices.Contains(mine[objects[i]], like)
		if c.Removed != nil {
			c.Removed.By = "" // for moderators
			if c.User != me.ID {
				c.Removed.Reason = ""
			}
		}
	}
	return err
}
