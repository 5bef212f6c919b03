package follow_test

import (
	"context"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/edge/edgetest"
	"github.com/plaza-sdk/plaza/internal/faults"
)

func TestBadInputIsRefusedWithoutARequest(t *testing.T) {
	t.Parallel()
	in := faults.New(t, 1, faults.Rates{})
	w := newWorld(t, nil, in.Wrap)
	shards := func(n int) world { return w.process(t, sharded(n), in.Wrap) }
	edge := map[string]func(context.Context, world, follow.Edge) error{
		"Follow": func(ctx context.Context, w world, e follow.Edge) error {
			_, created, err := w.Follow(ctx, e)
			require.False(t, created)
			return err
		},
		"Unfollow": func(ctx context.Context, w world, e follow.Edge) error { _, err := w.Unfollow(ctx, e); return err },
		"Get":      func(ctx context.Context, w world, e follow.Edge) error { _, err := w.Get(ctx, e); return err },
	}
	user := map[string]struct {
		field string
		call  func(ctx context.Context, user string) error
	}{
		"Followers": {"User", func(ctx context.Context, user string) error {
			_, err := w.Followers(ctx, user, cursor.PageRequest{})
			return err
		}},
		"Following": {"User", func(ctx context.Context, user string) error {
			_, err := w.Following(ctx, user, cursor.PageRequest{})
			return err
		}},
		"Walk": {"Followee", func(ctx context.Context, user string) error {
			_, err := w.Walk(ctx, user, cursor.PageRequest{})
			return err
		}},
		"Counts": {"User", func(ctx context.Context, user string) error { _, err := w.Counts(ctx, user); return err }},
		"CountsMany": {"Users[1]", func(ctx context.Context, user string) error {
			_, err := w.CountsMany(ctx, []string{"a", user})
			return err
		}},
		"Relations of": {"Viewer", func(ctx context.Context, user string) error {
			_, err := w.Relations(ctx, user, []string{"a"})
			return err
		}},
		"Relations to": {"Others[2]", func(ctx context.Context, user string) error {
			_, err := w.Relations(ctx, "a", []string{"b", "c", user})
			return err
		}},
	}
	refused := func(name, field string, err error) {
		t.Helper()
		var invalid *plaza.InvalidError
		require.ErrorAs(t, err, &invalid, name)
		require.ErrorIs(t, err, plaza.ErrInvalid, name)
		require.Equal(t, field, invalid.Field, name)
	}

	for _, bad := range []string{"", strings.Repeat("x", 257), "a\xff", "\xed\xa0\x80"} {
		for name, call := range edge {
			refused(name, "Follower", call(t.Context(), w, follow.Edge{Follower: bad, Followee: "a"}))
			refused(name, "Followee", call(t.Context(), w, follow.Edge{Follower: "a", Followee: bad}))
		}
		for name, c := range user {
			refused(name, c.field, c.call(t.Context(), bad))
		}
	}
	for name, call := range edge {
		refused(name, "Followee", call(t.Context(), w, follow.Edge{Follower: "a", Followee: "a"}))
		refused(name, "ID", call(t.Context(), w, follow.Edge{Follower: "a", Followee: "b", ID: 1 << 63}))
	}
	for _, n := range []int{-1, 0, follow.MaxShards + 1} {
		refused("Follow", "Options.Shards", edge["Follow"](t.Context(), shards(n), follow.Edge{Follower: "a", Followee: "b"}))
	}

	many := strings.Split(strings.Repeat("x", 101), "")
	_, err := w.CountsMany(t.Context(), many)
	refused("CountsMany", "Users", err)
	_, err = w.Relations(t.Context(), "a", many)
	refused("Relations", "Others", err)
	for name, list := range map[string]lister{"Followers": w.Followers, "Following": w.Following, "Walk": w.Walk} {
		_, err := list(t.Context(), "a", cursor.PageRequest{Limit: -1})
		refused(name, "Limit", err)
		_, err = list(t.Context(), "a", cursor.PageRequest{Cursor: "no cursor"})
		refused(name, "Cursor", err)
		require.ErrorIs(t, err, cursor.ErrInvalid, name)
	}
	require.Zero(t, in.Requests())
}

func TestNewRefusesMissingArguments(t *testing.T) {
	t.Parallel()
	db, gen := dynamo.NewFromIface(nil), edgetest.Generator(t)
	for field, c := range map[string]struct {
		db    *dynamo.DB
		table string
		gen   ids.Source
	}{
		"db":    {nil, "follow", gen},
		"table": {db, "", gen},
		"gen":   {db, "follow", nil},
	} {
		r, err := follow.New(c.db, c.table, c.gen, nil)
		var invalid *plaza.InvalidError
		require.ErrorAs(t, err, &invalid)
		require.Equal(t, field, invalid.Field)
		require.Nil(t, r)
	}
	r, err := follow.New(db, "follow", gen, nil)
	require.NoError(t, err)
	require.NotNil(t, r)
}

func TestTableIsBilledByRequest(t *testing.T) {
	t.Parallel()
	in := follow.Table("follow")
	require.Equal(t, "follow", *in.TableName)
	require.Equal(t, types.BillingModePayPerRequest, in.BillingMode)
}

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
