// Package parallel runs functions concurrently as errgroup does, and waits. A panic of a
// function becomes its error and does not end the process.
package parallel

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"golang.org/x/sync/errgroup"
)

// Group is an errgroup.Group whose functions may panic.
type Group struct{ *errgroup.Group }

// New returns a group without a limit. An error of one function does not stop
// the others.
func New() Group { return Group{new(errgroup.Group)} }

// WithContext returns a group, and a context that ends with its first error
// and with Wait.
func WithContext(ctx context.Context) (Group, context.Context) {
	group, ctx := errgroup.WithContext(ctx)
	return Group{group}, ctx
}

// Go calls f in a goroutine, once the group's limit allows it.
func (g Group) Go(f func() error) {
	g.Group.Go(func() error { return Catch(f) })
}

// ForEach calls f for each i below n, at most atOnce at a time, and returns the
// first error, with which f's context ends. Where all run at once, the last runs in
// the caller's goroutine: the stack of a new one would have to grow for each request.
func ForEach(ctx context.Context, n, atOnce int, f func(ctx context.Context, i int) error) error {
	switch n {
	case 0:
		return nil
	case 1:
		return Catch(func() error { return f(ctx, 0) })
	}
	group, ctx := WithContext(ctx)
	group.SetLimit(max(atOnce, 1))
	others := n
	if n <= atOnce {
		others = n - 1
	}
	for i := range others {
		group.Go(func() error { return f(ctx, i) })
	}
	if others < n {
		if err := Catch(func() error { return f(ctx, others) }); err != nil {
			group.Go(func() error { return err }) // which ends the others
		}
	}
	return group.Wait()
}

// PanicError is the panic of a function.
type PanicError struct {
	Value any
	Stack []byte
}

func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v\n%s", e.Value, e.Stack) }

// Catch returns f's error, or its panic as a *PanicError.
func Catch(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{v, debug.Stack()}
		}
	}()
	return f()
}

// Sleep waits for d, or until ctx ends, and returns the context's error then.
func Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
