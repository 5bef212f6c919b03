package faults

import (
	"errors"
	"testing"

	"github.com/plaza-sdk/plaza"
)

// Passing reports whether a call that failed with err may be repeated.
func Passing(err error) bool {
	for _, final := range []error{plaza.ErrInvalid, plaza.ErrNotFound, plaza.ErrForbidden, plaza.ErrConflict, plaza.ErrRemoved, plaza.ErrTable, plaza.ErrCorrupt} {
		if errors.Is(err, final) {
			return false
		}
	}
	return err != nil
}

// Acknowledged repeats a call until it is answered, as a careful caller does,
// and counts the calls.
func Acknowledged(t testing.TB, call func() error) (calls int) {
	t.Helper()
	for calls = 1; ; calls++ {
		err := call()
		if err == nil {
			return calls
		}
		if !Passing(err) || calls == 200 {
			t.Fatalf("faults: after %d calls: %v", calls, err)
		}
	}
}
