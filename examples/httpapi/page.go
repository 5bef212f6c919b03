package main

import (
	"context"
	"net/http"

	"github.com/plaza-sdk/plaza/cursor"
)

// page is a part of a list. An empty next is its end; prev goes back, and from
// the first page asks for news.
type page[T any] struct {
	Items []T           `json:"items"`
	Next  cursor.Cursor `json:"next"`
	Prev  cursor.Cursor `json:"prev"`
}

func pageOf[S, T any](p cursor.Page[S], shape func(S) T) page[T] {
	shaped := page[T]{Items: make([]T, len(p.Items)), Next: p.Next, Prev: p.Prev}
	for i, item := range p.Items {
		shaped.Items[i] = shape(item)
	}
	return shaped
}

// list answers with one page.
func list[S, T any](r *http.Request, read func(context.Context, cursor.PageRequest) (cursor.Page[S], error), shape func(S) T) (page[T], error) {
	req, err := readPageRequest(r)
	if err != nil {
		return page[T]{}, err
	}
	p, err := read(r.Context(), req)
	return pageOf(p, shape), err
}
