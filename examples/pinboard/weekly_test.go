package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed/reaction"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/leaderboard"
	"github.com/plaza-sdk/plaza/meter"
	"github.com/plaza-sdk/plaza/stream"
	"github.com/plaza-sdk/plaza/stream/poller"
)

func (w *world) weeklyLike(t *testing.T, user, picture string) ids.ID {
	t.Helper()
	standing, _, err := w.Reactions.React(t.Context(), reaction.Reaction{User: user, Object: "picture:" + picture, Kind: like})
	require.NoError(t, err)
	return standing.ID
}

// likesOf reads the likes' stream, as a worker does.
type likesOf struct {
	*world
	reader *poller.Reader
	all    []stream.Record
}

func newLikes(t *testing.T, w *world) *likesOf {
	t.Helper()
	arn, err := w.db.stream(t.Context(), w.env.Tables.Reaction)
	require.NoError(t, err)
	reader, err := poller.NewReader(dynamodbstreams.NewFromConfig(w.env.Config), arn, &poller.ReaderOptions{Idle: 10 * time.Millisecond})
	require.NoError(t, err)
	l := &likesOf{world: w, reader: reader}
	_, err = reader.Next(t.Context())
	require.NoError(t, err)
	return l
}

// handle hands what comes to the board until it is as expected.
func (l *likesOf) handle(t *testing.T, want string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for l.standings(t) != want {
		round, err := l.reader.Next(ctx)
		require.NoError(t, err, "the board is %s", l.standings(t))
		for _, item := range round.Items {
			require.NoError(t, item.Err)
			require.NoError(t, l.onLike(t.Context(), item.Record))
			l.all = append(l.all, item.Record)
		}
	}
}

// standings are like "1 ann 3, 2 eric 1".
func (w *world) standings(t *testing.T) (text string) {
	t.Helper()
	page, err := w.Boards.Top(t.Context(), leaderboard.In{Board: mostLiked}, cursor.PageRequest{})
	require.NoError(t, err)
	for i, row := range page.Items {
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprint(row.Rank, " ", row.Player, " ", row.Score)
	}
	return text
}

func TestLikesOfTheWeekMoveItsBoard(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	likes := newLikes(t, w)
	require.Empty(t, w.standings(t))
	first, second, other := w.as(t, "ann").pin("A"), w.as(t, "ann").pin("B"), w.as(t, "eric").pin("C")
	for _, like := range [][2]string{{"chris", first}, {"lin", first}, {"chris", second}, {"ann", other}, {"chris", other}, {"ann", first}} {
		w.weeklyLike(t, like[0], like[1])
	}
	_, _, err := w.Reactions.React(t.Context(), reaction.Reaction{User: "lin", Object: "comment:" + first + "/x", Kind: like})
	require.NoError(t, err)
	_, _, err = w.Reactions.React(t.Context(), reaction.Reaction{User: "lin", Object: "picture:" + other, Kind: report})
	require.NoError(t, err)
	w.weeklyLike(t, "lin", "nobody."+other)
	likes.handle(t, "1 ann 3, 2 eric 2")

	// All of it comes again.
	for _, r := range likes.all {
		require.NoError(t, likes.onLike(t.Context(), r))
	}
	require.Equal(t, "1 ann 3, 2 eric 2", w.standings(t))

	for _, user := range []string{"chris", "lin"} {
		_, err = w.Reactions.Unreact(t.Context(), reaction.Reaction{User: user, Object: "picture:" + first, Kind: like})
		require.NoError(t, err)
	}
	likes.handle(t, "1 eric 2, 2 ann 1")
	for _, r := range likes.all { // a like that was taken back stays so
		require.NoError(t, likes.onLike(t.Context(), r))
	}
	require.Equal(t, "1 eric 2, 2 ann 1", w.standings(t))
}

// points gives people points directly, without a stream.
func (w *world) points(t *testing.T, points map[string]int64) {
	t.Helper()
	for _, player := range slices.Sorted(maps.Keys(points)) { // of equal scores the earlier one is first
		_, _, err := w.Boards.Submit(t.Context(), leaderboard.Submission{Board: mostLiked, Player: player, Score: leaderboard.Int(points[player])})
		require.NoError(t, err)
	}
}

func ranks(page cursor.Page[leaderboard.Standing]) (text string) {
	for _, row := range page.Items {
		text += fmt.Sprint(row.Rank, row.Player, " ")
	}
	return text
}

func TestTheWeekIsReadFromTheTopAroundMeAndAmongThoseIFollow(t *testing.T) {
	t.Parallel()
	w := newPriced(t)
	ann := w.as(t, "ann")
	read := func(path string) string { return ranks(get[cursor.Page[leaderboard.Standing]](ann, path)) }
	require.Empty(t, read("/api/weekly"))
	require.Empty(t, read("/api/weekly/around"), "nobody has a point yet")
	require.Empty(t, read("/api/weekly/following"))
	require.Empty(t, get[cursor.Page[leaderboard.Period]](ann, "/api/weekly/periods").Items)

	w.points(t, map[string]int64{"ann": 3, "eric": 9, "chris": 9, "mia": 1})
	require.Equal(t, "1chris 1eric 3ann 4mia ", read("/api/weekly"))
	require.Equal(t, "1chris 1eric 3ann 4mia ", read("/api/weekly/around"))
	require.Equal(t, "1ann ", read("/api/weekly/following"))
	following := func(all ...string) {
		for _, followee := range all {
			_, _, err := w.Follows.Follow(t.Context(), follow.Edge{Follower: "ann", Followee: followee})
			require.NoError(t, err)
		}
	}
	following("eric")
	for path, most := range map[string]meter.Cost{
		"/api/weekly":           {Requests: 1, Read: 0.5},
		"/api/weekly/around":    {Requests: 3, Read: 2},
		"/api/weekly/following": {Requests: 2, Read: 3},
		"/api/weekly/periods":   {Requests: 1, Read: 0.5},
	} {
		get[any](ann, path)
		get[any](ann, path)
		cost, _ := ann.last()
		require.LessOrEqual(t, cost.Requests, most.Requests, path)
		require.LessOrEqual(t, cost.Read, most.Read, path)
		require.Zero(t, cost.Write, path)
	}
	following("mia", "board:eric.places", "lin")
	require.Equal(t, "1eric 2ann 3mia ", read("/api/weekly/following"))

	weeks := get[cursor.Page[leaderboard.Period]](ann, "/api/weekly/periods").Items
	require.Len(t, weeks, 1)
	require.Equal(t, time.Monday, weeks[0].Start.UTC().Weekday())
	require.Equal(t, 7*24*time.Hour, weeks[0].End.Sub(weeks[0].Start))
	require.Equal(t, "1chris 1eric 3ann 4mia ", read("/api/weekly?period="+weeks[0].Name))
}
