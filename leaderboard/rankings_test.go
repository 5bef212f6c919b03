package leaderboard_test

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/streamtest"
	"github.com/plaza-sdk/plaza/leaderboard"
)

var rankings = map[string]func(testing.TB) world{
	"count": func(t testing.TB) world { t.Helper(); return newWorld(t, nil) },
	"fold":  newFoldedWorld,
}

// bothRankings runs a test over RankByCount and, where CI is set, over RankByFold, which
// TestRanksEqualBruteForce always compares. The test publishes what it wrote before it
// reads ranks.
func bothRankings(t *testing.T, test func(t *testing.T, w world)) {
	t.Helper()
	for name, newWorld := range faults.Sample(len(rankings), rankings, "count") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, newWorld(t))
		})
	}
}

// newFoldedWorld returns a world whose boards are folded by a folder that the test
// drives.
func newFoldedWorld(t testing.TB) world {
	t.Helper()
	return newOwn(t, leaderboard.Table).followed(t)
}

// followed switches the table's stream on, with such a folder.
func (w world) followed(t testing.TB) world {
	t.Helper()
	w.stream(t)
	w.folds = w.folder(t, leaderboard.FolderOptions{}, nil)
	return w
}

// stream switches the table's stream on. Earlier writes make no records, which would slow
// the engine down.
func (w world) stream(t testing.TB) {
	t.Helper()
	_, err := w.db(t).Client().(*dynamodb.Client).UpdateTable(t.Context(), &dynamodb.UpdateTableInput{
		TableName: &w.table, StreamSpecification: streamtest.Streamed(leaderboard.Table)(w.table).StreamSpecification,
	})
	require.NoError(t, err)
}

// publish lets the folder publish what was written, and this process read it.
func (w world) publish(t tester) {
	t.Helper()
	if w.folds != nil {
		require.NoError(t, w.folds.CatchUp(t.Context()))
		w.ForgetPublished()
	}
}

// rank returns the rank of a player without its time, after it required that it is by
// the world's ranking.
func (w world) rank(t tester, in leaderboard.In, player string) leaderboard.Position {
	t.Helper()
	rank, err := w.Rank(t.Context(), in, player)
	require.NoError(t, err)
	require.Equal(t, w.folds != nil, rank.Folded)
	require.NotZero(t, rank.AsOf)
	if w.folds == nil {
		require.Equal(t, w.Now(), rank.AsOf)
	}
	return timeless(rank)
}

// timeless returns a rank without what says as of when it is.
func timeless(rank leaderboard.Position) leaderboard.Position {
	rank.AsOf, rank.Folded = time.Time{}, false
	return rank
}
