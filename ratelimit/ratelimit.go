// Package ratelimit limits how often a user may send to an object, such as a video or a
// conversation. A Memory limits within one process, a Table across all processes. A
// repeat of an attempt does not count again. Options.Rate of danmu and notify/message uses
// it.
package ratelimit

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/internal/keys"
)

// ErrExceeded is returned for an attempt that comes too soon. It unwraps to
// plaza.ErrBusy; an *Error says when to repeat.
var ErrExceeded = fmt.Errorf("ratelimit: too many attempts: %w", plaza.ErrBusy)

// Error refuses an attempt that comes too soon. Nothing was stored. Repeat the attempt
// after Wait. It unwraps to ErrExceeded.
type Error struct {
	Wait time.Duration
}

func (e *Error) Error() string {
	return fmt.Sprintf("ratelimit: too many attempts, wait %v", e.Wait)
}

func (e *Error) Unwrap() error { return ErrExceeded }

// RetryAfter makes the plaza.Status of the error 429.
func (e *Error) RetryAfter() time.Duration { return e.Wait }

// Limiter limits how often a user may send to an object. It is safe for concurrent use.
type Limiter interface {
	// Take counts an attempt and returns 0. If the attempt comes too soon, Take counts
	// nothing and returns how long the user must wait. It does not count a recent attempt
	// twice.
	Take(ctx context.Context, a Attempt) (wait time.Duration, err error)
}

// Attempt is an attempt to send. Its repeats are the same Attempt. Each field has 1 to
// 256 bytes.
type Attempt struct {
	Object string // what the user sends to
	User   string
	ID     string // the same in each repeat, and in no other attempt of the user
}

func (a Attempt) check() error {
	if err := keys.CheckName("Object", a.Object); err != nil {
		return err
	}
	if err := keys.CheckName("User", a.User); err != nil {
		return err
	}
	return keys.CheckName("ID", a.ID)
}

// Unlimited is a Limiter that allows everything.
type Unlimited struct{}

// Take returns 0.
//
// Cost: none.
func (Unlimited) Take(context.Context, Attempt) (time.Duration, error) { return 0, nil }

// Rate allows one attempt per Every on average, and up to Burst at once.
type Rate struct {
	Every time.Duration // Defaults to 1 s.
	Burst int           // Defaults to 5.
}

func (rate *Rate) setDefaults() error {
	return cmp.Or(
		args.DefaultAtLeast("Rate.Every", &rate.Every, time.Second, 0),
		args.Whole("Rate.Every", rate.Every, time.Millisecond),
		args.DefaultAtLeast("Rate.Burst", &rate.Burst, 5, 0),
	)
}

// take is the generic cell rate algorithm. full is the time when the whole burst is
// available again. take returns the next such time, or how long to wait. A full that no
// attempt can leave now comes from a clock that is far ahead, and would lock the user out.
func (rate Rate) take(full, now time.Time) (next time.Time, wait time.Duration) {
	burst := time.Duration(rate.Burst) * rate.Every
	if full.Before(now) || full.After(now.Add(burst+keys.MaxAhead)) {
		full = now
	}
	next = full.Add(rate.Every)
	return next, max(0, next.Sub(now)-burst)
}

// Options of a Memory or a Table. The zero value works.
type Options struct {
	Now func() time.Time // Defaults to time.Now.

	// OnCorrupt is called with each damaged item that a Table finds and replaces.
	// Defaults to nothing.
	OnCorrupt func(*plaza.CorruptError)
}

func (o *Options) withDefaults() Options {
	full := args.Given(o)
	if full.Now == nil {
		full.Now = time.Now
	}
	return full
}

// maxAttempts is how many attempts of a user a limiter remembers.
const maxAttempts = 16

// latest appends an attempt and drops the oldest beyond maxAttempts.
func latest[T any](attempts []T, id T) []T {
	attempts = append(attempts, id)
	return attempts[max(0, len(attempts)-maxAttempts):]
}
