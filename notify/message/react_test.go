package message_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/notify/message"
)

func TestReactionsAreShownWithTheirMessage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	const dotted = `d.o#t\s`
	w.create(t, "g", "ann", "ben", dotted)
	w.send(t, "g", "ann", "ben")
	shows := func(want map[string][]string) {
		t.Helper()
		m := w.message(t, of("ben", "g"), 2)
		require.Equal(t, want, m.Reactions)
		require.Equal(t, m, w.inbox(t, "ann")[0].Last)
	}
	shows(nil)
	for _, step := range []struct {
		user, kind string
		changed    bool
		want       map[string][]string
	}{
		{"ben", "like", true, map[string][]string{"like": {"ben"}}},
		{"ben", "like", false, map[string][]string{"like": {"ben"}}},
		{"ann", "like", true, map[string][]string{"like": {"ann", "ben"}}},
		{dotted, "love", true, map[string][]string{"like": {"ann", "ben"}, "love": {dotted}}},
		{"ben", "love", true, map[string][]string{"like": {"ann"}, "love": {"ben", dotted}}},
		{"ann", "", true, map[string][]string{"love": {"ben", dotted}}},
		{"ann", "", false, map[string][]string{"love": {"ben", dotted}}},
	} {
		if step.kind == "" {
			does(t, step.changed)(w.Unreact(t.Context(), of(step.user, "g"), 2))
		} else {
			does(t, step.changed)(w.React(t.Context(), of(step.user, "g"), 2, step.kind))
		}
		shows(step.want)
	}
	_, _, err := w.Edit(t.Context(), message.Message{Conversation: "g", Sender: "ben", Seq: 2, Text: "edited"})
	require.NoError(t, err)
	shows(map[string][]string{"love": {"ben", dotted}})
	does(t, true)(w.Recall(t.Context(), of("ben", "g"), 2))
	shows(nil)
	fails(t, plaza.ErrRemoved)(w.React(t.Context(), of("ann", "g"), 2, "like"))
	fails(t, plaza.ErrRemoved)(w.Unreact(t.Context(), of("ben", "g"), 2))
	fails(t, plaza.ErrNotFound)(w.React(t.Context(), of("ann", "g"), 3, "like"))
	does(t, true)(w.Leave(t.Context(), of("ann", "g")))
	fails(t, message.ErrNotMember)(w.React(t.Context(), of("ann", "g"), 1, "like"))
	require.Nil(t, w.item(t, "C#g#0", seqSK(2))["reactions"])
}

func TestABlockedPairDoesNotReact(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.send(t, pair, "ann")
	w.blocks(t, "ann", "ben", true, true)
	fails(t, message.ErrBlocked)(w.React(t.Context(), of("ben", pair), 1, "like"))
}

func TestAReactionWhoseAnswerIsLostIsOne(t *testing.T) {
	t.Parallel()
	inject := faults.New(t, 1, faults.Rates{})
	w := newWorld(t, nil)
	w.send(t, pair, "ann")
	lost := false
	inject.Script(func(op string, _ []byte, _ int) faults.Fault {
		if op != "UpdateItem" || lost {
			return faults.Fault{}
		}
		lost = true
		return faults.Fault{Kind: faults.LostAfter}
	})
	does(t, true)(w.process(t, nil, inject.Wrap).React(t.Context(), of("ben", pair), 1, "like"))
	require.True(t, lost)
	does(t, false)(w.React(t.Context(), of("ben", pair), 1, "like"))
}

// Many react at once, in two processes.
func TestReactionsAtOnceAreAllKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	members := crowd(12)
	w.create(t, "g", members...)
	w.send(t, "g", members[0])
	processes := []world{w, w.process(t, nil)}
	require.NoError(t, parallel.ForEach(t.Context(), len(members), 4, func(ctx context.Context, i int) error {
		changed, err := processes[i%2].React(ctx, of(members[i], "g"), 1, "like")
		if err == nil && !changed {
			err = fmt.Errorf("%s changed nothing", members[i])
		}
		return err
	}))
	require.Equal(t, map[string][]string{"like": members}, w.message(t, of(members[0], "g"), 1).Reactions)
}

// The request of an earlier call arrives after the user took the reaction back, or the message is
// recalled.
func TestALateReactionChangesNothing(t *testing.T) {
	t.Parallel()
	ben := of("ben", pair)
	likes := func(t *testing.T, w world) error { return failed(w.React(t.Context(), ben, 1, "like")) }
	loves := func(t *testing.T, w world) error { return failed(w.React(t.Context(), ben, 1, "love")) }
	takesBack := func(t *testing.T, w world) error { return failed(w.Unreact(t.Context(), ben, 1)) }
	recalls := func(t *testing.T, w world) error { return failed(w.Recall(t.Context(), of("ann", pair), 1)) }
	type call = func(*testing.T, world) error
	for name, c := range map[string]struct {
		before []call
		late   call
		then   []call
	}{
		"repeated, taken back":      {nil, likes, []call{likes, takesBack}},
		"back and again":            {[]call{likes}, takesBack, []call{takesBack, likes}},
		"another kind and back":     {[]call{likes}, loves, []call{loves, likes}},
		"recalled":                  {nil, likes, []call{recalls}},
		"recalled after a reaction": {[]call{likes}, loves, []call{recalls}},
	} {
		holding := new(atomic.Bool)
		late := &faults.Late{Holds: func(op string, _ []byte) bool { return op == "UpdateItem" && holding.Load() }}
		w := newWorld(t, nil, late.Wrap)
		w.send(t, pair, "ann")
		for _, do := range c.before {
			require.NoError(t, do(t, w), name)
		}
		holding.Store(true)
		require.ErrorIs(t, c.late(t, w), plaza.ErrUnknownOutcome, name)
		holding.Store(false)
		for _, do := range c.then {
			require.NoError(t, do(t, w.process(t, nil)), name)
		}
		want := w.stored(t)
		require.Zero(t, late.Arrive(t), name)
		require.ElementsMatch(t, want, w.stored(t), name)
	}
}
