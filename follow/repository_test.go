package follow_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/edge/edgetest"
	"github.com/plaza-sdk/plaza/internal/faults"
)

var jackFollowsChris = follow.Edge{Follower: "jack", Followee: "chris"}

func TestLastReadsTheStandingOrEndedEdge(t *testing.T) {
	t.Parallel()
	lagging := faults.New(t, 1, faults.Rates{Stale: 1})
	w := newWorld(t, &follow.Options{}, lagging.Wrap)
	last := func(wantStands bool, want ids.ID) {
		t.Helper()
		e, stands, err := w.Last(t.Context(), jackFollowsChris)
		require.NoError(t, err)
		require.Equal(t, wantStands, stands)
		require.Equal(t, edgetest.Edge{Tail: "jack", Head: "chris", ID: want}, see(e))
	}
	_, _, err := w.Last(t.Context(), jackFollowsChris)
	require.ErrorIs(t, err, plaza.ErrNotFound)
	_, _, err = w.Last(t.Context(), follow.Edge{Follower: "jack"})
	require.ErrorIs(t, err, plaza.ErrInvalid)

	e := w.follow(t, "jack", "chris")
	last(true, e.ID)
	w.unfollow(t, jackFollowsChris, true)
	last(false, e.ID)
	unused := jackFollowsChris
	unused.ID = w.id(t)
	w.unfollow(t, unused, false)
	last(false, unused.ID)
	e = w.follow(t, "jack", "chris")
	last(true, e.ID)
}

// Standing edges have no expiry.
func TestEndedEdgesAreForgottenAfterThirtyDays(t *testing.T) {
	t.Parallel()
	now := time.Now()
	w := newWorld(t, &follow.Options{Now: func() time.Time { return now }})
	guard := func() map[string]string { return scan(t, w)[[2]string{"E#jack", "chris"}] }
	want := func(ended ids.ID) map[string]string {
		return map[string]string{"pk": "E#jack", "sk": "chris", "ended": ended.String(), "ttl": strconv.FormatInt(now.Add(30*24*time.Hour).Unix(), 10)}
	}
	e := w.follow(t, "jack", "chris")
	require.NotContains(t, guard(), "ttl")
	w.unfollow(t, jackFollowsChris, true)
	require.Equal(t, want(e.ID), guard())
	now = now.Add(time.Hour)
	unused := jackFollowsChris
	unused.ID = w.id(t)
	w.unfollow(t, unused, false)
	require.Equal(t, want(unused.ID), guard())
	w.follow(t, "jack", "chris")
	require.NotContains(t, guard(), "ttl")
	require.NotContains(t, guard(), "ended")
}
