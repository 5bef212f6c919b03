package leaderboard_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/leaderboard"
)

func TestAFolderPublishesWhatWasSubmitted(t *testing.T) {
	t.Parallel()
	w := newFolded(t, nil)
	w.define(t, leaderboard.Board{Name: "a", Ranking: leaderboard.RankByFold})
	for i := range 20 {
		w.submit(t, score("a", fmt.Sprint("p", i), int64(i), i))
	}
	f := w.folder(t, leaderboard.FolderOptions{}, nil)
	for i := range 5 {
		require.NoError(t, f.CatchUp(t.Context()))
		w.agrees(t, "a", forever, 1)
		w.submit(t, score("a", fmt.Sprint("p", i), int64(i)+100, i))
	}
}
