package main

import (
	"encoding/json"
	"time"

	"github.com/plaza-sdk/plaza/feed/comment"
	"github.com/plaza-sdk/plaza/ids"
)

// wording is what an edit replaces, all of it, by its author.
type wording struct {
	User     string          `json:"user"`
	Text     string          `json:"text"`
	Mentions []string        `json:"mentions"`
	Data     json.RawMessage `json:"data"`
}

// newRemark is what a client adds: with a root a reply in its thread, without
// one a comment of the object's own list, which may answer a parent there, or
// quote. With an id it may be repeated as a publication may, and with a key of
// the user's.
type newRemark struct {
	ID     string `json:"id"`
	Key    string `json:"key"`
	Root   string `json:"root"`
	Parent string `json:"parent"`
	Quote  *place `json:"quote"`
	wording
}

// place is where a comment of the object lies.
type place struct {
	Root string `json:"root"`
	ID   string `json:"id"`
}

func (w wording) comment(at comment.At) comment.Comment {
	return comment.Comment{
		Object: at.Object, Root: at.Root, ID: at.ID,
		User: w.User, Text: w.Text, Mentions: w.Mentions, Data: w.Data,
	}
}

func (n newRemark) comment(object string) (comment.Comment, error) {
	c := n.wording.comment(comment.At{Object: object})
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

// remark is a comment as it is read. Its ref is the object that reactions to
// it name.
type remark struct {
	ID       ids.ID          `json:"id"`
	Ref      string          `json:"ref"`
	Object   string          `json:"object"`
	Root     ids.ID          `json:"root,omitzero"`
	Parent   ids.ID          `json:"parent,omitzero"`
	User     string          `json:"user,omitempty"`
	Text     string          `json:"text,omitempty"`
	Quote    *quote          `json:"quote,omitempty"`
	Mentions []string        `json:"mentions,omitempty"`
	Data     json.RawMessage `json:"data,omitempty"`
	Time     time.Time       `json:"time"`
	EditedAt time.Time       `json:"editedAt,omitzero"`
	Removed  *tombstone      `json:"removed,omitempty"`
	Replies  int64           `json:"replies"`
	First    []remark        `json:"first,omitempty"` // replies, of a thread
}

type quote struct {
	Root    ids.ID `json:"root,omitzero"`
	ID      ids.ID `json:"id"`
	User    string `json:"user,omitempty"`
	Excerpt string `json:"excerpt,omitempty"`
	Removed bool   `json:"removed,omitempty"`
}

type tombstone struct {
	By     string    `json:"by,omitempty"`
	Reason string    `json:"reason,omitempty"`
	At     time.Time `json:"at"`
}

func remarkOf(c comment.Comment) remark {
	shown := remark{
		ID: c.ID, Ref: refOf(c.At()), Object: c.Object, Root: c.Root, Parent: c.Parent,
		User: c.User, Text: c.Text, Mentions: c.Mentions, Data: c.Data,
		Time: c.ID.Time(), EditedAt: c.EditedAt, Replies: c.Replies,
	}
	if q := c.Quote; q != nil {
		shown.Quote = &quote{Root: q.Root, ID: q.ID, User: q.User, Excerpt: q.Excerpt, Removed: q.Removed}
	}
	if c.Removed != nil {
		shown.Removed = &tombstone{By: c.Removed.By, Reason: c.Removed.Reason, At: c.Removed.At}
	}
	return shown
}

func threadOf(t comment.Thread) remark {
	shown := remarkOf(t.Comment)
	for _, reply := range t.First {
		shown.First = append(shown.First, remarkOf(reply))
	}
	return shown
}
