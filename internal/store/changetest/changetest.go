// Package changetest is the contract of the calls that change one stored item: each feature
// runs it for all of its own.
package changetest

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/store"
)

// Feature is a feature's repository over one table.
type Feature[R any] struct {
	Package string // "feed/comment"
	Table   string

	// Open returns the repository of a process of its own.
	Open func(testing.TB, *Process) R

	// Calls has each call of the package that the list registers, by its name.
	Calls map[string]Call[R]
}

// Call is a call that changes one stored item: the one that is called by the given name.
type Call[R any] struct {
	Part string // the attribute of its store.Last; empty: it is a Merge
	Item func(name string) store.Key

	// Begin stores what Do changes. The harness passes a new name each time, and begins it
	// once more after Erase. Nil: Do creates the item.
	Begin func(ctx context.Context, r R, name string) error

	// Do makes the change. Undo is another call of the part, after which Do changes the item
	// again; nil: Do is the last call of an item. What a Merge says of changed is not checked.
	Do, Undo func(ctx context.Context, r R, name string) (changed bool, err error)

	// State is what a service sees of the item, without times.
	State func(ctx context.Context, r R, name string) (any, error)

	// Erase removes the item, so that Begin can begin it again. Nil: nothing does.
	Erase func(ctx context.Context, r R, name string) error

	// Unread: the call changes the item without reading it, so that one other call may leave
	// its outcome unknown.
	Unread bool

	// Silent: the call writes nothing where there is nothing to change, and says so.
	Silent bool
}

// Run checks all calls of a feature.
func Run[R any](t *testing.T, f Feature[R]) {
	registered(t, f.Package, f.Calls)
	run(t, f)
}

func run[R any](t *testing.T, f Feature[R]) {
	for name, call := range f.Calls {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for property, check := range checks[R]() {
				t.Run(property, func(t *testing.T) {
					t.Parallel()
					check(newTrial(t, f, call))
				})
			}
		})
	}
}

// checks are the properties of the contract, by what they say.
func checks[R any]() map[string]func(*trial[R]) {
	return map[string]func(*trial[R]){
		"a repeat by the SDK is the same call":                (*trial[R]).repeated,
		"a repeat by the caller finds nothing to change":      (*trial[R]).again,
		"an answer that was lost is not forgotten":            (*trial[R]).thenRefused,
		"a write that nothing reached is not unknown":         (*trial[R]).refused,
		"one other call leaves no doubt":                      (*trial[R]).thenOther,
		"the outcome may be unknown after two or a removal":   (*trial[R]).thenTwo,
		"other calls make no outcome unknown":                 (*trial[R]).contended,
		"nor does a removal if no answer is lost":             (*trial[R]).removed,
		"contention ends":                                     (*trial[R]).outrun,
		"a late request changes nothing":                      (*trial[R]).late,
		"a late request of an earlier life changes nothing":   (*trial[R]).erased,
		"a repeat changes no later life":                      (*trial[R]).begunAgain,
		"a clock that is behind or ahead stops nobody":        (*trial[R]).clocks,
		"calls that are raised to one op are applied in turn": (*trial[R]).raised,
		"a call that finds nothing leaves the item alone":     (*trial[R]).noted,
		"only a later note guards as well":                    (*trial[R]).behind,
		"many calls may find nothing at once":                 (*trial[R]).crowd,
		"a damaged memory is found":                           (*trial[R]).damaged,
		"an absent item stays absent":                         (*trial[R]).absent,
		"a caller may give up":                                (*trial[R]).givenUp,
	}
}

// trial is one check of one call, about an item of its own.
type trial[R any] struct {
	*testing.T
	Call[R]
	f     Feature[R]
	name  string
	mine  *Process // makes the call
	other *Process // makes the calls around it
	r, o  R        // their repositories
}

func newTrial[R any](t *testing.T, f Feature[R], c Call[R]) *trial[R] {
	mine, other := newProcess(t, c.Part), newProcess(t, c.Part)
	return &trial[R]{T: t, Call: c, f: f, mine: mine, other: other, r: f.Open(t, mine), o: f.Open(t, other)}
}

// begin goes on with a new item.
func (t *trial[R]) begin() {
	t.Helper()
	t.name = fmt.Sprint("item ", minted.Add(1))
	t.beginAgain()
}

func (t *trial[R]) beginAgain() {
	t.Helper()
	if t.Begin != nil {
		require.NoError(t, t.Begin(t.Context(), t.o, t.name))
	}
}

// do makes the call that is tried.
func (t *trial[R]) do() (bool, error) { return t.Do(t.Context(), t.r, t.name) }

// doOther and undo make a call by the other process, which must change something.
func (t *trial[R]) doOther() { t.Helper(); t.changes(t.Do) }
func (t *trial[R]) undo()    { t.Helper(); t.changes(t.Undo) }

func (t *trial[R]) changes(do func(context.Context, R, string) (bool, error)) {
	t.Helper()
	changed, err := do(t.Context(), t.o, t.name)
	require.NoError(t, err)
	require.True(t, changed || t.Part == "")
}

// findsNothing makes a call by the other process that must change nothing.
func (t *trial[R]) findsNothing(do func(context.Context, R, string) (bool, error)) {
	t.Helper()
	changed, err := do(t.Context(), t.o, t.name)
	require.NoError(t, err)
	require.False(t, changed && t.Part != "")
}

func (t *trial[R]) state() any {
	t.Helper()
	state, err := t.State(t.Context(), t.o, t.name)
	require.NoError(t, err)
	return state
}

// after returns the state of another item after these calls.
func (t *trial[R]) after(calls ...func(context.Context, R, string) (bool, error)) any {
	t.Helper()
	fresh := *t
	fresh.begin()
	for _, call := range calls {
		_, err := call(t.Context(), t.o, fresh.name)
		require.NoError(t, err)
	}
	return fresh.state()
}
