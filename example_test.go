package plaza_test

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/ids"
)

// statusOf maps every error of Plaza to a status of HTTP.
func statusOf(err error) int {
	switch {
	case err == nil:
		return http.StatusOK
	case errors.Is(err, plaza.ErrInvalid):
		return http.StatusBadRequest
	case errors.Is(err, plaza.ErrForbidden):
		return http.StatusForbidden
	case errors.Is(err, plaza.ErrNotFound):
		return http.StatusNotFound
	case errors.Is(err, plaza.ErrConflict):
		return http.StatusConflict
	case errors.Is(err, plaza.ErrRemoved):
		return http.StatusGone
	case errors.Is(err, plaza.ErrBusy), errors.Is(err, plaza.ErrUnavailable):
		return http.StatusServiceUnavailable // repeat later
	case errors.Is(err, plaza.ErrUnknownOutcome):
		return http.StatusServiceUnavailable // repeat with the same id
	default: // plaza.ErrTable, plaza.ErrCorrupt and errors that are not Plaza's
		return http.StatusInternalServerError
	}
}

// Every package's errors unwrap to those of package plaza.
func Example() {
	_, err := ids.Parse("not an id")
	fmt.Println(statusOf(err))
	fmt.Println(statusOf(cursor.ErrExpired))
	fmt.Println(statusOf(ids.ErrClockRollback))
	fmt.Println(statusOf(fmt.Errorf("follow: %w", plaza.ErrNotFound)))
	// Output:
	// 400
	// 400
	// 503
	// 404
}

// An InvalidError names the argument, for the answer to a client.
func ExampleInvalidError() {
	err := fmt.Errorf("follow: %w", &plaza.InvalidError{Field: "Followee", Reason: "is empty"})
	var invalid *plaza.InvalidError
	if errors.As(err, &invalid) {
		fmt.Println(statusOf(err), invalid.Field, invalid.Reason)
	}
	// Output:
	// 400 Followee is empty
}
