package prefs_test

import (
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/notify/prefs"
)

// A caller gives up on a call, and makes others, here or in another process. Then the
// request of the first call arrives.
func TestALateRequestUndoesNothingThatFollowed(t *testing.T) {
	t.Parallel()
	type call = func(world, ctx) (bool, error)
	s := about("like", email)
	sets := func(on bool) call { return func(w world, ctx ctx) (bool, error) { return w.Set(ctx, s, on) } }
	unsets := func(w world, ctx ctx) (bool, error) { return w.Unset(ctx, s) }
	unsubscribes := func(w world, ctx ctx) (bool, error) {
		token, err := w.Token(s)
		if err != nil {
			return false, err
		}
		_, changed, err := w.Unsubscribe(ctx, token)
		return changed, err
	}
	setsAnother := func(w world, ctx ctx) (bool, error) { return w.Set(ctx, about("comment", push), true) }
	blocks := func(w world, ctx ctx) (bool, error) { return w.Block(ctx, bob) }
	unblocks := func(w world, ctx ctx) (bool, error) { return w.Unblock(ctx, bob) }
	mutes := func(w world, ctx ctx) (bool, error) { return w.Mute(ctx, mute) }
	unmutes := func(w world, ctx ctx) (bool, error) { return w.Unmute(ctx, mute) }

	for name, c := range map[string]struct {
		before []call
		late   call
		then   []call
	}{
		"on, then off":                            {nil, sets(true), []call{sets(false)}},
		"on, then nothing to remove":              {nil, sets(true), []call{unsets}},
		"on, repeated and removed":                {nil, sets(true), []call{sets(true), unsets}},
		"off, then on as it was":                  {[]call{sets(true)}, sets(false), []call{sets(true)}},
		"removed, then on as it was":              {[]call{sets(true)}, unsets, []call{sets(true)}},
		"unsubscribed, then on as it was":         {[]call{sets(true)}, unsubscribes, []call{sets(true)}},
		"on, then unsubscribed":                   {nil, sets(true), []call{unsubscribes}},
		"on, repeated, then another setting":      {nil, sets(true), []call{sets(true), setsAnother}},
		"blocked, then nothing to unblock":        {nil, blocks, []call{unblocks}},
		"blocked, repeated and unblocked":         {nil, blocks, []call{blocks, unblocks}},
		"blocked again, unblocked as it was":      {[]call{blocks, unblocks}, blocks, []call{unblocks}},
		"unblocked, then blocked as it was":       {[]call{blocks}, unblocks, []call{blocks}},
		"unblocked, repeated, then blocked again": {[]call{blocks}, unblocks, []call{unblocks, blocks}},
		"muted, then nothing to unmute":           {nil, mutes, []call{unmutes}},
		"unmuted, then muted as it was":           {[]call{mutes}, unmutes, []call{mutes}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			holding := new(atomic.Bool)
			late := &faults.Late{Holds: func(op string, _ []byte) bool { return op == "TransactWriteItems" && holding.Load() }}
			w := newWorld(t, nil, late.Wrap)
			for _, do := range c.before {
				w.changes(t, true, func(ctx ctx) (bool, error) { return do(w, ctx) })
			}
			holding.Store(true)
			_, err := c.late(w, t.Context())
			require.ErrorIs(t, err, plaza.ErrUnknownOutcome)
			holding.Store(false)
			other := w.process(t, nil)
			for i, do := range c.then {
				_, err := do([]world{w, other}[(i+len(c.then))%2], t.Context())
				require.NoError(t, err)
			}
			want := w.stored(t)
			require.Zero(t, late.Arrive(t))
			require.Equal(t, want, w.stored(t))
		})
	}
}

// The late request is the last of a call that was given up: what nobody undid stays.
func TestALateRequestThatNothingFollowsIsApplied(t *testing.T) {
	t.Parallel()
	holding := new(atomic.Bool)
	late := &faults.Late{Holds: func(op string, _ []byte) bool { return op == "TransactWriteItems" && holding.Load() }}
	w := newWorld(t, nil, late.Wrap)
	holding.Store(true)
	_, err := w.Set(t.Context(), about("like", email), true)
	require.ErrorIs(t, err, plaza.ErrUnknownOutcome)
	require.Equal(t, 1, late.Arrive(t), "of the attempts that the SDK made")
	require.Equal(t, map[prefs.Subscription]bool{about("like", email): true}, w.own(t))
}
