package reaction_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/feed/reaction"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// late keeps back the first n transactions of a process.
func late(n int) *faults.Late {
	return &faults.Late{Holds: func(op string, _ []byte) bool {
		if op != "TransactWriteItems" || n == 0 {
			return false
		}
		n--
		return true
	}}
}

// forEver is more often than the SDK repeats a request.
const forEver = 100

func of(kind string, id ids.ID) reaction.Reaction {
	return reaction.Reaction{User: "jack", Object: "photo", Kind: kind, ID: id}
}

// undo ends a reaction, and says whether that is to remove something.
func (w world) undo(t *testing.T, a reaction.Reaction, want bool) {
	t.Helper()
	removed, err := w.Unreact(t.Context(), of(a.Kind, a.ID))
	require.NoError(t, err)
	require.Equal(t, want, removed)
}

// TestWhatWasUndoneStaysUndone sends the request of a React so late that its
// caller has done, and undone, something else since.
func TestWhatWasUndoneStaysUndone(t *testing.T) {
	t.Parallel()
	again := func(t *testing.T, w world, a reaction.Reaction) {
		_, changed, err := w.React(t.Context(), a)
		require.NoError(t, err)
		require.True(t, changed)
	}
	for name, c := range map[string]struct {
		given bool // the caller's ID
		held  int
		then  func(t *testing.T, w world, a reaction.Reaction) reactions
	}{
		"repeated, and undone": {true, forEver, func(t *testing.T, w world, a reaction.Reaction) reactions {
			again(t, w, a)
			w.undo(t, of(a.Kind, 0), true)
			return reactions{}
		}},
		"repeated with the minted id, and undone": {false, forEver, func(t *testing.T, w world, a reaction.Reaction) reactions {
			again(t, w, a)
			w.undo(t, a, true)
			return reactions{}
		}},
		"repeated by the SDK, and undone": {false, 1, func(t *testing.T, w world, a reaction.Reaction) reactions {
			w.undo(t, of(a.Kind, 0), true)
			return reactions{}
		}},
		"undone at once, by its id": {true, forEver, func(t *testing.T, w world, a reaction.Reaction) reactions {
			w.undo(t, a, false)
			return reactions{}
		}},
		"repeated, and switched": {true, forEver, func(t *testing.T, w world, a reaction.Reaction) reactions {
			again(t, w, a)
			return standing(w.react(t, "jack", "photo", "love"))
		}},
		"repeated, switched, and undone": {true, forEver, func(t *testing.T, w world, a reaction.Reaction) reactions {
			again(t, w, a)
			w.react(t, "jack", "photo", "love")
			w.undo(t, of("love", 0), true)
			return reactions{}
		}},
		"repeated, undone, and another kind given": {true, forEver, func(t *testing.T, w world, a reaction.Reaction) reactions {
			again(t, w, a)
			w.undo(t, of(a.Kind, 0), true)
			return standing(w.react(t, "jack", "photo", "pin"))
		}},
		"repeated, and erased": {true, forEver, func(t *testing.T, w world, a reaction.Reaction) reactions {
			again(t, w, a)
			require.NoError(t, w.Erase(t.Context(), "jack"))
			require.NoError(t, w.EraseObject(t.Context(), "photo"))
			return reactions{}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, options(2))
			l := late(c.held)
			first := w.process(t, options(2), l.Wrap)
			a := of("like", 0)
			if c.given {
				a.ID = first.id(t)
			}
			a, _, err := first.React(t.Context(), a)
			if c.held == 1 {
				require.NoError(t, err)
			} else {
				require.ErrorIs(t, err, plaza.ErrUnknownOutcome)
			}
			left := c.then(t, w, a)

			require.Zero(t, l.Arrive(t))
			_, changed, err := w.React(t.Context(), of(a.Kind, a.ID))
			require.ErrorIs(t, err, plaza.ErrRemoved, "so is a plain repeat")
			require.False(t, changed)
			requireStored(t, w, left)
			requireSound(t, side{"jack", w.CheckUser, w.RepairUser}, side{"photo", w.Check, w.Repair})
		})
	}
}

// clock is a generator's whose time is off.
type clock struct {
	gen ids.Source
	off time.Duration
}

func (c clock) Next(ctx context.Context) (ids.ID, error) {
	id, err := c.gen.Next(ctx)
	return ids.At(id.Time().Add(c.off)) | (id - ids.At(id.Time())), err
}

func TestAClockThatIsBehindReactsAgain(t *testing.T) {
	t.Parallel()
	now := newWorld(t, options(8))
	behind := now.of(t, func(gen ids.Source) ids.Source { return clock{gen, -time.Hour} }, options(8))
	for range 10 {
		before := now.react(t, "jack", "photo", "like")
		now.react(t, "jack", "photo", "love")
		now.undo(t, of("love", 0), true)
		again := behind.react(t, "jack", "photo", "like")
		require.Equal(t, before.ID.Time().Add(time.Millisecond), again.ID.Time())
		requireStored(t, now, standing(again))
		now.undo(t, of("like", again.ID), true)
	}
	requireSound(t, side{"jack", now.CheckUser, now.RepairUser}, side{"photo", now.Check, now.Repair})
}

func TestIDsOfTheFutureAreRefused(t *testing.T) {
	t.Parallel()
	now := time.Now()
	in := faults.New(t, 1, faults.Rates{})
	opts := options(1)
	opts.Now = func() time.Time { return now }
	w := newWorld(t, opts, in.Wrap)
	_, _, err := w.React(t.Context(), of("pin", ids.At(now.Add(61*time.Second))))
	var invalid *plaza.InvalidError
	require.ErrorAs(t, err, &invalid)
	require.Equal(t, "ID", invalid.Field)
	require.Zero(t, in.Requests())
	_, err = w.Unreact(t.Context(), of("pin", ids.At(now.Add(61*time.Second))))
	require.ErrorAs(t, err, &invalid)
	require.Zero(t, in.Writes())
	_, changed, err := w.React(t.Context(), of("pin", ids.At(now.Add(time.Minute))))
	require.NoError(t, err)
	require.True(t, changed)
}

// TestGuardsExpireOnlyOnceTheirUserIsErased reads the expiry, and lets none
// remain on what stands.
func TestGuardsExpireOnlyOnceTheirUserIsErased(t *testing.T) {
	t.Parallel()
	now := time.Now()
	opts := options(1)
	opts.Now = func() time.Time { return now }
	w := newWorld(t, opts)
	guard := func() map[string]string { return scan(t, w)[[2]string{"U#jack", "photo"}] }
	like := w.react(t, "jack", "photo", "like")
	w.undo(t, like, true)
	require.Equal(t, like.ID.String(), guard()["ended#like"])
	require.NotContains(t, guard(), "ttl")
	require.NoError(t, w.Erase(t.Context(), "jack"))
	expiry := strconv.FormatInt(now.Add(30*24*time.Hour).Unix(), 10)
	require.Equal(t, expiry, guard()["ttl"])
	now = now.Add(time.Hour)
	require.NoError(t, w.Erase(t.Context(), "jack"))
	require.Equal(t, expiry, guard()["ttl"], "erasing again does not prolong it")
	pin := w.react(t, "jack", "photo", "pin")
	require.NotContains(t, guard(), "ttl")
	require.Equal(t, like.ID.String(), guard()["ended#like"])
	requireStored(t, w, standing(pin))
}

// TestASwitchAmongAsManyKindsAsThereMayBe fills what a guard and a counter hold.
func TestASwitchAmongAsManyKindsAsThereMayBe(t *testing.T) {
	t.Parallel()
	long := make([]string, 16)
	for i := range long {
		long[i] = fmt.Sprintf("%02d%s", i, strings.Repeat("é", 31))
	}
	ungrouped := &reaction.Options{Kinds: long, Consistent: true, Shards: func(string) int { return 3 }}
	grouped := &reaction.Options{Kinds: long, OneOf: [][]string{long}, Consistent: true, Shards: ungrouped.Shards}
	w := newWorld(t, ungrouped)
	var all []reaction.Reaction
	for _, kind := range long[:15] {
		all = append(all, w.react(t, "jack", "photo", kind))
	}
	requireStored(t, w, standing(all...))
	one := w.process(t, grouped).react(t, "jack", "photo", long[15])
	requireStored(t, w, standing(one))
	for _, a := range all {
		_, _, err := w.React(t.Context(), a)
		require.ErrorIs(t, err, plaza.ErrRemoved)
	}
	for _, s := range []side{{"jack", w.CheckUser, w.RepairUser}, {"photo", w.Check, w.Repair}} {
		requireSound(t, s)
	}
}
