// Package pagetest is the contract of every list: exact while others write, in
// both directions and at every limit, and closed to cursors of other lists.
//
//	pagetest.Run(t, func(t *testing.T) pagetest.List[follow.Edge] { … })
//
// Run sends some 400 requests and adds some 300 items if CI is set, otherwise some 150
// and 200, or half as many if List.Brief. Checks that only read share a list; each other
// check has one of its own.
package pagetest

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// List is a list under test. It is newest first and starts empty. Only Add, Remove
// and Hide write to it, and they fail the test themselves.
type List[T any] struct {
	Page func(context.Context, cursor.PageRequest) (cursor.Page[T], error)

	// ID returns the identity that Add returned for the item.
	ID func(T) string

	// Add adds n items, each newer than all before, and returns their identities
	// in the order added. In a list that is oldest first each is older than all
	// before.
	Add func(ctx context.Context, n int) []string

	// Remove removes an item. Pages may be short or empty afterwards.
	Remove func(ctx context.Context, id string)

	// Hide hides an item but leaves it stored, as a tombstone is. It is nil if
	// the list hides nothing.
	Hide func(ctx context.Context, id string)

	// Others are lists whose cursors this one must refuse, and that must refuse
	// its cursors: another partition, another kind, another filter. There is at
	// least one, and each holds two items or more.
	Others []Other

	// Requests counts the requests sent so far, to show that a refusal sends
	// none. It is nil if they cannot be counted.
	Requests func() int

	MaxLimit int // Defaults to cursor.MaxLimit.

	// Brief skips, unless faults.Full, the checks that another list of the package covers
	// and that hardly depend on the list's own rows: limits, ends, and pages among writes
	// and upwards.
	Brief bool
}

// Run checks the lists that newList returns, a new and empty one each time. The
// checks run one after another, so that Requests may count for all.
func Run[T any](t *testing.T, newList func(t *testing.T) List[T]) {
	t.Helper()
	checked := func(t *testing.T) List[T] {
		l := newList(t)
		require.NotEmpty(t, l.Others)
		return l
	}
	shared, items := checked(t), []string(nil)
	for _, c := range checks[T]() {
		t.Run(c.name, func(t *testing.T) {
			switch {
			case c.hides && shared.Hide == nil:
				t.Skip("this list hides nothing")
			case c.rare && shared.Brief && !faults.Full():
				t.Skip("another list of the package does so, and this one where CI is set")
			}
			if c.reads {
				c.run(newProbe(t.Context(), t, shared, &items))
			} else {
				c.run(newProbe(t.Context(), t, checked(t), new([]string)))
			}
		})
	}
}

// Other is a list whose cursors the one under test must refuse.
type Other struct {
	name string
	page func(context.Context, cursor.PageRequest) (cursor.Page[struct{}], error)
}

// Foreign makes an Other of a list of any items.
func Foreign[T any](name string, page func(context.Context, cursor.PageRequest) (cursor.Page[T], error)) Other {
	return Other{name, func(ctx context.Context, r cursor.PageRequest) (cursor.Page[struct{}], error) {
		p, err := page(ctx, r)
		return cursor.Page[struct{}]{Items: make([]struct{}, len(p.Items)), Next: p.Next, Prev: p.Prev}, err
	}}
}

type check[T any] struct {
	name  string
	run   func(probe[T])
	reads bool // only fills the list and reads it
	hides bool // needs List.Hide
	rare  bool // left out by List.Brief
}

func checks[T any]() []check[T] {
	return []check[T]{
		{name: "every limit gives the same whole", run: everyLimitGivesTheWhole[T], reads: true},
		{name: "All gives the whole", run: allGivesTheWhole[T], reads: true, rare: true},
		{name: "Prev and Next undo each other", run: prevAndNextUndoEachOther[T], reads: true},
		{name: "a negative limit is refused without a request", run: negativeLimitIsRefused[T], reads: true},
		{name: "a cancelled context gives no items", run: cancelledContextGivesNoItems[T], reads: true},
		{name: "an altered cursor is refused without a request", run: alteredCursorIsRefused[T], reads: true},
		{name: "a truncated cursor is refused without a request", run: truncatedCursorIsRefused[T], reads: true},
		{name: "a garbage cursor is refused without a request", run: garbageCursorIsRefused[T], reads: true},
		{name: "a foreign cursor is refused without a request", run: foreignCursorIsRefused[T], reads: true},
		{name: "the limit has a default and a maximum", run: limitHasDefaultAndMaximum[T], reads: true, rare: true}, // last, for it adds many

		{name: "an empty list ends at once", run: emptyListEndsAtOnce[T], rare: true},
		{name: "a full last page ends the list", run: fullLastPageEnds[T], rare: true},

		{name: "items added meanwhile do not disturb", run: addedMeanwhile[T], rare: true},
		{name: "items removed meanwhile lose no other", run: removedMeanwhile[T], rare: true},
		{name: "a cursor outlives the items around it", run: cursorOutlivesItems[T]},

		{name: "Prev of the first page can be polled", run: prevCanBePolled[T]},
		{name: "up gives the newer items nearest first", run: upGivesNewerNearestFirst[T], rare: true},
		{name: "up under writers loses and doubles nothing", run: upUnderWriters[T], rare: true},

		{name: "hidden items end nothing early", run: hiddenItemsEndNothing[T], hides: true},
		{name: "a wholly hidden list leads on", run: whollyHiddenLeadsOn[T], hides: true, rare: true},
	}
}

// All reads a list to its end, limit at a time.
func All[T any](t testing.TB, page func(context.Context, cursor.PageRequest) (cursor.Page[T], error), limit int) []T {
	t.Helper()
	items := []T{}
	for req := (cursor.PageRequest{Limit: limit}); ; {
		page, err := page(t.Context(), req)
		require.NoError(t, err)
		require.LessOrEqual(t, len(page.Items), limit)
		items = append(items, page.Items...)
		if req.Cursor = page.Next; page.Next == "" {
			return items
		}
	}
}
