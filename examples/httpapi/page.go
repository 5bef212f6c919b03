package main

import (
	"context"
	"net/http"

	"github.com/plaza-sdk/plaza/cursor"
)

type pageReader[T any] = func(context.Context, cursor.PageRequest) (cursor.Page[T], error)

// list answers with one page.
func list[T any](r *http.Request, read pageReader[T]) (cursor.Page[T], error) {
	req, err := readPageRequest(r)
	if err != nil {
		return cursor.Page[T]{}, err
	}
	return read(r.Context(), req)
}

// listAs answers with one page of items in another shape.
func listAs[S, T any](r *http.Request, read pageReader[S], shape func(S) T) (cursor.Page[T], error) {
	p, err := list(r, read)
	shaped := cursor.Page[T]{Items: make([]T, len(p.Items)), Next: p.Next, Prev: p.Prev}
	for i, item := range p.Items {
		shaped.Items[i] = shape(item)
	}
	return shaped, err
}
