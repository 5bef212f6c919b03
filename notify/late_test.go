package notify_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/notify"
)

// A request arrives late, after its user has taken the call back: it changes nothing.
func TestLateRequestsChangeNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	read := func(p world, to notify.In) error {
		return p.MarkRead(t.Context(), to.User, []notify.Shown{{Group: to.Group, Last: 1<<63 - 1}})
	}
	drop := func(_ bool, err error) error { return err }
	for name, c := range map[string]struct {
		before, call, undo func(p world, to notify.In) error
	}{
		"read": {
			call: read,
			undo: func(p world, to notify.In) error { return drop(p.MarkUnread(t.Context(), to)) },
		},
		"unread": {
			before: read,
			call:   func(p world, to notify.In) error { return drop(p.MarkUnread(t.Context(), to)) },
			undo:   read,
		},
		"archive": {
			call: func(p world, to notify.In) error { return drop(p.Archive(t.Context(), to)) },
			undo: func(p world, to notify.In) error { return drop(p.Unarchive(t.Context(), to)) },
		},
		"unarchive": {
			before: func(p world, to notify.In) error { return drop(p.Archive(t.Context(), to)) },
			call:   func(p world, to notify.In) error { return drop(p.Unarchive(t.Context(), to)) },
			undo:   func(p world, to notify.In) error { return drop(p.Archive(t.Context(), to)) },
		},
		"snooze": {
			call: func(p world, to notify.In) error { return drop(p.Snooze(t.Context(), to, noon.Add(time.Hour))) },
			undo: func(p world, to notify.In) error { return drop(p.Unsnooze(t.Context(), to)) },
		},
		"unsnooze": {
			before: func(p world, to notify.In) error { return drop(p.Snooze(t.Context(), to, noon.Add(time.Hour))) },
			call:   func(p world, to notify.In) error { return drop(p.Unsnooze(t.Context(), to)) },
			undo:   func(p world, to notify.In) error { return drop(p.Snooze(t.Context(), to, noon.Add(time.Hour))) },
		},
	} {
		to := in(name, 1)
		last := w.put(t, to)
		if name == "read" {
			read = func(p world, to notify.In) error {
				return p.MarkRead(t.Context(), to.User, []notify.Shown{{Group: to.Group, Last: last}})
			}
			c.call = read
		}
		if c.before != nil {
			require.NoError(t, c.before(w, to))
		}
		late := &faults.Late{Holds: func(op string, body []byte) bool {
			return op == "UpdateItem" && (strings.Contains(string(body), to.Group) || name == "all read")
		}}
		require.Error(t, c.call(w.process(t, nil, late.Wrap), to), name)
		require.NoError(t, c.call(w, to), name)
		require.NoError(t, c.undo(w, to), name)
		before, entries := w.stands(t, to), w.list(t, to.User)
		require.Zero(t, late.Arrive(t), name)
		require.Equal(t, before, w.stands(t, to), name)
		require.Equal(t, entries, w.list(t, to.User), name)
	}
}

func TestRepeatsBySDKAreOneCall(t *testing.T) {
	t.Parallel()
	for seed := range faults.Seeds(40) {
		w := newWorld(t, nil)
		inject := faults.New(t, seed, faults.Rates{LostAfter: 0.3, Twice: 0.3})
		p := w.process(t, nil, inject.Wrap)
		to := in("ann", 1)
		w.put(t, to)
		until := w.Now().Add(time.Hour)
		truthful := func(call func() (bool, error)) {
			t.Helper()
			changed, err := call()
			if err == nil {
				require.True(t, changed)
				return
			}
			faults.Acknowledged(t, func() error { _, err := call(); return err }) // all answers were lost
		}
		truthful(func() (bool, error) { return p.Archive(t.Context(), to) })
		truthful(func() (bool, error) { return p.Unarchive(t.Context(), to) })
		truthful(func() (bool, error) { return p.Snooze(t.Context(), to, until) })
		truthful(func() (bool, error) { return p.Unsnooze(t.Context(), to) })
		w.allRead(t, "ann")
		truthful(func() (bool, error) { return p.MarkUnread(t.Context(), to) })
		require.False(t, w.entry(t, to).Read)
	}
}

// The answer to a call is lost, and the user undoes the call before the SDK repeats the
// request.
func TestARepeatedRequestDoesNotUndoWhatFollowed(t *testing.T) {
	t.Parallel()
	type deed func(p world, to notify.In) error
	archive := func(p world, to notify.In) error { return errorOf(p.Archive(t.Context(), to)) }
	snooze := func(p world, to notify.In) error { return errorOf(p.Snooze(t.Context(), to, noon.Add(time.Hour))) }
	unsnooze := func(p world, to notify.In) error { return errorOf(p.Unsnooze(t.Context(), to)) }
	read := func(p world, to notify.In) error {
		return p.MarkRead(t.Context(), to.User, []notify.Shown{{Group: to.Group, Last: p.entry(t, to).Last}})
	}
	unarchive := func(p world, to notify.In) error { return errorOf(p.Unarchive(t.Context(), to)) }
	unread := func(p world, to notify.In) error { return errorOf(p.MarkUnread(t.Context(), to)) }
	seen := func(p world, to notify.In) error {
		defer p.pass(time.Minute)
		return p.MarkSeen(t.Context(), to.User, notify.See(p.list(t, to.User)))
	}
	allRead := func(p world, to notify.In) error {
		return p.MarkAllRead(t.Context(), to.User, notify.See(p.list(t, to.User)))
	}
	readAndArchive := func(p world, to notify.In) error { return errors.Join(read(p, to), archive(p, to)) }
	for name, c := range map[string]struct {
		before, call, undo deed
		want               error
	}{
		"archive":              {nil, archive, unarchive, plaza.ErrUnknownOutcome},
		"unarchive":            {archive, unarchive, archive, plaza.ErrUnknownOutcome},
		"snooze":               {nil, snooze, unsnooze, plaza.ErrUnknownOutcome},
		"unsnooze":             {snooze, unsnooze, snooze, plaza.ErrUnknownOutcome},
		"read":                 {nil, read, unread, plaza.ErrUnknownOutcome},
		"unread":               {read, unread, read, nil},    // the group still knows the call
		"all read":             {seen, allRead, unread, nil}, // so does the state
		"unread, then archive": {read, unread, readAndArchive, plaza.ErrUnknownOutcome},
	} {
		w := newWorld(t, nil)
		to := in("ann", 1)
		w.put(t, to)
		if c.before != nil {
			require.NoError(t, c.before(w, to), name)
		}
		of := to.Group // in the request whose answer is lost
		if name == "all read" {
			of = "raCall"
		}
		var undone any
		lost, updates := faults.New(t, 1, faults.Rates{}), 0
		lost.Script(func(op string, body []byte, _ int) faults.Fault {
			if op != "UpdateItem" || !strings.Contains(string(body), of) {
				return faults.Fault{}
			}
			if updates++; updates == 1 {
				return faults.Fault{Kind: faults.LostAfter}
			}
			require.NoError(t, c.undo(w, to), name)
			undone = []any{w.stands(t, to), w.list(t, to.User)}
			return faults.Fault{}
		})
		require.ErrorIs(t, c.call(w.process(t, nil, lost.Wrap), to), c.want, name) // nil stands for no error
		require.Equal(t, 2, updates, name)
		stands := []any{w.stands(t, to), w.list(t, to.User)}
		require.Equal(t, undone, stands, name)
	}
}
