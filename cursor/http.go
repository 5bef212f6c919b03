package cursor

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/args"
)

// QueryOptions of ParseQuery. The zero value works.
type QueryOptions struct {
	Default int // The limit of a query without one. Defaults to DefaultLimit, but at most to Most.
	Most    int // The highest limit. Defaults to MaxLimit.
}

// ParseQuery reads which page a request wants from the parameters limit and cursor of its
// query, which r.URL.Query returns. An empty parameter counts as absent.
//
// A limit that is not a whole number from 1 to Most, a cursor of more than 4,096 bytes and
// a parameter that comes twice are plaza.ErrInvalid of the field Limit or Cursor. Whether
// the cursor is one of the list, the list finds out.
func ParseQuery(query url.Values, opts *QueryOptions) (PageRequest, error) {
	o := args.Given(opts)
	if err := args.DefaultAtLeast("Most", &o.Most, MaxLimit, 1); err != nil {
		return PageRequest{}, err
	}
	if err := args.Default("Default", &o.Default, min(DefaultLimit, o.Most), 1, o.Most); err != nil {
		return PageRequest{}, err
	}
	limit, err := single("Limit", query["limit"])
	if err != nil {
		return PageRequest{}, err
	}
	place, err := single("Cursor", query["cursor"])
	switch {
	case err != nil:
		return PageRequest{}, err
	case len(place) > maxText:
		return PageRequest{}, ErrInvalid
	case limit == "":
		return PageRequest{Cursor: Cursor(place), Limit: o.Default}, nil
	}
	n, err := strconv.Atoi(limit)
	if err != nil || strconv.Itoa(n) != limit {
		return PageRequest{}, &plaza.InvalidError{Field: "Limit", Reason: "is not a whole number"}
	}
	if err := args.Between("Limit", n, 1, o.Most); err != nil {
		return PageRequest{}, err
	}
	return PageRequest{Cursor: Cursor(place), Limit: n}, nil
}

// single returns the value of a parameter, or "" if it is absent.
func single(field string, values []string) (string, error) {
	switch len(values) {
	case 0:
		return "", nil
	case 1:
		return values[0], nil
	}
	return "", &plaza.InvalidError{Field: field, Reason: "comes more than once"}
}

// WritePage answers a request with a page as JSON: its items, even if there are none, and
// the cursors that it has. If an item cannot be encoded, nothing is written, and the
// service can still answer with an error. That the client has gone is no error.
func WritePage[T any](w http.ResponseWriter, page Page[T]) error {
	if page.Items == nil {
		page.Items = []T{}
	}
	var body bytes.Buffer
	e := json.NewEncoder(&body)
	e.SetEscapeHTML(false) // it would change the JSON in items, and this is no HTML
	if err := e.Encode(page); err != nil {
		return fmt.Errorf("cursor: write a page: %w", err)
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(body.Bytes())
	return nil
}
