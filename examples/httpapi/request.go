package main

import (
	"net/http"
	"strconv"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
)

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

// shaped is a page of items in another shape.
func shaped[S, T any](p cursor.Page[S], shape func(S) T) cursor.Page[T] {
	items := make([]T, len(p.Items))
	for i, item := range p.Items {
		items[i] = shape(item)
	}
	return cursor.Page[T]{Items: items, Next: p.Next, Prev: p.Prev}
}
