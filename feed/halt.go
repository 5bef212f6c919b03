package feed

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/plaza-sdk/plaza"
)

// halt stops a call for many values after an error that further ones would have too.
type halt struct {
	mu  sync.Mutex
	err error
}

// note is given the error of one value.
func (h *halt) note(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	busy := errors.Is(err, plaza.ErrBusy) && !errors.Is(err, ErrTooManyPulled) && !errors.Is(err, ErrFull)
	if h.err == nil && (busy || errors.Is(err, plaza.ErrUnavailable) || errors.Is(err, plaza.ErrTable)) {
		h.err = fmt.Errorf("not tried after: %w", err)
	}
}

// reason is why not to begin another value, nil if there is none.
func (h *halt) reason(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.err
}
