package videos

import (
	"cmp"
	"net/http"
	"strconv"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
)

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
