package main

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
)

// readPageRequest leaves it to the list to check the cursor and the limit.
func readPageRequest(r *http.Request) (cursor.PageRequest, error) {
	limit, err := readNumber(r, "limit")
	return cursor.PageRequest{Cursor: cursor.Cursor(r.URL.Query().Get("cursor")), Limit: limit}, err
}

// readNumber returns 0 if the query does not have the parameter.
func readNumber(r *http.Request, parameter string) (int, error) {
	text := r.URL.Query().Get(parameter)
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0, &plaza.InvalidError{Field: parameter, Reason: "is not a number"}
	}
	return n, nil
}

// parseTime returns the zero time for an empty text.
func parseTime(field, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return t, &plaza.InvalidError{Field: field, Reason: "is not of RFC 3339"}
	}
	return t, nil
}

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
