package message_test

import (
	"fmt"
	"slices"
	"strings"
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
	w.create(t, "g", "ben", "ann")
	for _, members := range [][]string{{"ben", "ann"}, {"ann", "ben"}} {
		does(t, false)(w.Create(t.Context(), message.Group{ID: "g", Members: members}, "ann"))
	}
	for _, members := range [][]string{{"ann"}, {"ann", "ben", "cleo"}, {"ann", "cleo"}, {"ann#ben"}} {
		fails(t, plaza.ErrConflict)(w.Create(t.Context(), message.Group{ID: "g", Members: members}, "ann"))
	}
	require.Equal(t, []string{"ann", "ben"}, w.members(t, of("ann", "g")))
	does(t, true)(w.Leave(t.Context(), of("ann", "g")))
	does(t, true)(w.Add(t.Context(), of("cleo", "g"), "ann"))
	does(t, false)(w.Create(t.Context(), message.Group{ID: "g", Members: []string{"ann", "ben"}}, "ann"))
	require.Equal(t, []string{"ben", "cleo"}, w.members(t, of("ben", "g")))
	_, err := w.Members(t.Context(), of("ann", "g"))
	require.ErrorIs(t, err, message.ErrNotMember)
	_, err = w.Members(t.Context(), of("ann", "no group"))
	require.ErrorIs(t, err, message.ErrNotMember)
}

// The 99th and the 100th member are added by transactions of their own. A member who
// left before the repeat is not added again.
func TestAGroupOfAHundredIsCompletedByTheRepeat(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	inject := faults.New(t, 1, faults.Rates{})
	inject.KillBefore(3)
	g := message.Group{ID: "g", Members: crowd(100)}
	_, err := w.process(t, nil, inject.Wrap).Create(t.Context(), g, "ann")
	require.Error(t, err)
	require.Len(t, w.members(t, of("user 000", "g")), 99)
	does(t, true)(w.Leave(t.Context(), of("user 098", "g")))
	does(t, true)(w.Add(t.Context(), of("ann", "g"), "ann"))
	fails(t, message.ErrFull, "room is kept for the last one")(w.Add(t.Context(), of("ben", "g"), "ann"))
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
	inject := faults.New(t, 1, faults.Rates{})
	inject.KillBefore(2)
	g := message.Group{ID: "g", Members: crowd(100)}
	_, err := w.process(t, nil, inject.Wrap).Create(t.Context(), g, "ann")
	require.Error(t, err)
	meanwhile := func(_ string, _ []byte, n int) (none faults.Fault) {
		if n == 2 { // after the repeat's first request
			does(t, false)(w.Create(t.Context(), g, "ann"))
			does(t, true)(w.Leave(t.Context(), of("user 098", "g")))
		}
		return none
	}
	repeat := faults.New(t, 1, faults.Rates{})
	repeat.Script(meanwhile)
	does(t, false)(w.process(t, nil, repeat.Wrap).Create(t.Context(), g, "ann"))
	members := w.members(t, of("user 000", "g"))
	require.Len(t, members, 99)
	require.NotContains(t, members, "user 098")
}

func TestOnlyOneUserTakesTheLastPlace(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.create(t, "g", crowd(98)...)
	full := make([]bool, 6)
	err := parallel.ForEach(t.Context(), 6, 6, func(ctx context.Context, i int) error {
		_, err := []world{w, w.process(t, nil)}[i%2].Add(ctx, of(fmt.Sprint("guest ", i), "g"), "ann")
		if full[i] = err != nil; full[i] {
			require.ErrorIs(t, err, message.ErrFull)
		}
		return nil
	})
	require.NoError(t, err)
	slices.SortFunc(full, func(a, b bool) int { return map[bool]int{true: 1}[a] - map[bool]int{true: 1}[b] })
	require.Equal(t, []bool{false, false, true, true, true, true}, full)
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
		_, _, err := p.Send(t.Context(), w.says("g", "ann", "hello"))
		require.ErrorIs(t, err, message.ErrNotMember)
	}
	require.Equal(t, []int64{1}, w.history(t, of("ann", "g"), 10))
	_, err := w.process(t, nil).Add(t.Context(), of("ben", "g"), "ann")
	require.NoError(t, err)
	require.EqualValues(t, 2, w.send(t, "g", "ben").Seq)
}

func TestMembersOfAPairAreInItsName(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	require.Equal(t, []string{"ann", "ben"}, w.members(t, of("ben", pair)))
	_, err := w.Members(t.Context(), of("cleo", pair))
	require.ErrorIs(t, err, message.ErrNotMember)
	for _, call := range []func() (bool, error){
		func() (bool, error) { return w.Add(t.Context(), of("ann", pair), "ann") },
		func() (bool, error) { return w.Add(t.Context(), of("cleo", pair), "ann") },
		func() (bool, error) { return w.Leave(t.Context(), of("ann", pair)) },
	} {
		changed, err := call()
		require.Equal(t, "Conversation", field(t, err))
		require.False(t, changed)
	}
}

func TestCreateRefusesAnInvalidGroup(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for name, c := range map[string]struct {
		field string
		group message.Group
	}{
		"no id":        {"ID", message.Group{Members: crowd(1)}},
		"a pair's":     {"ID", message.Group{ID: pair, Members: crowd(1)}},
		"escaped":      {"ID", message.Group{ID: `a\`, Members: crowd(1)}},
		"long":         {"ID", message.Group{ID: strings.Repeat("a", 257), Members: crowd(1)}},
		"no members":   {"Members", message.Group{ID: "g"}},
		"too many":     {"Members", message.Group{ID: "g", Members: crowd(101)}},
		"no name":      {"Members[1]", message.Group{ID: "g", Members: []string{"ann", ""}}},
		"one is twice": {"Members[2]", message.Group{ID: "g", Members: []string{"ann", "ben", "ann"}}},
	} {
		created, err := w.Create(t.Context(), c.group, "ann")
		require.Equal(t, c.field, field(t, err), name)
		require.False(t, created)
	}
	fails(t, plaza.ErrInvalid)(w.Create(t.Context(), message.Group{ID: "g", Members: crowd(1)}, ""))
	fails(t, plaza.ErrInvalid)(w.Add(t.Context(), of("ann", "g"), ""))
	add := func(ctx context.Context, in message.In) (bool, error) { return w.Add(ctx, in, "ann") }
	for _, call := range []func(context.Context, message.In) (bool, error){add, w.Leave} {
		_, err := call(t.Context(), of("", "g"))
		require.ErrorIs(t, err, plaza.ErrInvalid)
		_, err = call(t.Context(), of("ann", ""))
		require.ErrorIs(t, err, plaza.ErrInvalid)
		_, err = call(t.Context(), of("ann", "no group"))
		require.ErrorIs(t, err, plaza.ErrNotFound)
	}
	_, err := w.Members(t.Context(), of("", "g"))
	require.ErrorIs(t, err, plaza.ErrInvalid)
	require.Empty(t, w.stored(t))
}

// Otherwise a change would begin a new list, without the others.
func TestAListOfMembersThatIsGoneIsDamage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.create(t, "g", "ann", "ben")
	require.NoError(t, w.raw(t).Delete("pk", "C#g").Range("sk", "M").Run(t.Context()))
	fails(t, plaza.ErrCorrupt)(w.Add(t.Context(), of("cleo", "g"), "ann"))
	w.create(t, "h", "ann", "ben")
	require.NoError(t, w.raw(t).Delete("pk", "C#h").Range("sk", "M").Run(t.Context()))
	fails(t, plaza.ErrCorrupt)(w.Leave(t.Context(), of("ben", "h")))
	require.Nil(t, w.item(t, "C#g", "M"))
	require.Nil(t, w.item(t, "C#h", "M"))
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
			require.NoError(t, w.raw(t).Delete("pk", "U#ann").Range("sk", "C#g").Run(t.Context()))
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
