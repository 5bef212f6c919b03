package follow_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
)

func TestFollowTwiceIsOneEdge(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	first, created, err := w.Follow(t.Context(), follow.Edge{Follower: "jack", Followee: "chris"})
	require.NoError(t, err)
	require.True(t, created)
	require.NotZero(t, first.ID)

	for name, c := range map[string]struct {
		id      ids.ID
		created bool
	}{
		"without an id": {0, false},
		"its own id":    {first.ID, true},
		"another id":    {w.id(t), false},
	} {
		again, created, err := w.Follow(t.Context(), follow.Edge{Follower: "jack", Followee: "chris", ID: c.id})
		require.NoError(t, err, name)
		require.Equal(t, c.created, created, name)
		require.Equal(t, first, again, name)
	}
	w.holds(t, graph{{"jack", "chris"}: first.ID}, "jack", "chris")
}

func TestUnfollowTwiceRemovesOnce(t *testing.T) {
	t.Parallel()
	for name, edge := range map[string]func(follow.Edge) follow.Edge{
		"by the users":        func(follow.Edge) follow.Edge { return follow.Edge{Follower: "jack", Followee: "chris"} },
		"by the users and id": func(e follow.Edge) follow.Edge { return follow.Edge{Follower: "jack", Followee: "chris", ID: e.ID} },
		"by the edge":         func(e follow.Edge) follow.Edge { return e },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			e := edge(w.follow(t, "jack", "chris"))
			for _, want := range []bool{true, false} {
				removed, err := w.Unfollow(t.Context(), e)
				require.NoError(t, err)
				require.Equal(t, want, removed)
				w.holds(t, graph{}, "jack", "chris")
			}
		})
	}
}

func TestUnfollowByIDRemovesOnlyThatEdge(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	old := w.follow(t, "jack", "chris")
	removed, err := w.Unfollow(t.Context(), old)
	require.NoError(t, err)
	require.True(t, removed)
	refollowed := w.follow(t, "jack", "chris")

	for name, e := range map[string]follow.Edge{
		"the old edge": old,
		"its id":       {Follower: "jack", Followee: "chris", ID: old.ID},
		"an unused id": {Follower: "jack", Followee: "chris", ID: w.id(t)},
	} {
		removed, err := w.Unfollow(t.Context(), e)
		require.NoError(t, err, name)
		require.False(t, removed, name)
	}
	w.holds(t, graph{{"jack", "chris"}: refollowed.ID}, "jack", "chris")
}

func TestAnUnfollowedIDNeverFollowsAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	earlier := w.id(t)
	first := w.follow(t, "jack", "chris")
	_, err := w.Unfollow(t.Context(), first)
	require.NoError(t, err)
	for _, shards := range []int{1, follow.MaxShards} {
		for _, id := range []ids.ID{first.ID, earlier} {
			_, created, err := w.process(t, sharded(shards)).Follow(t.Context(), follow.Edge{Follower: "jack", Followee: "chris", ID: id})
			require.ErrorIs(t, err, plaza.ErrRemoved)
			require.False(t, created)
			w.holds(t, graph{}, "jack", "chris")
		}
	}

	again := w.follow(t, "jack", "chris")
	require.Greater(t, again.ID, first.ID)
	standing, created, err := w.Follow(t.Context(), first)
	require.NoError(t, err)
	require.False(t, created)
	require.Equal(t, again, standing)
	w.holds(t, graph{{"jack", "chris"}: again.ID}, "jack", "chris")
	requireStored(t, w, []follow.Edge{again})
}

func TestAnIDOfAnotherEdgeIsAConflict(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	e := w.follow(t, "jack", "chris")
	for name, other := range map[string]follow.Edge{
		"of the follower": {Follower: "jack", Followee: "anna"},
		"of the followee": {Follower: "anna", Followee: "chris"},
	} {
		other.ID = e.ID
		_, created, err := w.Follow(t.Context(), other)
		require.ErrorIs(t, err, plaza.ErrConflict, name)
		require.False(t, created, name)
	}
	w.holds(t, graph{{"jack", "chris"}: e.ID}, "jack", "chris", "anna")

	reverse, created, err := w.Follow(t.Context(), follow.Edge{Follower: "chris", Followee: "jack", ID: e.ID})
	require.NoError(t, err)
	require.True(t, created, "their lists hold no such id")
	w.holds(t, graph{{"jack", "chris"}: e.ID, {"chris", "jack"}: reverse.ID}, "jack", "chris")
}

func TestARepeatThatMeetsItsOwnFirstAttemptIsNoConflict(t *testing.T) {
	t.Parallel()
	in := faults.New(t, 1, faults.Rates{})
	w := newWorld(t, nil, in.Wrap)
	// The first attempt is half applied: its guard is still locked.
	in.Script(func(op string, _ []byte, n int) faults.Fault {
		if n == 1 {
			return faults.Fault{Kind: faults.Conflict, Reasons: []string{
				"TransactionConflict", "ConditionalCheckFailed", "ConditionalCheckFailed", "TransactionConflict", "None",
			}}
		}
		return faults.Fault{}
	})
	e := follow.Edge{Follower: "jack", Followee: "chris", ID: w.id(t)}
	_, created, err := w.Follow(t.Context(), e)
	require.NoError(t, err)
	require.True(t, created)
	w.holds(t, graph{{"jack", "chris"}: e.ID}, "jack", "chris")
}

func TestGetOfNothingIsNotFound(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	e := w.follow(t, "jack", "chris")
	got, err := w.Get(t.Context(), follow.Edge{Follower: "jack", Followee: "chris"})
	require.NoError(t, err)
	require.Equal(t, e, got)
	_, err = w.Get(t.Context(), follow.Edge{Follower: "chris", Followee: "jack"})
	require.ErrorIs(t, err, plaza.ErrNotFound)
}

func TestNamesNeverShareAKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sharded(2))
	users := []string{
		"a_b", "c", "a", "b_c", "a#0", "a#1", `a\`, `a\#0`, "#", `\`, `\\`, "0", "E#a", "\u00e9", "e\u0301",
		"用户", " ", "A", strings.Repeat("x", 256), strings.Repeat("x", 255) + "#",
	}
	g := graph{}
	for i, follower := range users {
		for _, followee := range []string{users[(i+1)%len(users)], users[(i+3)%len(users)]} {
			g[pair{follower, followee}] = w.follow(t, follower, followee).ID
		}
	}
	w.holds(t, g, users...)
	for p, id := range g {
		if p.follower < p.followee {
			removed, err := w.Unfollow(t.Context(), follow.Edge{Follower: p.follower, Followee: p.followee, ID: id})
			require.NoError(t, err)
			require.True(t, removed)
			delete(g, p)
		}
	}
	w.holds(t, g, users...)
}

func TestBadInputIsRefusedUnsent(t *testing.T) {
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

func TestNewRefusesWhatIsMissing(t *testing.T) {
	t.Parallel()
	db, gen := dynamo.NewFromIface(nil), generator(t)
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

type noIDs struct{ err error }

func (s noIDs) Next(context.Context) (ids.ID, error) { return 0, s.err }

func TestFollowWithoutAnIDToGiveSendsNothing(t *testing.T) {
	t.Parallel()
	in := faults.New(t, 1, faults.Rates{})
	exhausted := errors.New("no ids")
	r, err := follow.New(dynamotest.DB(t, in.Wrap), "none", noIDs{exhausted}, nil)
	require.NoError(t, err)
	_, created, err := r.Follow(t.Context(), follow.Edge{Follower: "a", Followee: "b"})
	require.ErrorIs(t, err, exhausted)
	require.False(t, created)
	require.Zero(t, in.Requests())
}

func TestTheMintedIDComesBackBesideAnError(t *testing.T) {
	t.Parallel()
	in := faults.New(t, 1, faults.Rates{})
	w := newWorld(t, nil, in.Wrap)
	in.KillAt(1)
	e, created, err := w.Follow(t.Context(), follow.Edge{Follower: "jack", Followee: "chris"})
	require.ErrorIs(t, err, plaza.ErrUnknownOutcome)
	require.False(t, created)
	require.NotZero(t, e.ID)

	in.Off()
	again, created, err := w.Follow(t.Context(), e)
	require.NoError(t, err)
	require.True(t, created, "the repeat gives the first answer")
	require.Equal(t, see(e), see(again))
	w.holds(t, graph{{"jack", "chris"}: e.ID}, "jack", "chris")
}

func TestOneEdgeToggledByManyStaysWhole(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sharded(2))
	toggled := follow.Edge{Follower: "jack", Followee: "chris"}
	var group errgroup.Group
	for i := range 50 {
		group.Go(func() error {
			random := rand.New(rand.NewPCG(1, uint64(i)))
			for range 4 {
				var err error
				if random.IntN(2) == 0 {
					_, _, err = w.Follow(t.Context(), toggled)
				} else {
					_, err = w.Unfollow(t.Context(), toggled)
				}
				if err != nil && !errors.Is(err, plaza.ErrBusy) {
					return err
				}
			}
			return nil
		})
	}
	require.NoError(t, group.Wait())
	g := graph{}
	if e, err := w.Get(t.Context(), toggled); err == nil {
		g[pair{"jack", "chris"}] = e.ID
	} else {
		require.ErrorIs(t, err, plaza.ErrNotFound)
	}
	w.holds(t, g, "jack", "chris")
}

func TestMissingTableAndOtherSchemaAreErrTable(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	e := w.follow(t, "jack", "chris")
	other := dynamotest.Table(t, func(name string) *dynamodb.CreateTableInput {
		in := follow.Table(name)
		for i, renamed := range []string{"PK", "SK"} {
			in.AttributeDefinitions[i].AttributeName = &renamed
			in.KeySchema[i].AttributeName = &renamed
		}
		return in
	})
	for _, table := range []string{"no-such-table", other} {
		w.table = table
		w := w.process(t, nil)
		for name, call := range map[string]func() error{
			"Follow":     func() error { _, _, err := w.Follow(t.Context(), e); return err },
			"Unfollow":   func() error { _, err := w.Unfollow(t.Context(), e); return err },
			"Get":        func() error { _, err := w.Get(t.Context(), e); return err },
			"Followers":  func() error { _, err := w.Followers(t.Context(), "chris", cursor.PageRequest{}); return err },
			"Following":  func() error { _, err := w.Following(t.Context(), "jack", cursor.PageRequest{}); return err },
			"Walk":       func() error { _, err := w.Walk(t.Context(), "chris", cursor.PageRequest{}); return err },
			"Relations":  func() error { _, err := w.Relations(t.Context(), "jack", []string{"chris"}); return err },
			"Counts":     func() error { _, err := w.Counts(t.Context(), "jack"); return err },
			"CountsMany": func() error { _, err := w.CountsMany(t.Context(), []string{"jack"}); return err },
		} {
			err := call()
			require.ErrorIs(t, err, plaza.ErrTable, "%s, %s", name, table)
			require.NotErrorIs(t, err, plaza.ErrNotFound, "%s, %s", name, table)
		}
	}
}

func TestTableIsBilledByRequest(t *testing.T) {
	t.Parallel()
	in := follow.Table("follow")
	require.Equal(t, "follow", *in.TableName)
	require.Equal(t, types.BillingModePayPerRequest, in.BillingMode)
}
