package main

import (
	"context"
	"net/http"

	"github.com/plaza-sdk/plaza/cursor"
)

// pageOf is a page whose items have the shape that viewers get.
func pageOf[S, T any](p cursor.Page[S], shape func(S) T) cursor.Page[T] {
	shaped := cursor.Page[T]{Items: make([]T, len(p.Items)), Next: p.Next, Prev: p.Prev}
	for i, item := range p.Items {
		shaped.Items[i] = shape(item)
	}
	return shaped
}

// list answers with one page.
func list[S, T any](r *http.Request, read func(context.Context, cursor.PageRequest) (cursor.Page[S], error), shape func(S) T) (cursor.Page[T], error) {
	req, err := readPageRequest(r)
	if err != nil {
		return cursor.Page[T]{}, err
	}
	p, err := read(r.Context(), req)
	return pageOf(p, shape), err
}
