package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
)

// readJSON reads a body of one JSON value without unknown fields, whatever it
// says it is.
func readJSON(r *http.Request, into any) error {
	text, err := io.ReadAll(r.Body)
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return &plaza.InvalidError{Field: "body", Reason: fmt.Sprintf("has more than %d bytes", large.Limit)}
	case err != nil:
		return &plaza.InvalidError{Field: "body", Reason: "did not arrive"}
	case !utf8.Valid(text):
		return &plaza.InvalidError{Field: "body", Reason: "is not UTF-8"}
	case !json.Valid(text): // nor is what is nested 10,000 deep
		return &plaza.InvalidError{Field: "body", Reason: "is not JSON"}
	}

	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	err = d.Decode(into)
	var other *json.UnmarshalTypeError
	switch {
	case errors.As(err, &other):
		return &plaza.InvalidError{Field: cmp.Or(strings.Replace(other.Field, "look.", "", 1), "body"), Reason: "cannot be " + other.Value}
	case err != nil:
		return &plaza.InvalidError{Field: "body", Reason: "has an " + strings.TrimPrefix(err.Error(), "json: ")} // unknown field "x"
	}
	return nil
}

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

// readPage reads the size of a page, and the cursor that it goes on behind.
func readPage(r *http.Request) (cursor.PageRequest, error) {
	size, err := readNumber(r, "size")
	if err == nil && size < 0 {
		err = &plaza.InvalidError{Field: "size", Reason: "is negative"}
	}
	return cursor.PageRequest{Cursor: cursor.Cursor(r.URL.Query().Get("cursor")), Limit: size}, err
}

// readNumber is 0 where the query has none.
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
