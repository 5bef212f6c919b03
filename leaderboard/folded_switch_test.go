package leaderboard_test

import (
	"testing"
	"time"

	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/leaderboard"
)

// switchTo defines the board "b" with a ranking.
func (w world) switchTo(t tester, ranking leaderboard.Ranking) {
	t.Helper()
	require.NoError(t, errorOf(w.Define(t.Context(), leaderboard.Board{Name: "b", Operator: leaderboard.Set, Ranking: ranking})))
}

// definedFold returns the fold of the board "b", 0 if it has none.
func (w world) definedFold(t testing.TB) int64 {
	t.Helper()
	var item struct {
		Fold int64 `dynamo:"fold"`
	}
	require.NoError(t, w.raw(t).Get("pk", "B#").Range("sk", dynamo.Equal, "b").Consistent(true).One(t.Context(), &item))
	return item.Fold
}

func TestAFoldLastsUntilTheBoardIsCounted(t *testing.T) {
	t.Parallel()
	w := newOwn(t, leaderboard.Table)
	b := leaderboard.Board{Name: "b", Cron: "@hourly", Ranking: leaderboard.RankByFold}
	w.define(t, b)
	first := w.definedFold(t)
	require.Positive(t, first)
	_, _ = w.in(t, "b", noon) // opens a period, which raises ver
	b.Grace = time.Minute
	w.define(t, b)
	require.Equal(t, first, w.definedFold(t))
	b.Ranking = leaderboard.RankByCount
	w.define(t, b)
	require.Zero(t, w.definedFold(t))
	b.Ranking = leaderboard.RankByFold
	w.define(t, b)
	second := w.definedFold(t)
	require.Greater(t, second, first)

	for name, with := range map[string]dynamo.Item{
		"no fold":         {"fold": nil},
		"a fold of text":  {"fold": textOf("x")},
		"a negative fold": {"fold": numberOf("-1")},
		"a fold, counted": {"ranking": nil},
		"another ranking": {"ranking": textOf("guess")},
	} {
		w.set(w.Now().Add(time.Second))
		w.damage(t, "B#", "b", with)
		_, err := w.process(t, nil).Count(t.Context(), in("b"))
		require.ErrorIs(t, err, plaza.ErrCorrupt, name)
		w.define(t, b)
		third := w.definedFold(t)
		require.Greater(t, third, second, name)
		require.ErrorIs(t, errorOf(w.Define(t.Context(), leaderboard.Board{Name: "b", Kind: leaderboard.KindFloat, Cron: "@hourly"})), plaza.ErrConflict, name)
		second = third
	}
	w.damage(t, "B#", "b", dynamo.Item{"shards": textOf("x")})
	b.Kind = leaderboard.KindFloat
	require.ErrorIs(t, errorOf(w.Define(t.Context(), b)), plaza.ErrConflict, "what can be read still stands")
}

// What was published before the board was counted is never used, and readers with an
// older definition go on to find ranks.
func TestAnEarlierFoldsPublicationIsNotUsed(t *testing.T) {
	t.Parallel()
	w := newFoldedBoard(t)
	ranks := func(reader world, ordinal int64, folded bool, why string) {
		t.Helper()
		reader.ForgetPublished()
		rank, err := reader.Rank(t.Context(), in("b"), "p 0530")
		require.NoError(t, err)
		require.Equal(t, leaderboard.Position{Ordinal: ordinal, Rank: ordinal}, timeless(rank), why)
		require.Equal(t, folded, rank.Folded, why)
	}
	first := w.process(t, nil)
	ranks(first, 530, true, "folded")
	w.switchTo(t, leaderboard.RankByCount)
	w.play(t, "b", "ann 1000")
	ranks(w, 531, false, "counted")
	ranks(first, 530, true, "as of the publication: this process does not know yet")
	counts := w.process(t, nil)
	ranks(counts, 531, false, "counted")
	w.switchTo(t, leaderboard.RankByFold)
	ranks(w, 531, false, "only an earlier fold is published")
	ranks(first, 530, true, "it still knows the earlier fold")
	w.play(t, "b", "bob 1000")
	w.publish(t)
	ranks(w, 532, true, "published")
	ranks(first, 532, false, "a fold that it does not know of is not used")
	ranks(counts, 532, false, "nor does this process know")
	w.set(w.Now().Add(30 * time.Second))
	for _, reader := range []world{first, counts} {
		ranks(reader, 532, true, "after Refresh")
	}
	w.switchTo(t, leaderboard.RankByCount)
	w.publish(t)
	var left []dynamo.Item
	require.NoError(t, w.raw(t).Get("pk", "R#b#"+forever).Range("sk", dynamo.Equal, "ROOT").All(t.Context(), &left))
	require.Empty(t, left, "the folder deletes what nobody reads")
	ranks(w, 532, false, "counted")
}
