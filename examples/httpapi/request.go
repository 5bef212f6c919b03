package main

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
)

// checkQuery refuses unknown parameters, and what r.URL.Query would leave out.
func checkQuery(r *http.Request, known []string) error {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return &plaza.InvalidError{Field: "query", Reason: "is malformed"}
	}
	for name := range query {
		if !slices.Contains(known, name) {
			return &plaza.InvalidError{Field: "query", Reason: fmt.Sprintf("has an unknown parameter %q", name)}
		}
	}
	return nil
}

// readPageRequest leaves to the list which cursors and limits are good.
func readPageRequest(r *http.Request) (cursor.PageRequest, error) {
	limit, err := readNumber(r, "limit")
	return cursor.PageRequest{Cursor: cursor.Cursor(r.URL.Query().Get("cursor")), Limit: limit}, err
}

// readNumber is 0 where the query has none.
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
