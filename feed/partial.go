package feed

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/plaza-sdk/plaza"
)

// PartialError has the errors of the activities of a PublishMany, or the sources
// of a FollowMany, that failed, by index; the others are done. It unwraps to
// those errors: repeat those that may succeed later.
type PartialError struct{ Errs map[int]error }

func (e *PartialError) Error() string {
	first := slices.Min(slices.Collect(maps.Keys(e.Errs)))
	return fmt.Sprintf("feed: %d failed, the first at index %d: %v", len(e.Errs), first, e.Errs[first])
}

// Unwrap returns the errors in the order of their index.
func (e *PartialError) Unwrap() []error {
	errs := make([]error, 0, len(e.Errs))
	for _, i := range slices.Sorted(maps.Keys(e.Errs)) {
		errs = append(errs, e.Errs[i])
	}
	return errs
}

// failures collects the errors of several goroutines.
type failures struct {
	mu   sync.Mutex
	errs map[int]error
	halt error
}

func (f *failures) add(i int, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.errs == nil {
		f.errs = map[int]error{}
	}
	f.errs[i] = err
	busy := errors.Is(err, plaza.ErrBusy) && !errors.Is(err, ErrTooManyPulled) && !errors.Is(err, ErrFull)
	if f.halt == nil && (busy || errors.Is(err, plaza.ErrUnavailable) || errors.Is(err, plaza.ErrTable)) {
		f.halt = fmt.Errorf("not tried after: %w", err)
	}
}

// stopped is the reason not to begin another one: ctx has ended, or one had an
// error that the others would have too.
func (f *failures) stopped(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.halt
}

func (f *failures) err() error {
	if len(f.errs) == 0 {
		return nil
	}
	return &PartialError{Errs: f.errs}
}
