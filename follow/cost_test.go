package follow_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/internal/calls/callstest"
	"github.com/plaza-sdk/plaza/internal/edge/edgetest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/meter"
)

type (
	ctx  = context.Context
	page = cursor.PageRequest
)

var failed = callstest.Failed

// sixteen is a user id of 16 bytes.
func sixteen(name string) string { return fmt.Sprintf("%-16s", name) }

// The cost of a long walk is in TestAWalkReadsAThousandFollowersAtATime.
func TestCallsCostNoMoreThanStated(t *testing.T) {
	t.Parallel()
	const shards = 8
	jack, anna, star, spread := sixteen("jack"), sixteen("anna"), sixteen("star"), sixteen("spread")
	m := callstest.NewMetered(t, "..", "follow")
	w := newWorld(t, &follow.Options{Shards: func(user string) int {
		if user == spread {
			return shards
		}
		return 1
	}}, m.Wrap)
	strong := w.process(t, &follow.Options{Consistent: true}, m.Wrap)
	users, edges := make([]string, 60), []follow.Edge{}
	for i := range users {
		users[i] = sixteen(fmt.Sprint("user ", i))
		edges = append(edges, follow.Edge{Follower: users[i], Followee: star},
			follow.Edge{Follower: users[i], Followee: spread}, follow.Edge{Follower: star, Followee: users[i]})
	}
	_, err := w.Import(t.Context(), "users", sequence(edges), nil)
	require.NoError(t, err)

	pair := follow.Edge{Follower: jack, Followee: anna}
	var edge follow.Edge // that of jack and anna
	follows := func(ctx ctx) (err error) {
		edge, _, err = w.Follow(ctx, follow.Edge{Follower: jack, Followee: anna, ID: edge.ID})
		return err
	}
	unfollows := func(e *follow.Edge) func(ctx) error {
		return func(ctx ctx) error { return failed(w.Unfollow(ctx, *e)) }
	}
	unused := pair
	unused.ID = w.id(t)
	m.Costs(follows, "Repository.Follow", "follow")
	m.Costs(follows, "Repository.Follow")
	m.Costs(func(ctx ctx) (err error) { edge, err = w.Get(ctx, pair); return err }, "Repository.Get")
	m.Costs(func(ctx ctx) error { return failed(w.Last(ctx, pair)) }, "Repository.Last")
	m.Costs(unfollows(&edge), "Repository.Unfollow", "with an edge from Follow or Get")
	m.Costs(func(ctx ctx) error {
		require.ErrorIs(t, follows(ctx), plaza.ErrRemoved)
		edge = follow.Edge{}
		return nil
	}, "Repository.Follow")
	m.Costs(follows, "Repository.Follow")
	m.Costs(unfollows(&pair), "Repository.Unfollow", "unfollow")
	m.Costs(func(ctx ctx) error { return failed(w.Last(ctx, pair)) }, "Repository.Last")
	unused.ID = w.id(t)
	m.Costs(unfollows(&unused), "Repository.Unfollow", "without an edge, by an ID, which it remembers")
	m.Costs(unfollows(&unused), "Repository.Unfollow", "without an edge")
	m.Costs(unfollows(&pair), "Repository.Unfollow", "without an edge")
	m.Costs(func(ctx ctx) error {
		return failed(w.process(t, sharded(follow.MaxShards), m.Wrap).Follow(ctx, pair))
	}, "Repository.Follow", "the first into a new shard")

	var next cursor.Cursor
	full := func(got cursor.Page[follow.Edge], err error) error {
		require.Len(t, got.Items, 25)
		next = got.Next
		return err
	}
	m.Costs(func(ctx ctx) error { return full(w.Followers(ctx, star, page{})) }, "Repository.Followers", "a page of 25")
	m.Costs(func(ctx ctx) error { return full(w.Followers(ctx, star, page{Cursor: next})) }, "Repository.Followers")
	m.AtMost("followers over shards", m.Stated.Of("Repository.Followers").Plus(m.Stated.Times(shards-1, "Repository.Followers", "each further shard")), func(ctx ctx) error {
		return full(w.Followers(ctx, spread, page{}))
	})
	m.Costs(func(ctx ctx) error { return full(w.Following(ctx, star, page{})) }, "Repository.Following", "a page of 25")
	m.Costs(func(ctx ctx) error { return full(w.Following(ctx, star, page{Cursor: next})) }, "Repository.Following")
	m.Costs(func(ctx ctx) error { return failed(w.Walk(ctx, star, page{})) }, "Repository.Walk", "40 followers", "each further 40 followers", "the first page more")
	walk := m.Stated.Of("Repository.Walk", "40 followers", "the first page more").
		Plus(m.Stated.Times(shards-1, "Repository.Walk", "each further shard, and each further 1,000 followers"))
	m.AtMost("walk over shards", walk, func(ctx ctx) error { return failed(w.Walk(ctx, spread, page{})) })

	relations := m.Stated.Of("Repository.Relations", "each 50 others").Plus(m.Stated.Times(25, "Repository.Relations", "each other"))
	m.AtMost("relations to 25", relations, func(ctx ctx) error { return failed(w.Relations(ctx, star, users[:25])) })
	m.AtMost("relations to 25, consistent", relations.Plus(meter.Cost{Read: relations.Read}), func(ctx ctx) error { return failed(strong.Relations(ctx, star, users[:25])) })
	m.AtMost("relations to 60", m.Stated.Times(2, "Repository.Relations", "each 50 others").Plus(m.Stated.Times(60, "Repository.Relations", "each other")), func(ctx ctx) error {
		return failed(w.Relations(ctx, jack, users))
	})
	m.Costs(func(ctx ctx) error { return failed(w.Counts(ctx, star)) }, "Repository.Counts", "counts")
	m.Costs(func(ctx ctx) error { return failed(strong.Counts(ctx, star)) }, "Repository.Counts", "with Options.Consistent")
	m.Costs(func(ctx ctx) error { return failed(w.Counts(ctx, spread)) }, "Repository.Counts")
	m.AtMost("counts of 25", m.Stated.Of("Repository.CountsMany", "the users").Plus(m.Stated.Times(25, "Repository.CountsMany", "each user")), func(ctx ctx) error {
		return failed(w.CountsMany(ctx, users[:25]))
	})
	m.AtMost("counts of 2 over shards", m.Stated.Of("Repository.CountsMany", "the users", "each user", "each user", "each 100 further shards").
		Plus(m.Stated.Times(shards-1, "Repository.CountsMany", "each further shard")), func(ctx ctx) error {
		return failed(w.CountsMany(ctx, []string{star, spread}))
	})
}

func TestAnImportCostsNoMoreThanStated(t *testing.T) {
	t.Parallel()
	m := callstest.NewMetered(t, "..", "follow")
	w := newWorld(t, nil, m.Wrap)
	users, n := faults.Size(150, 30), faults.Size(2_000, 200)
	edges := friends(7, users, n)
	taken, most := 0, 0
	var finished int64
	counting := func(yield func(follow.Edge, error) bool) {
		for _, e := range edges {
			taken++
			most = max(most, taken-int(finished)) // in memory
			if !yield(e, nil) {
				return
			}
		}
	}
	window := n / 2
	stated := m.Stated.Times(float64(n), "Repository.Import", "each edge").
		Plus(m.Stated.Times(float64(n)/100, "Repository.Import", "each 100 edges")).
		Plus(m.Stated.Times(3*float64(n)/25, "Repository.Import", "each 25 items, of which an edge has three")).
		Plus(m.Stated.Times(2*float64(users), "Repository.Import", "each user of a window")).
		Plus(m.Stated.Times(float64(2*users/99), "Repository.Import", "each further 99 users of a window")).
		Plus(m.Stated.Times(2, "Repository.Import", "each window"))
	m.AtMost("import", stated, func(ctx ctx) error {
		result, err := w.Import(ctx, "old", counting, &follow.ImportOptions{Window: window, Progress: func(r follow.ImportResult) { finished = r.Edges }})
		require.EqualValues(t, n, result.Created)
		return err
	})
	require.Equal(t, window, most, "one window is held in memory")

	few := []follow.Edge{{Follower: "ann", Followee: "zoe", ID: w.id(t)}, {Follower: "bob", Followee: "zoe", ID: w.id(t)}}
	stated = m.Stated.Of("Repository.Import", "each window", "each 100 edges", "each 25 items, of which an edge has three", "each 25 items, of which an edge has three").
		Plus(m.Stated.Times(2, "Repository.Import", "each edge")).
		Plus(m.Stated.Times(2, "Repository.Import", "each edge with an ID more")).
		Plus(m.Stated.Times(4, "Repository.Import", "each user of a window")).
		Plus(m.Stated.Times(2, "Repository.Import", "each further shard of a followee")).
		Plus(m.Stated.Times(2, "Repository.Import", "each new shard"))
	m.AtMost("import into new shards", stated, func(ctx ctx) error {
		return failed(w.process(t, sharded(follow.MaxShards), m.Wrap).Import(ctx, "few", sequence(few), nil))
	})
}

// TestRepairsCostNoMoreThanStated damages the edges of a user who follows ten and has ten
// followers, in two shards.
func TestRepairsCostNoMoreThanStated(t *testing.T) {
	t.Parallel()
	m := callstest.NewMetered(t, "..", "follow")
	w := newWorld(t, sharded(2), m.Wrap)
	const n = 10.0
	var first follow.Edge
	for i := range int(n) {
		w.follow(t, fmt.Sprint("fan ", i), "star")
		first = w.follow(t, "star", fmt.Sprint("idol ", i))
	}
	sound := m.Stated.Of("Repository.Check", "the user", "each 20 edges").
		Plus(m.Stated.Times(1, "Repository.Check", "each 100 edges")).
		Plus(m.Stated.Times(2*n, "Repository.Check", "each edge")).
		Plus(m.Stated.Times(n, "Repository.Check", "each edge in another shard than the first"))
	is := func(call func(ctx, string) (follow.Drift, error), want follow.Drift) func(ctx) error {
		return func(ctx ctx) error {
			drift, err := call(ctx, "star")
			require.Equal(t, want, drift)
			return err
		}
	}
	m.AtMost("Check", sound, is(w.Check, follow.Drift{}))
	m.AtMost("Repair of what is sound", sound.Plus(m.Stated.Of("Repository.Repair")), is(w.Repair, follow.Drift{}))

	h := edgetest.NewHand(t, w.table)
	h.Remove(edgetest.Key{"F#star", first.ID.String()})
	torn := sound.Plus(m.Stated.Times(n, "Repository.Check", "where an edge is torn, each edge that the user follows"))
	m.AtMost("Check of a torn edge", torn.Plus(m.Stated.Of("Repository.Check", "each torn edge")), is(w.Check, follow.Drift{Torn: 1}))
	m.AtMost("Repair of a torn edge", torn.Plus(m.Stated.Of("Repository.Repair", "each torn edge more", "where a follower is restored, each 40 followers of the shard")),
		is(w.Repair, follow.Drift{Torn: 1}))
	h.Set(edgetest.Key{"C#star", "0"}, "following", 7)
	m.AtMost("Repair of a count", sound.Plus(sound).Plus(m.Stated.Of("Repository.Repair", "each wrong counter, and the lists once more")),
		is(w.Repair, follow.Drift{Following: -3, Counters: 1}))

	erase := sound.Plus(m.Stated.Of("Repository.Erase", "the user", "the user more", "each counter", "each counter")).
		Plus(m.Stated.Times(2*n, "Repository.Erase", "each edge")).
		Plus(m.Stated.Times(1, "Repository.Erase", "where another user's counts are too low, each 40 edges of that user"))
	m.AtMost("Erase", erase, func(ctx ctx) error { return w.Erase(ctx, "star") })
	m.AtMost("Erase of who is erased", m.Stated.Of("Repository.Erase", "a user who is erased"), func(ctx ctx) error { return w.Erase(ctx, "star") })
	gone := m.Stated.Of("Repository.Check", "the user", "a user without counters more")
	m.AtMost("Check of nobody", gone, func(ctx ctx) error {
		drift, err := w.Check(ctx, "nobody")
		require.Zero(t, drift)
		return err
	})
	m.AtMost("Erase of nobody", m.Stated.Of("Repository.Check", "the user").Plus(m.Stated.Of("Repository.Erase", "the user more", "each counter", "a user without counters more")), func(ctx ctx) error { return w.Erase(ctx, "nobody") })
}
