package leaderboard_test

import (
	"bytes"
	"encoding/json"
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

func TestScoresKeepTheirValue(t *testing.T) {
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

func TestAScoreReadsAJSONNumber(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]leaderboard.Score{
		`90`: leaderboard.Int(90), `"90"`: leaderboard.Int(90), `-0`: leaderboard.Int(0), ` 7 `: leaderboard.Int(7),
		`9223372036854775807`: leaderboard.Int(math.MaxInt64), `-9223372036854775808`: leaderboard.Int(math.MinInt64), `9007199254740993`: leaderboard.Int(9007199254740993),
		`1.5`: leaderboard.Float(1.5), `"1.5"`: leaderboard.Float(1.5), `90.0`: leaderboard.Float(90), `1e126`: leaderboard.Float(1e126), `"1e+126"`: leaderboard.Float(1e126), `1E2`: leaderboard.Float(100), `-0.0`: leaderboard.Float(0),
		`9223372036854775808`: leaderboard.Float(9223372036854775808), `1e-400`: leaderboard.Float(0), `"+Inf"`: leaderboard.Float(math.Inf(1)), `"-Inf"`: leaderboard.Float(math.Inf(-1)),
	} {
		var got leaderboard.Score
		require.NoError(t, json.Unmarshal([]byte(text), &got), text)
		require.Equal(t, want, got, text)
		require.NoError(t, got.UnmarshalJSON([]byte(text)), text)
		again, err := json.Marshal(got)
		require.NoError(t, err)
		require.Equal(t, `"`+want.String()+`"`, string(again))
	}
	for _, text := range []string{
		`null`, `""`, `"NaN"`, `NaN`, `"090"`, `"1.50"`, `"x"`, `true`, `{}`, `[]`, `[1]`, `1e400`, `-1e400`, `+1`, `0x10`, `1_000`, `Inf`, ``, `"1`, `"+90"`, `" 90"`,
	} {
		got := leaderboard.Int(5)
		require.Error(t, json.Unmarshal([]byte(text), &got), text)
		require.ErrorIs(t, got.UnmarshalJSON([]byte(text)), plaza.ErrInvalid, text)
		require.Equal(t, leaderboard.Int(5), got, text)
	}
}

func FuzzScoreJSON(f *testing.F) {
	for _, text := range []string{`90`, `"90"`, `1e126`, `null`, `"NaN"`, `1e400`, `-0`, `"\u0039"`, ` "9"`, `{"a":1}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var s leaderboard.Score
		if err := s.UnmarshalJSON(data); err != nil {
			require.ErrorIs(t, err, plaza.ErrInvalid)
			require.Zero(t, s)
			return
		}
		require.True(t, json.Valid(data))
		again, err := json.Marshal(s)
		require.NoError(t, err)
		var back leaderboard.Score
		require.NoError(t, json.Unmarshal(again, &back))
		require.Equal(t, s, back)
		if number := bytes.TrimSpace(data); number[0] != '"' && s.Kind() == leaderboard.KindInt {
			v, err := json.Number(number).Int64()
			require.NoError(t, err)
			require.Equal(t, v, s.Int64(), "exact")
		}
	})
}
