// Package pagetest is the contract that every list passes: exact under
// writers, in both directions, whatever the limit, and closed to cursors that
// it did not make.
//
//	pagetest.Run(t, func(t *testing.T) pagetest.List[follow.Edge] { … })
//
// Run sends some 400 requests and adds some 400 items, each check to a list
// of its own. It tells no time.
package pagetest

import (
	"context"
	"errors"
	"testing"

	"github.com/plaza-sdk/plaza/cursor"
)

// List is a list under test: newest first, empty at first, with no writer but
// Add, Remove and Hide, which fail the test themselves.
type List[T any] struct {
	Page func(context.Context, cursor.PageRequest) (cursor.Page[T], error)

	// ID gives what Add called this item.
	ID func(T) string

	// Add adds n items, each newer than all before, and gives their
	// identities in the order added. Where the list begins with the oldest it
	// is the other way round: each is older.
	Add func(ctx context.Context, n int) []string

	// Remove takes an item away. Pages may be short or empty from then on.
	Remove func(ctx context.Context, id string)

	// Hide keeps an item from being shown but leaves it stored, as a
	// tombstone does. Nil where the list hides nothing.
	Hide func(ctx context.Context, id string)

	// Others are lists whose cursors this one must refuse and that must
	// refuse its own, at least one: another partition, another kind, another
	// filter. Each holds two items or more.
	Others []Other

	// Requests counts what was sent so far, so that a refusal can be seen to
	// send nothing. Nil where it cannot be counted.
	Requests func() int

	MaxLimit int // Defaults to cursor.MaxLimit.
}

func (l List[T]) validate() error {
	switch {
	case l.Page == nil:
		return errors.New("pagetest: List.Page is nil")
	case l.ID == nil:
		return errors.New("pagetest: List.ID is nil")
	case l.Add == nil:
		return errors.New("pagetest: List.Add is nil")
	case l.Remove == nil:
		return errors.New("pagetest: List.Remove is nil")
	case len(l.Others) == 0:
		return errors.New("pagetest: List.Others is empty")
	}
	return nil
}

// Run checks the lists that newList gives, a fresh and empty one each time.
// The checks run one after another, so that Requests may count for all.
func Run[T any](t *testing.T, newList func(t *testing.T) List[T]) {
	t.Helper()
	for _, c := range checks[T]() {
		t.Run(c.name, func(t *testing.T) {
			l := newList(t)
			if err := l.validate(); err != nil {
				t.Fatal(err)
			}
			if c.hides && l.Hide == nil {
				t.Skip("this list hides nothing")
			}
			c.run(newProbe(t.Context(), t, l))
		})
	}
}
