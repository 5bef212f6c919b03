package videos

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
)

// checkQuery refuses unknown parameters, and malformed ones that r.URL.Query drops.
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

// readPage reads the size of a page and its cursor.
func readPage(r *http.Request) (cursor.PageRequest, error) {
	size, err := readNumber(r, "size")
	if err == nil && size < 0 {
		err = &plaza.InvalidError{Field: "size", Reason: "is negative"}
	}
	return cursor.PageRequest{Cursor: cursor.Cursor(r.URL.Query().Get("cursor")), Limit: size}, err
}

// readNumber returns 0 if the query does not have the parameter.
func readNumber(r *http.Request, parameter string) (int, error) {
	return parseNumber(parameter, cmp.Or(r.URL.Query().Get(parameter), "0"))
}

func parseNumber(name, text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0, &plaza.InvalidError{Field: name, Reason: "is not a whole number"}
	}
	return n, nil
}
