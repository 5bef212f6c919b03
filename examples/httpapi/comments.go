package main

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/examples/guard"
	"github.com/plaza-sdk/plaza/feed/comment"
)

// at returns the address of the comment in the path. The query has the root of a reply.
func at(r *http.Request) (comment.Address, error) {
	where := comment.Address{Object: r.PathValue("object")}
	var err error
	if where.ID, err = pathID(r, "id"); err != nil {
		return where, err
	}
	where.Root, err = parseID("root", r.URL.Query().Get("root"))
	return where, err
}

func (a *api) addComment(r *http.Request) (any, error) {
	var n newRemark
	if err := guard.ReadJSON(r, &n); err != nil {
		return nil, err
	}
	c, err := n.comment(r.PathValue("object"))
	if err != nil {
		return nil, err
	}
	added, _, err := a.comments.Add(r.Context(), c)
	if err != nil {
		return nil, &addError{id: added.ID, err: err}
	}
	return remarkOf(added), nil
}

func (a *api) getComment(r *http.Request) (any, error) {
	where, err := at(r)
	if err != nil {
		return nil, err
	}
	c, err := a.comments.Get(r.Context(), where)
	return remarkOf(c), err
}

func (a *api) editComment(r *http.Request) (any, error) {
	where, err := at(r)
	if err != nil {
		return nil, err
	}
	var w wording
	if err := guard.ReadJSON(r, &w); err != nil {
		return nil, err
	}
	edited, _, err := a.comments.Edit(r.Context(), w.comment(where))
	return remarkOf(edited), err
}

func (a *api) deleteComment(r *http.Request) (any, error) {
	where, err := at(r)
	if err != nil {
		return nil, err
	}
	removed, err := a.comments.Delete(r.Context(), comment.Action{Address: where, User: r.URL.Query().Get("user")})
	return removal{removed}, err
}

// talk is a page of comments on an object. The first page also has the pinned comment.
type talk struct {
	Pinned *remark `json:"pinned,omitempty"`
	cursor.Page[remark]
}

func (a *api) flow(r *http.Request) (any, error) {
	return listTalk(a, r, a.comments.ByObject, remarkOf)
}

func (a *api) threads(r *http.Request) (any, error) {
	return listTalk(a, r, a.comments.Threads, threadOf)
}

type objectList[S any] = func(context.Context, string, cursor.PageRequest, *comment.ListOptions) (cursor.Page[S], error)

func listTalk[S any](a *api, r *http.Request, read objectList[S], shape func(S) remark) (any, error) {
	opts, err := readOrder(r)
	if err != nil {
		return nil, err
	}
	req, err := cursor.ParseQuery(r.URL.Query(), nil)
	if err != nil {
		return nil, err
	}
	object := r.PathValue("object")
	page, err := read(r.Context(), object, req, opts)
	shown := shaped(page, shape)
	if err != nil || req.Cursor != "" {
		return talk{Page: shown}, err
	}
	pinned, err := a.comments.Pinned(r.Context(), object)
	if errors.Is(err, plaza.ErrNotFound) {
		return talk{Page: shown}, nil
	}
	shown.Items = slices.DeleteFunc(shown.Items, func(item remark) bool { return item.ID == pinned.ID })
	above := remarkOf(pinned)
	return talk{Pinned: &above, Page: shown}, err
}

func (a *api) replies(r *http.Request, req cursor.PageRequest) (cursor.Page[remark], error) {
	root, err := pathID(r, "root")
	if err != nil {
		return cursor.Page[remark]{}, err
	}
	opts, err := readOrder(r)
	if err != nil {
		return cursor.Page[remark]{}, err
	}
	page, err := a.comments.Replies(r.Context(), comment.Address{Object: r.PathValue("object"), ID: root}, req, opts)
	return shaped(page, remarkOf), err
}

func (a *api) top(r *http.Request, req cursor.PageRequest) (cursor.Page[remark], error) {
	page, err := a.comments.Top(r.Context(), r.PathValue("object"), req)
	return shaped(page, remarkOf), err
}

func (a *api) commentsBy(r *http.Request, req cursor.PageRequest) (cursor.Page[remark], error) {
	page, err := a.comments.ByUser(r.Context(), r.PathValue("user"), req, nil)
	return shaped(page, remarkOf), err
}

func readOrder(r *http.Request) (*comment.ListOptions, error) {
	switch r.URL.Query().Get("order") {
	case "", "newest":
		return &comment.ListOptions{}, nil
	case "oldest":
		return &comment.ListOptions{Oldest: true}, nil
	}
	return nil, &plaza.InvalidError{Field: "order", Reason: "is neither newest nor oldest"}
}
