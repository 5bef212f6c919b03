package plaza

import "fmt"

// Result is the answer for one value of a call that handles many, such as PublishMany of
// package feed. The results have the order of the values, repeats included.
type Result[T any] struct {
	Value   T    // as it is stored; as it was given, if Err is not nil
	Changed bool // this call wrote it
	Err     error
}

// PartialError is returned by a call that handles many values if some of them failed.
// The others are done. It unwraps to the errors. Repeat the values that may succeed
// later.
type PartialError struct{ Errs []error } // in the order of the values; at least one

func (e *PartialError) Error() string {
	return fmt.Sprintf("plaza: %d failed, the first: %v", len(e.Errs), e.Errs[0])
}

func (e *PartialError) Unwrap() []error { return e.Errs }
