package leaderboard_test

import (
	"math"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/leaderboard"
)

func lines(t testing.TB, file string) []string {
	t.Helper()
	data, err := os.ReadFile("testdata/" + file)
	require.NoError(t, err)
	return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
}

func TestScoresInTheFilesOfTexts(t *testing.T) {
	t.Parallel()
	for _, text := range lines(t, "score-valid.txt") {
		s, err := leaderboard.ParseScore(text)
		require.NoError(t, err, text)
		require.Equal(t, text, s.String())
		again, err := s.MarshalText()
		require.NoError(t, err)
		require.Equal(t, text, string(again))
		want := leaderboard.KindInt
		if strings.ContainsAny(text, ".eI") {
			want = leaderboard.KindFloat
		}
		require.Equal(t, want, s.Kind(), text)
	}
	for _, text := range lines(t, "score-invalid.txt") {
		_, err := leaderboard.ParseScore(text)
		require.ErrorIs(t, err, plaza.ErrInvalid, "%q", text)
		require.ErrorIs(t, new(leaderboard.Score).UnmarshalText([]byte(text)), plaza.ErrInvalid, "%q", text)
	}
	_, err := leaderboard.Float(math.NaN()).MarshalText()
	require.ErrorIs(t, err, plaza.ErrInvalid)
}

func FuzzParseScore(f *testing.F) {
	for _, file := range []string{"score-valid.txt", "score-invalid.txt"} {
		for _, text := range lines(f, file) {
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		if s, err := leaderboard.ParseScore(text); err == nil {
			require.Equal(t, text, s.String())
		} else {
			require.ErrorIs(t, err, plaza.ErrInvalid)
		}
	})
}

func TestScoresAreWhatTheyWereMadeOf(t *testing.T) {
	t.Parallel()
	var zero leaderboard.Score
	require.Equal(t, leaderboard.Int(0), zero)
	require.Equal(t, leaderboard.Float(0), leaderboard.Float(math.Copysign(0, -1)))
	require.NotEqual(t, leaderboard.Int(1), leaderboard.Float(1))
	for _, v := range []int64{math.MinInt64, -1, 0, 1, math.MaxInt64} {
		require.Equal(t, v, leaderboard.Int(v).Int64())
		require.Equal(t, float64(v), leaderboard.Int(v).Float64())
	}
	ordered := []float64{math.Inf(-1), -1e126, -5e-324, 0, 5e-324, 0.1, 1e126, math.Inf(1)}
	for i, v := range ordered {
		require.Equal(t, v, leaderboard.Float(v).Float64())
		require.Zero(t, leaderboard.Float(v).Int64())
		for j, other := range ordered {
			require.Equal(t, i < j, leaderboard.Float(v).Compare(leaderboard.Float(other)) < 0)
		}
	}
	require.Positive(t, leaderboard.Int(1).Compare(leaderboard.Int(-1)))
}
