package leaderboard_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed/reaction"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/streamtest"
	"github.com/plaza-sdk/plaza/leaderboard"
	"github.com/plaza-sdk/plaza/stream"
)

// ofReaction is what a reaction adds to a board of the week.
func ofReaction(r reaction.Reaction) leaderboard.Submission {
	return leaderboard.Submission{Board: "week", Player: r.Object, Op: r.ID, Score: leaderboard.Int(1), Guard: true}
}

// likesOf keeps two boards: the most liked of the week, and of all time.
func (w world) likesOf(reactions *reaction.Repository) stream.Handler {
	return func(ctx context.Context, r stream.Record) error {
		changes, err := reaction.Changes(r)
		if err != nil {
			return err
		}
		for _, c := range changes {
			week := delivery{ofReaction(c.Reaction), c.Kind == reaction.Unreacted}
			if err := week.to(ctx, w); err != nil {
				return err
			}
			counts, version, err := reactions.VersionedCounts(ctx, c.Reaction.Object)
			if err != nil {
				return err
			}
			_, err = w.Apply(ctx, leaderboard.Projection{
				Board: "ever", Player: c.Reaction.Object, Score: leaderboard.Int(counts["like"]), Version: version,
			})
			if err != nil {
				return err
			}
		}
		return nil
	}
}

// TestTheMostLikedOfTheWeekAndOfAllTime lets 300 users like and unlike 40 objects for
// two weeks. Two processes get the stream's records under faults, each twice and in
// any order. The boards end as the lists of reactions say.
func TestTheMostLikedOfTheWeekAndOfAllTime(t *testing.T) {
	if !faults.Full() {
		t.Skip("TestLikesAndUnlikesInAnyOrderAreRecounted and TestABoardFollowsInAnyOrderUnderFaults show its two boards; CI runs this too")
	}
	t.Parallel()
	const users, objects = 300, 40
	lossy := faults.New(t, 1, faults.Standard)
	w := newWorld(t, nil, lossy.Wrap)
	lossy.Off()
	w.define(t, leaderboard.Board{Name: "week", Operator: leaderboard.Increment, Cron: "@weekly", Grace: 14 * 24 * time.Hour})
	w.define(t, leaderboard.Board{Name: "ever", Operator: leaderboard.Set})
	table := dynamotest.Table(t, streamtest.Streamed(reaction.Table))
	reactions, err := reaction.New(dynamotest.DB(t), table, w.clock, &reaction.Options{Kinds: []string{"like"}, Now: w.Now, Shards: func(object string) int { return 1 + len(object)%2*3 }})
	require.NoError(t, err)

	for week := range 2 {
		w.set(noon.Add(time.Duration(week) * 7 * 24 * time.Hour))
		var group sync.WaitGroup
		for user := range 16 {
			random := rand.New(rand.NewPCG(uint64(week), uint64(user)))
			group.Go(func() {
				liked := map[reaction.Reaction]bool{}
				for range 512 / 2 / 16 {
					r := reaction.Reaction{User: fmt.Sprint("user ", user+16*random.IntN(users/16)), Object: fmt.Sprint("song ", random.IntN(objects)), Kind: "like"}
					var err error
					if liked[r] || random.IntN(4) == 0 { // also of the week before
						_, err = reactions.Unreact(t.Context(), r)
					} else {
						_, _, err = reactions.React(t.Context(), r)
					}
					require.NoError(t, err)
					liked[r] = !liked[r]
				}
			})
		}
		group.Wait()
	}
	tail, err := streamtest.New(t.Context(), dynamotest.DB(t), table)
	require.NoError(t, err)
	records, err := tail.Records(t.Context())
	require.NoError(t, err)
	records = append(records, records...)
	rand.New(rand.NewPCG(1, 1)).Shuffle(len(records), func(i, j int) { records[i], records[j] = records[j], records[i] })

	lossy.On()
	follow := []stream.Handler{w.likesOf(reactions), w.process(t, nil, lossy.Wrap).likesOf(reactions)}
	work := make(chan stream.Record)
	var group sync.WaitGroup
	for i := range 128 {
		group.Go(func() {
			for r := range work {
				faults.Acknowledged(t, func() error { return follow[i%2](t.Context(), r) })
			}
		})
	}
	for _, r := range records {
		work <- r
	}
	close(work)
	group.Wait()
	require.NotZero(t, lossy.Count(faults.LostAfter))
	lossy.Off()

	weeks := map[string]map[string]int64{"20260308T000000Z": {}, "20260315T000000Z": {}}
	ever := map[string]int64{}
	for i := range objects {
		object := fmt.Sprint("song ", i)
		list := func(ctx context.Context, req cursor.PageRequest) (cursor.Page[reaction.Reaction], error) {
			return reactions.ByObject(ctx, object, "like", req)
		}
		for r, err := range cursor.All(t.Context(), list) {
			require.NoError(t, err)
			ever[object]++
			weeks[map[bool]string{true: "20260308T000000Z", false: "20260315T000000Z"}[r.ID < ids.At(march(15, 0))]][object]++
		}
	}
	for period, want := range weeks {
		require.Equal(t, want, w.scores(t, leaderboard.In{Board: "week", Period: period}))
		require.NotEmpty(t, want)
	}
	require.Equal(t, ever, w.scores(t, in("ever")))
	t.Logf("%d records, %v", len(records), lossy)
}

// scores are those of a board that are not 0.
func (w world) scores(t *testing.T, in leaderboard.In) map[string]int64 {
	t.Helper()
	scores := map[string]int64{}
	for row, err := range cursor.All(t.Context(), w.top(in)) {
		require.NoError(t, err)
		if v := row.Score.Int64(); v != 0 {
			scores[row.Player] = v
		}
	}
	return scores
}
