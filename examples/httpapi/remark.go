package main

import (
	"encoding/json"
	"time"

	"github.com/plaza-sdk/plaza/feed/comment"
)

// wording is the part of a comment that an edit replaces.
type wording struct {
	User     string          `json:"user"`
	Text     string          `json:"text"`
	Mentions []string        `json:"mentions"`
	Data     json.RawMessage `json:"data"`
}

// newRemark is a comment to add. With a root it is a reply in that thread. Without one it
// is in the object's own list, where it may answer a parent and quote. A repeat with the
// same id, or with the same key and user, adds nothing.
type newRemark struct {
	ID     string `json:"id"`
	Key    string `json:"key"`
	Root   string `json:"root"`
	Parent string `json:"parent"`
	Quote  *place `json:"quote"`
	wording
}

// place is the place of a comment on the object.
type place struct {
	Root string `json:"root"`
	ID   string `json:"id"`
}

func (w wording) comment(at comment.Address) comment.Comment {
	return comment.Comment{
		Object: at.Object, Root: at.Root, ID: at.ID,
		User: w.User, Text: w.Text, Mentions: w.Mentions, Data: w.Data,
	}
}

func (n newRemark) comment(object string) (comment.Comment, error) {
	c := n.wording.comment(comment.Address{Object: object})
	c.Key = n.Key
	var err error
	if c.ID, err = newID("id", n.ID); err != nil {
		return c, err
	}
	if c.Root, err = parseID("root", n.Root); err != nil {
		return c, err
	}
	if c.Parent, err = parseID("parent", n.Parent); err != nil {
		return c, err
	}
	if n.Quote != nil {
		c.Quote = &comment.Quote{}
		if c.Quote.Root, err = parseID("quote.root", n.Quote.Root); err != nil {
			return c, err
		}
		c.Quote.ID, err = parseID("quote.id", n.Quote.ID)
	}
	return c, err
}

// remark is a comment in an answer. Its ref is the object name for reactions to it.
type remark struct {
	comment.Comment
	Ref   string    `json:"ref"`
	Time  time.Time `json:"time"`
	First []remark  `json:"first,omitempty"` // replies, of a thread
}

func remarkOf(c comment.Comment) remark {
	c.Hidden = false // an author who edits a hidden comment should not learn that
	return remark{Comment: c, Ref: refOf(c.Address()), Time: c.ID.Time()}
}

func threadOf(t comment.Thread) remark {
	shown := remarkOf(t.Comment)
	for _, reply := range t.First {
		shown.First = append(shown.First, remarkOf(reply))
	}
	return shown
}
