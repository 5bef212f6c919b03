package cursor

import "github.com/plaza-sdk/plaza"

var (
	// ErrInvalid is returned for a cursor that is malformed, altered or of
	// another list. It unwraps to a plaza.InvalidError of the field Cursor, and
	// so to plaza.ErrInvalid.
	ErrInvalid error = &sentinel{"cursor: invalid", []error{refusal("is malformed, altered or of another list")}}

	// ErrExpired is returned for a genuine cursor that is older than
	// Keyring.MaxAge: start the list again. It is an ErrInvalid too.
	ErrExpired error = &sentinel{"cursor: expired", []error{refusal("has expired"), ErrInvalid}}
)

func refusal(reason string) error { return &plaza.InvalidError{Field: "Cursor", Reason: reason} }

// sentinel wraps errors without showing their texts in its own.
type sentinel struct {
	text  string
	kinds []error
}

func (s *sentinel) Error() string { return s.text }

func (s *sentinel) Unwrap() []error { return s.kinds }
