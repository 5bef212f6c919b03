package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
)

const maxDepth = 32 // levels of JSON

// readJSON reads a body of one JSON value without unknown fields.
func readJSON(r *http.Request, into any) error {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" {
		return &requestError{http.StatusUnsupportedMediaType, "content-type", "is not application/json"}
	}
	text, err := io.ReadAll(r.Body)
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return &requestError{http.StatusRequestEntityTooLarge, "body", fmt.Sprintf("has more than %d bytes", large.Limit)}
	case err != nil:
		return &requestError{http.StatusRequestTimeout, "body", "did not arrive"}
	case !utf8.Valid(text):
		return &plaza.InvalidError{Field: "body", Reason: "is not UTF-8"}
	case tooDeep(text):
		return &plaza.InvalidError{Field: "body", Reason: fmt.Sprintf("is nested deeper than %d levels", maxDepth)}
	case !json.Valid(text):
		return &plaza.InvalidError{Field: "body", Reason: "is not JSON"}
	}

	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	err = d.Decode(into)
	var other *json.UnmarshalTypeError
	switch {
	case errors.As(err, &other):
		field := other.Field
		for _, embedded := range []string{"content.", "wording."} {
			field = strings.TrimPrefix(field, embedded)
		}
		return &plaza.InvalidError{Field: cmp.Or(field, "body"), Reason: "cannot be " + other.Value}
	case err != nil:
		return &plaza.InvalidError{Field: "body", Reason: "has an " + strings.TrimPrefix(err.Error(), "json: ")} // unknown field "x"
	}
	return nil
}

// tooDeep spares the decoder, which would take 10,000 levels.
func tooDeep(text []byte) bool {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
		}
		if depth > maxDepth {
			return true
		}
	}
	return false
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
