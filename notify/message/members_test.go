package message_test

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/notify/message"

	"context"
)

func (w world) members(t testing.TB, in message.In) []string {
	t.Helper()
	members, err := w.Members(t.Context(), in)
	require.NoError(t, err)
	return members
}

func TestAGroupIsCreatedOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	create := func(members ...string) (bool, error) {
		return w.Create(t.Context(), message.Group{ID: "g", Members: members}, "ann")
	}
	does(t, true)(create("ben", "ann"))
	does(t, false)(create("ben", "ann"))
	does(t, false)(create("ann", "ben"))
	for _, members := range [][]string{{"ann"}, {"ann", "ben", "cleo"}, {"ann", "cleo"}, {"ann#ben"}} {
		fails(t, plaza.ErrConflict)(create(members...))
	}
	require.Equal(t, []string{"ann", "ben"}, w.members(t, of("ann", "g")))
	does(t, true)(w.Leave(t.Context(), of("ann", "g")))
	does(t, true)(w.Add(t.Context(), of("cleo", "g"), "ben"))
	does(t, false)(create("ann", "ben"))
	require.Equal(t, []string{"ben", "cleo"}, w.members(t, of("ben", "g")))
	require.ErrorIs(t, failed(w.Members(t.Context(), of("ann", "g"))), message.ErrNotMember)
	fails(t, plaza.ErrNotFound)(w.Add(t.Context(), of("ann", "no group"), "ann"))
	fails(t, message.ErrNotMember)(w.Leave(t.Context(), of("ann", "no group")))
}

// halfCreated creates a group of a hundred in a process that is killed at a write.
func (w world) halfCreated(t testing.TB, write int) message.Group {
	t.Helper()
	killed := faults.New(t, 1, faults.Rates{})
	killed.KillBefore(write)
	g := message.Group{ID: "g", Members: crowd(100)}
	require.Error(t, failed(w.process(t, nil, killed.Wrap).Create(t.Context(), g, "ann")))
	return g
}

// The 99th and the 100th member are added by transactions of their own. A member who
// left before the repeat is not added again.
func TestAGroupOfAHundredIsCompletedByTheRepeat(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	g := w.halfCreated(t, 3)
	require.Len(t, w.members(t, of("user 000", "g")), 99)
	does(t, true)(w.Leave(t.Context(), of("user 098", "g")))
	does(t, true)(w.Add(t.Context(), of("ann", "g"), "ann"))
	fails(t, message.ErrFull, "room is kept for the last one")(w.Add(t.Context(), of("ben", "g"), "user 000"))
	does(t, false)(w.Create(t.Context(), g, "ann"))
	members := w.members(t, of("user 000", "g"))
	require.Len(t, members, 100)
	require.NotContains(t, members, "user 098")
	require.Contains(t, members, "user 099")
	w.whole(t, "g")
}

// The repeat has read who is still to be added when the first call adds them, and one of
// them leaves.
func TestARepeatedCreateBringsNobodyBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	g := w.halfCreated(t, 2)
	repeat := faults.New(t, 1, faults.Rates{})
	repeat.Script(func(_ string, _ []byte, n int) (none faults.Fault) {
		if n == 2 { // after its first request
			does(t, false)(w.Create(t.Context(), g, "ann"))
			does(t, true)(w.Leave(t.Context(), of("user 098", "g")))
		}
		return none
	})
	does(t, false)(w.process(t, nil, repeat.Wrap).Create(t.Context(), g, "ann"))
	members := w.members(t, of("user 000", "g"))
	require.Len(t, members, 99)
	require.NotContains(t, members, "user 098")
}

func TestTheLastPlacesAreTakenOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.create(t, "g", crowd(98)...)
	processes := []world{w, w.process(t, nil)}
	var full atomic.Int64
	err := parallel.ForEach(t.Context(), 6, 6, func(ctx context.Context, i int) error {
		_, err := processes[i%2].Add(ctx, of(fmt.Sprint("guest ", i), "g"), "user 000")
		if errors.Is(err, message.ErrFull) {
			full.Add(1)
			err = nil
		}
		return err
	})
	require.NoError(t, err)
	require.EqualValues(t, 4, full.Load())
	require.Len(t, w.members(t, of("user 000", "g")), 100)
}

func TestANewMemberSeesOnlyLaterMessages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.create(t, "g", "ann", "ben")
	w.send(t, "g", "ann", "ben")
	does(t, true)(w.Add(t.Context(), of("cleo", "g"), "ann"))
	require.Equal(t, "g", w.inbox(t, "cleo")[0].Conversation)
	require.Zero(t, w.inbox(t, "cleo")[0].Unread)
	does(t, false)(w.process(t, nil).Add(t.Context(), of("cleo", "g"), "ann"))
	w.send(t, "g", "ann")
	require.Equal(t, []int64{3}, w.history(t, of("cleo", "g"), 10))

	does(t, true)(w.Leave(t.Context(), of("cleo", "g")))
	does(t, false)(w.process(t, nil).Leave(t.Context(), of("cleo", "g")))
	w.send(t, "g", "ann")
	require.Empty(t, w.inbox(t, "cleo"))
	require.Equal(t, []int64{3}, w.history(t, of("cleo", "g"), 10))

	does(t, true)(w.Add(t.Context(), of("cleo", "g"), "ann"))
	require.Empty(t, w.history(t, of("cleo", "g"), 10))
	w.send(t, "g", "cleo")
	require.Equal(t, []int64{5}, w.history(t, of("cleo", "g"), 10))
	require.Zero(t, w.inbox(t, "cleo")[0].Unread)
}

func TestAGroupThatAllHaveLeftStaysAndTakesNoMessages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.create(t, "g", "ann")
	w.send(t, "g", "ann")
	does(t, true)(w.Leave(t.Context(), of("ann", "g")))
	for _, p := range []world{w, w.process(t, nil)} {
		require.ErrorIs(t, failed(p.Send(t.Context(), w.says("g", "ann", "hello"))), message.ErrNotMember)
	}
	require.Equal(t, []int64{1}, w.history(t, of("ann", "g"), 10))
	does(t, true)(w.process(t, nil).Add(t.Context(), of("ben", "g"), "ben"))
	require.EqualValues(t, 2, w.send(t, "g", "ben").Seq)
}

// The longest possible names of 100 members fit into an item and a transaction.
func TestTheLargestGroupFits(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	var members []string
	for i := range 100 {
		members = append(members, fmt.Sprintf("%03d%s", i, strings.Repeat("ü", 126)))
	}
	id := strings.Repeat("g", 256)
	w.create(t, id, members...)
	w.send(t, id, members[99])
	require.EqualValues(t, 1, w.settled(t, id, members...))
}

// A member without an entry, or with a damaged one, can leave and come back.
func TestADamagedEntryKeepsNobodyIn(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]attributes{"gone": nil, "damaged": {"read": "text", "lastSeq": "text"}} {
		w := newWorld(t, nil)
		w.create(t, "g", "ann", "ben")
		w.send(t, "g", "ben")
		if damage == nil {
			w.remove(t, "U#ann", "C#g")
		} else {
			w.damage(t, "U#ann", "C#g", damage)
		}
		does(t, true, name)(w.Leave(t.Context(), of("ann", "g")))
		require.Equal(t, damage == nil, w.item(t, "U#ann", "C#g") == nil)
		does(t, true, name)(w.Add(t.Context(), of("ann", "g"), "ann"))
		w.send(t, "g", "ann")
		require.Equal(t, []int64{2}, w.history(t, of("ann", "g"), 10))
	}
}
