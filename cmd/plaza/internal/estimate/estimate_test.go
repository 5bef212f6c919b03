package estimate

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/meter"
)

// aDay is short enough to be played. Everybody publishes once, because the model has the
// most followed publish as often as anyone.
func aDay(users int64) Input {
	in := Defaults()
	in.Users, in.Follows, in.Days = users, 4, 1
	in.NewFollows, in.Posts, in.HomeReads, in.ProfileReads = 0.12, 1, 0.25, 0.1
	in.Comments, in.CommentReads, in.Likes, in.Notifications = 0.12, 0.12, 0.12, 0.2
	in.BellChecks, in.BellOpens, in.Messages, in.Conversations, in.InboxReads = 0.05, 1, 0.12, 0.04, 0.1
	in.Videos, in.VideoMinutes, in.Danmu, in.Viewers = 0.01, 12, 0.2, 0.1
	in.Players, in.BoardSize, in.BoardSubmits, in.RankReads, in.TopReads = 0.06, 30, 3, 1, 1
	in.Processes, in.Poll, in.InlineFollowers, in.JobShards, in.DanmuCache, in.Refresh = 2, day, 100, 1, 1800, 5
	return in
}

func TestTheModelAgreesWithASimulatedDay(t *testing.T) {
	t.Parallel()
	agree(t, aDay(300), 0.08) // 6.4 expected calls are 6
	if faults.Full() {
		t.Run("3000", func(t *testing.T) { agree(t, aDay(3_000), 0.05) })
	}
}

func agree(t *testing.T, in Input, tolerance float64) {
	t.Helper()
	near := func(what string, modelled, played float64) {
		t.Helper()
		if math.Abs(modelled-played) > tolerance*played {
			t.Errorf("%s: %.4g by the model, but %.4g in the simulation", what, modelled, played)
		} else {
			t.Logf("%s: %.4g by the model, %.4g in the simulation", what, modelled, played)
		}
	}
	played := simulate(t, in)
	modelled := newModel(in, zipf(in.Users, in.Follows, in.Zipf))

	costs := played.costs.ByOperation()
	var total Units
	for _, r := range modelled.rows {
		cost := costs[r.operation]
		delete(costs, r.operation)
		near(r.operation+": calls", r.calls, float64(played.calls[r.operation]))
		near(r.operation+": requests", r.expected.Requests, float64(cost.Requests))
		near(r.operation+": RCU", r.expected.Read, cost.Read)
		near(r.operation+": WCU", r.expected.Write, cost.Write)
		assert.GreaterOrEqual(t, r.most.Requests*(1+tolerance), float64(cost.Requests), "%s: requests at most", r.operation)
		assert.GreaterOrEqual(t, r.most.Read*(1+tolerance), cost.Read, "%s: RCU at most", r.operation)
		assert.GreaterOrEqual(t, r.most.Write*(1+tolerance), cost.Write, "%s: WCU at most", r.operation)
		total = total.plus(r.expected)
	}
	require.Empty(t, costs, "played, but not in the model")
	all := played.costs.Total()
	near("all requests", total.Requests, float64(all.Requests))
	near("all RCU", total.Read, all.Read)
	near("all WCU", total.Write, all.Write)

	tables := map[string]bool{}
	for _, k := range modelled.keys {
		tables[k.table] = true
	}
	require.Len(t, tables, len(played.keys))
	for table := range tables {
		written, read := modelled.hottestOf(table)
		wire := played.hottest(table)
		near(table+": writes of the hottest key, "+written.key, written.write, wire.Write)
		// A few reads are many keys' as much.
		if wire.Read >= 20 {
			near(table+": reads of the hottest key, "+read.key, read.read, wire.Read)
		}
		near(table+": writes of "+written.key, written.write, played.hottestOf(table, written.key).Write)
	}
}

func TestTheSameGraphAsAListCostsTheSame(t *testing.T) {
	t.Parallel()
	in := aDay(200)
	var list strings.Builder
	list.WriteString("# a comment\n\n")
	s := newSimulation(t, in)
	s.dealGraph()
	for followee, followers := range s.readers {
		for _, follower := range followers {
			list.WriteString(user(follower) + "\t" + user(followee) + "\r\n")
		}
	}
	byLaw, err := Of(in, meter.USEast1())
	require.NoError(t, err)
	in.Users, in.Follows = 7, 1 // the list has its own
	byList, err := OfEdges(in, strings.NewReader(list.String()), meter.USEast1())
	require.NoError(t, err)
	require.Equal(t, byLaw.Input.Users, byList.Input.Users)
	require.InEpsilon(t, byLaw.Dollars, byList.Dollars, 0.02)
	require.Len(t, byList.Keys, len(byLaw.Keys))
	for i, k := range byLaw.Keys {
		require.Equal(t, k.Key, byList.Keys[i].Key)
	}
}

// The simulation counts ranks, so this holds the folded ones to what is stated of them.
func TestAFoldedRankCostsTheSameOnBoardsOfMillions(t *testing.T) {
	t.Parallel()
	rank := func(size, every float64) (each, most, folder Units) {
		in := Defaults()
		in.Users, in.Players, in.BoardSize, in.FoldEvery = 100_000_000, 1, size, every
		for _, r := range newModel(in, zipf(in.Users, in.Follows, in.Zipf)).rows {
			switch r.operation {
			case "leaderboard.Repository.Rank":
				each, most = r.expected.times(1/r.calls), r.most.times(1/r.calls)
			case "leaderboard.Folder.Run":
				folder = r.expected
			}
		}
		return each, most, folder
	}
	for _, size := range []float64{100, 1e3, 1e5, 1e7} {
		counted, _, none := rank(size, 0)
		require.Zero(t, none)
		each, most, folder := rank(size, 1)
		require.LessOrEqual(t, each.Read, most.Read, size)
		require.LessOrEqual(t, most.Read, 26.0, size) // 18, and another leaf
		require.Positive(t, folder.Write)
		if size > 1e3 {
			require.Less(t, 10*each.Read, counted.Read, size)
		}
		_, _, seldom := rank(size, 60)
		require.Less(t, seldom.Write, folder.Write)
	}
}
