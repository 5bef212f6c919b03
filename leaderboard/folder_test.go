package leaderboard_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/leaderboard"
)

// foldedBoards have names that are near each other where they are joined.
var foldedBoards = []leaderboard.Board{
	{Name: "a", Ranking: leaderboard.RankByFold, Operator: leaderboard.Set},
	{Name: "a#19700101T000000Z", Ranking: leaderboard.RankByFold, Operator: leaderboard.Set, Order: leaderboard.Ascending},
	{Name: `a\`, Ranking: leaderboard.RankByFold, Operator: leaderboard.Set, Shards: 2},
	{Name: "daily", Ranking: leaderboard.RankByFold, Operator: leaderboard.Set, Cron: "0 0 * * *", Grace: time.Hour},
	{Name: "counted", Operator: leaderboard.Set},
}

// write makes a random write.
func (w world) write(t testing.TB, random *rand.Rand) {
	t.Helper()
	b := foldedBoards[random.IntN(len(foldedBoards))]
	in := leaderboard.In{Board: b.Name}
	player := fmt.Sprint("p", random.IntN(30))
	var err error
	switch random.IntN(16) {
	case 0, 1:
		err = errorOf(w.Hide(t.Context(), in, player))
	case 2:
		err = errorOf(w.Unhide(t.Context(), in, player))
	case 3:
		err = errorOf(w.Remove(t.Context(), in, player))
	case 4:
		err = w.Erase(t.Context(), player)
	case 5:
		if random.IntN(4) == 0 {
			w.set(w.Now().Add(12 * time.Hour))
		}
		b.Shards = 1 + random.IntN(maxTested)
		w.define(t, b)
	default:
		w.submit(t, leaderboard.Submission{Board: b.Name, Player: player, Score: leaderboard.Int(int64(random.IntN(20))), Op: w.id()})
	}
	if err != nil && !errors.Is(err, plaza.ErrNotFound) {
		require.NoError(t, err)
	}
}

// foldedExactly compares all periods with what a folder has and published of them.
func (w world) foldedExactly(t testing.TB, f *leaderboard.Folder) {
	t.Helper()
	for _, b := range foldedBoards {
		if b.Ranking != leaderboard.RankByFold {
			continue
		}
		for p, err := range cursor.All(t.Context(), func(ctx context.Context, req cursor.PageRequest) (cursor.Page[leaderboard.Period], error) {
			return w.Periods(ctx, b.Name, req)
		}) {
			require.NoError(t, err)
			w.agrees(t, b.Name, p.Name)
			if f.Above(b.Name, p.Name, nil) >= 0 {
				w.holds(t, f, b.Name, p.Name)
			}
		}
	}
}

func TestUnderFaultsWhatIsPublishedIsTheIndex(t *testing.T) {
	t.Parallel()
	for seed := range faults.Seeds(40) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			w := newFolded(t, nil)
			for _, b := range foldedBoards {
				w.define(t, b)
			}
			random := rand.New(rand.NewPCG(seed, 0))
			rates := faults.Standard
			rates.Unprocessed = 0.05
			f := w.folder(t, leaderboard.FolderOptions{}, newFlaky(seed), faults.New(t, seed, rates).Wrap)
			for range 6 {
				for range 30 {
					w.write(t, random)
				}
				require.NoError(t, f.CatchUp(t.Context()))
				w.foldedExactly(t, f)
			}
			require.Zero(t, f.Status().Loading)
			require.Positive(t, f.Status().Entries)
		})
	}
}
