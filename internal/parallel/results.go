package parallel

import "github.com/plaza-sdk/plaza"

// Failed returns a *plaza.PartialError with the errors of the results, or nil if there
// are none.
func Failed[T any](results []plaza.Result[T]) error {
	var errs []error
	for _, r := range results {
		if r.Err != nil {
			errs = append(errs, r.Err)
		}
	}
	if len(errs) == 0 {
		return nil
	}
	return &plaza.PartialError{Errs: errs}
}
