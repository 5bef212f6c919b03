// Package plaza gives an existing service the social features its users
// expect, as typed packages over DynamoDB: follows, activity feeds and what
// grows from them. It owns data and correctness; the service keeps its
// transport.
//
// This package holds the errors that all features share, so that an
// application maps them to its own statuses once:
//
//	switch {
//	case errors.Is(err, plaza.ErrInvalid):        // 400
//	case errors.Is(err, plaza.ErrForbidden):      // 403
//	case errors.Is(err, plaza.ErrNotFound):       // 404
//	case errors.Is(err, plaza.ErrConflict):       // 409
//	case errors.Is(err, plaza.ErrRemoved):        // 410
//	case errors.Is(err, plaza.ErrBusy):           // 429 or 503, later again
//	case errors.Is(err, plaza.ErrUnknownOutcome): // repeat with the same id
//	case errors.Is(err, plaza.ErrTable):          // 500, and tell who deploys
//	}
//
// Start with the packages follow and feed; cursor and ids lie beneath them.
package plaza

import "errors"

var (
	// ErrInvalid is wrapped by every refusal of an argument. Nothing was
	// sent. An InvalidError names the field.
	ErrInvalid = errors.New("plaza: invalid argument")

	// ErrNotFound is returned when what was asked for does not exist.
	ErrNotFound = errors.New("plaza: not found")

	// ErrForbidden is returned when the caller may not do this to that item.
	ErrForbidden = errors.New("plaza: forbidden")

	// ErrConflict is returned when an identity was used before with another
	// payload. Nothing was written.
	ErrConflict = errors.New("plaza: identity already used for something else")

	// ErrRemoved is returned when a write names what has been removed since.
	// Nothing was written.
	ErrRemoved = errors.New("plaza: removed")

	// ErrBusy is returned when throttling or contention outlasted every
	// attempt. Repeat later, with the same identity.
	ErrBusy = errors.New("plaza: busy")

	// ErrUnknownOutcome is returned when a write was sent and no answer
	// arrived. Repeating it with the same identity is harmless and tells.
	ErrUnknownOutcome = errors.New("plaza: outcome unknown")

	// ErrTable is returned when a table does not exist or has another key
	// schema than the feature's Table function gives.
	ErrTable = errors.New("plaza: no such table, or another key schema")
)

// InvalidError says which argument was refused and why. It unwraps to
// ErrInvalid.
type InvalidError struct {
	Field  string // as the API spells it, e.g. "Follower"
	Reason string // e.g. "is empty"
}

func (e *InvalidError) Error() string { return "plaza: " + e.Field + " " + e.Reason }

func (e *InvalidError) Unwrap() error { return ErrInvalid }
