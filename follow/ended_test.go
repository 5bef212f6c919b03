package follow_test

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/follow"
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

// jack follows chris.
var jack = follow.Edge{Follower: "jack", Followee: "chris"}

// TestWhatWasUnfollowedStaysSo sends the request of a Follow so late that its
// caller has done, and undone, something else since.
func TestWhatWasUnfollowedStaysSo(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		given bool // the caller's ID
		held  int
		then  func(t *testing.T, w world, e follow.Edge)
	}{
		"repeated with its id, and undone": {true, forEver, func(t *testing.T, w world, e follow.Edge) {
			_, created, err := w.Follow(t.Context(), e)
			require.NoError(t, err)
			require.True(t, created)
			w.undo(t, jack, true)
		}},
		"repeated with the minted id, and undone": {false, forEver, func(t *testing.T, w world, e follow.Edge) {
			_, created, err := w.Follow(t.Context(), e)
			require.NoError(t, err)
			require.True(t, created)
			w.undo(t, e, true)
		}},
		"repeated by the SDK with the minted id, and undone": {false, 1, func(t *testing.T, w world, _ follow.Edge) {
			w.undo(t, jack, true)
		}},
		"repeated by the SDK with its id, and undone": {true, 1, func(t *testing.T, w world, _ follow.Edge) {
			w.undo(t, jack, true)
		}},
		"undone at once, by its id": {true, forEver, func(t *testing.T, w world, e follow.Edge) {
			w.undo(t, e, false)
			w.undo(t, e, false)
		}},
		"undone at once, by the minted id": {false, forEver, func(t *testing.T, w world, e follow.Edge) {
			w.undo(t, e, false)
		}},
		"undone at once, by its id, after another was": {true, forEver, func(t *testing.T, w world, e follow.Edge) {
			w.undo(t, follow.Edge{Follower: "jack", Followee: "chris", ID: e.ID - 1}, false)
			w.undo(t, e, false)
		}},
		"undone, and followed and undone again": {true, forEver, func(t *testing.T, w world, e follow.Edge) {
			w.undo(t, e, false)
			again := w.follow(t, "jack", "chris")
			w.undo(t, again, true)
		}},
		"followed and undone by another process, with a later id": {true, forEver, func(t *testing.T, w world, _ follow.Edge) {
			w.follow(t, "jack", "chris")
			w.undo(t, jack, true)
		}},
		"repeated, undone and erased": {true, forEver, func(t *testing.T, w world, e follow.Edge) {
			_, _, err := w.Follow(t.Context(), e)
			require.NoError(t, err)
			require.NoError(t, w.Erase(t.Context(), "jack"))
			require.NoError(t, w.Erase(t.Context(), "chris"))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, sharded(2))
			l := late(c.held)
			first := w.process(t, sharded(2), l.Wrap)
			e := jack
			if c.given {
				e.ID = first.id(t)
			}
			e, _, err := first.Follow(t.Context(), e)
			if c.held == 1 {
				require.NoError(t, err)
			} else {
				require.ErrorIs(t, err, plaza.ErrUnknownOutcome)
			}
			c.then(t, w, e)

			require.Zero(t, l.Arrive(t))
			_, created, err := w.Follow(t.Context(), follow.Edge{Follower: "jack", Followee: "chris", ID: e.ID})
			require.ErrorIs(t, err, plaza.ErrRemoved, "so is a plain repeat")
			require.False(t, created)
			w.holds(t, graph{}, "jack", "chris")
			requireStored(t, w, nil)
			requireSound(t, w, "jack", "chris")
		})
	}
}

// undo unfollows, and says whether that is to remove something.
func (w world) undo(t *testing.T, e follow.Edge, want bool) {
	t.Helper()
	removed, err := w.Unfollow(t.Context(), follow.Edge{Follower: e.Follower, Followee: e.Followee, ID: e.ID})
	require.NoError(t, err)
	require.Equal(t, want, removed)
}

// TestALateUnfollowEndsNothingLater sends one so late that others have followed
// again.
func TestALateUnfollowEndsNothingLater(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	old := w.follow(t, "jack", "chris")
	l := late(forEver)
	_, err := w.process(t, nil, l.Wrap).Unfollow(t.Context(), old)
	require.ErrorIs(t, err, plaza.ErrUnknownOutcome)
	w.undo(t, old, true)
	again := w.follow(t, "jack", "chris")
	require.Zero(t, l.Arrive(t))
	requireStored(t, w, []follow.Edge{again})
}

// TestAnUnfollowMeetsTheFollowThatItCameBefore lets the Follow arrive just
// before Unfollow remembers its id.
func TestAnUnfollowMeetsTheFollowThatItCameBefore(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	e := jack
	e.ID = w.id(t)
	arrived := false
	meeting := w.watched(t, nil, func(op string, _ []byte) {
		if op == "UpdateItem" && !arrived {
			arrived = true
			_, _, err := w.Follow(t.Context(), e)
			require.NoError(t, err)
		}
	})
	removed, err := meeting.Unfollow(t.Context(), e)
	require.NoError(t, err)
	require.True(t, arrived)
	require.True(t, removed)
	requireStored(t, w, nil)
	_, _, err = w.Follow(t.Context(), e)
	require.ErrorIs(t, err, plaza.ErrRemoved)
}

// clock is a generator's whose time is off.
type clock struct {
	gen ids.Source
	off time.Duration
}

func (c clock) Next(ctx context.Context) (ids.ID, error) {
	id, err := c.gen.Next(ctx)
	at := ids.At(id.Time())
	return ids.At(id.Time().Add(c.off)) | (id - at), err
}

// TestAClockThatIsBehindFollowsAgain gives a minted id the place behind the
// ended one, and its shard.
func TestAClockThatIsBehindFollowsAgain(t *testing.T) {
	t.Parallel()
	const shards = 8
	now := newWorld(t, sharded(shards))
	behind := now.clocked(t, sharded(shards), -time.Hour)
	var stand []follow.Edge
	for range 8 {
		before := now.follow(t, "jack", "chris")
		now.undo(t, jack, true)
		again := behind.follow(t, "jack", "chris")
		require.Equal(t, before.ID.Time().Add(time.Millisecond), again.ID.Time())
		stand = []follow.Edge{again}
		requireStored(t, now, stand)
		h := fnv.New64a()
		h.Write([]byte(again.ID.String()))
		shard := cmp.Or(scan(t, now)[[2]string{"E#jack", "chris"}]["shard"], "0")
		require.Equal(t, fmt.Sprint(h.Sum64()%shards), shard)

		same, created, err := behind.Follow(t.Context(), again)
		require.NoError(t, err)
		require.True(t, created)
		require.Equal(t, again, same)
		now.undo(t, jack, true)
		_, _, err = now.Follow(t.Context(), again)
		require.ErrorIs(t, err, plaza.ErrRemoved)
	}

	// Each follow that ended is a millisecond later, however often.
	for range 5 {
		e := behind.follow(t, "jack", "chris")
		require.Greater(t, e.ID, stand[0].ID)
		stand[0] = e
		behind.undo(t, jack, true)
	}
	requireSound(t, now, "jack", "chris")
}

// clocked is a process whose clock is off.
func (w world) clocked(t testing.TB, opts *follow.Options, off time.Duration, wrap ...wrapper) world {
	t.Helper()
	return w.of(t, func(gen ids.Source) ids.Source { return clock{gen, off} }, opts, wrap...)
}

// TestAMintedIDThatIsTakenIsPassedOver has two edges whose ids are moved to one
// millisecond, where they would be the same.
func TestAMintedIDThatIsTakenIsPassedOver(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	at := ids.At(w.id(t).Time().Add(-time.Second))
	for i, followee := range []string{"anna", "chris", "zoe"} {
		w.undo(t, follow.Edge{Follower: "jack", Followee: followee, ID: at + ids.ID(i)}, false)
	}
	same := w.of(t, func(ids.Source) ids.Source { return fixed(at - 1) }, nil)
	stand := []follow.Edge{same.follow(t, "jack", "anna"), same.follow(t, "jack", "chris"), same.follow(t, "jack", "zoe")}
	requireStored(t, w, stand)
	requireSound(t, w, "jack", "anna", "chris", "zoe")
}

type fixed ids.ID

func (f fixed) Next(context.Context) (ids.ID, error) { return ids.ID(f), nil }

func TestLateFollowsOfWrongClocksStayUndone(t *testing.T) {
	t.Parallel()
	for name, off := range map[string]time.Duration{"behind": -time.Hour, "ahead": time.Hour} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.follow(t, "jack", "chris")
			w.undo(t, jack, true)
			// The first is refused, and then given a later id, by a clock that is
			// behind.
			held := 0
			l := &faults.Late{Holds: func(op string, _ []byte) bool {
				if op == "TransactWriteItems" {
					held++
				}
				return held > 0 && (off > 0 || held > 1)
			}}
			e, _, err := w.clocked(t, nil, off, l.Wrap).Follow(t.Context(), jack)
			require.ErrorIs(t, err, plaza.ErrUnknownOutcome)
			then := w.clocked(t, &follow.Options{Consistent: true, Now: func() time.Time { return time.Now().Add(off) }}, off)
			if off < 0 {
				then = w
			}
			_, created, err := then.Follow(t.Context(), e)
			require.NoError(t, err)
			require.True(t, created)
			w.undo(t, jack, true)
			require.Zero(t, l.Arrive(t))
			requireStored(t, w, nil)
		})
	}
}

func TestIDsOfTheFutureAreRefused(t *testing.T) {
	t.Parallel()
	now := time.Now()
	in := faults.New(t, 1, faults.Rates{})
	w := newWorld(t, &follow.Options{Now: func() time.Time { return now }}, in.Wrap)
	at := func(ahead time.Duration) follow.Edge {
		return follow.Edge{Follower: "jack", Followee: "chris", ID: ids.At(now.Add(ahead))}
	}
	field := func(err error) string {
		var invalid *plaza.InvalidError
		require.ErrorAs(t, err, &invalid)
		return invalid.Field
	}
	_, _, err := w.Follow(t.Context(), at(61*time.Second))
	require.Equal(t, "ID", field(err))
	require.Zero(t, in.Requests())
	_, err = w.Unfollow(t.Context(), at(61*time.Second))
	require.Equal(t, "ID", field(err))
	result, err := w.Import(t.Context(), "old", sequence([]follow.Edge{at(0), at(61 * time.Second)}), nil)
	require.Equal(t, "Edges[1].ID", field(err))
	require.Zero(t, result)
	_, created, err := w.Follow(t.Context(), at(time.Minute))
	require.NoError(t, err)
	require.True(t, created)

	// What stands ends, whatever made it.
	ahead := follow.Options{Now: func() time.Time { return now.Add(time.Hour) }}
	_, _, err = w.process(t, &ahead).Follow(t.Context(), follow.Edge{Follower: "jack", Followee: "anna", ID: ids.At(now.Add(time.Hour))})
	require.NoError(t, err)
	removed, err := w.Unfollow(t.Context(), follow.Edge{Follower: "jack", Followee: "anna", ID: ids.At(now.Add(time.Hour))})
	require.NoError(t, err)
	require.True(t, removed)
}

func TestLastTellsOfWhatStandsOrEnded(t *testing.T) {
	t.Parallel()
	lagging := faults.New(t, 1, faults.Rates{Stale: 1})
	w := newWorld(t, &follow.Options{}, lagging.Wrap)
	last := func(wantStands bool, want ids.ID) {
		t.Helper()
		e, stands, err := w.Last(t.Context(), jack)
		require.NoError(t, err)
		require.Equal(t, wantStands, stands)
		require.Equal(t, bare{"jack", "chris", want}, see(e))
	}
	_, _, err := w.Last(t.Context(), jack)
	require.ErrorIs(t, err, plaza.ErrNotFound)
	_, _, err = w.Last(t.Context(), follow.Edge{Follower: "jack"})
	require.ErrorIs(t, err, plaza.ErrInvalid)

	e := w.follow(t, "jack", "chris")
	last(true, e.ID)
	w.undo(t, jack, true)
	last(false, e.ID)
	unused := jack
	unused.ID = w.id(t)
	w.undo(t, unused, false)
	last(false, unused.ID)
	e = w.follow(t, "jack", "chris")
	last(true, e.ID)
}

// TestWhatHasEndedIsForgottenAfterThirtyDays reads the expiry, and lets none
// remain on what stands.
func TestWhatHasEndedIsForgottenAfterThirtyDays(t *testing.T) {
	t.Parallel()
	now := time.Now()
	w := newWorld(t, &follow.Options{Now: func() time.Time { return now }})
	guard := func() map[string]string { return scan(t, w)[[2]string{"E#jack", "chris"}] }
	want := func(ended ids.ID) map[string]string {
		return map[string]string{"pk": "E#jack", "sk": "chris", "ended": ended.String(), "ttl": strconv.FormatInt(now.Add(30*24*time.Hour).Unix(), 10)}
	}
	e := w.follow(t, "jack", "chris")
	require.NotContains(t, guard(), "ttl")
	w.undo(t, jack, true)
	require.Equal(t, want(e.ID), guard())
	now = now.Add(time.Hour)
	unused := jack
	unused.ID = w.id(t)
	w.undo(t, unused, false)
	require.Equal(t, want(unused.ID), guard())
	w.follow(t, "jack", "chris")
	require.NotContains(t, guard(), "ttl")
	require.NotContains(t, guard(), "ended")
}

func TestImportLeavesOutWhatHasEnded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sharded(2))
	earlier := w.id(t)
	ended := w.follow(t, "ann", "bob")
	w.undo(t, ended, true)
	before, after, minted := ended, ended, follow.Edge{Follower: "ann", Followee: "dan"}
	before.ID = earlier
	after.ID = w.id(t)
	past := w.follow(t, "ann", "dan")
	w.undo(t, past, true)
	other := follow.Edge{Follower: "ann", Followee: "cat"}
	for name, e := range map[string]follow.Edge{"of the same id": ended, "of an earlier id": before} {
		result, err := w.Import(t.Context(), name, sequence([]follow.Edge{e, other}), nil)
		require.NoError(t, err)
		require.EqualValues(t, 1, result.Ended, name)
		require.EqualValues(t, 2, result.Edges, name)
		again, err := w.Import(t.Context(), name, sequence([]follow.Edge{e, other}), nil)
		require.NoError(t, err)
		again.Resumed = 0
		require.Equal(t, result, again)
	}
	requireStored(t, w, []follow.Edge{other})
	result, err := w.Import(t.Context(), "of later ids", sequence([]follow.Edge{after, minted}), nil)
	require.NoError(t, err)
	require.Equal(t, follow.ImportResult{Edges: 2, Created: 2, Windows: 1}, result)
	requireStored(t, w, []follow.Edge{other, after, minted})
	requireSound(t, w, "ann", "bob", "cat", "dan")
}
