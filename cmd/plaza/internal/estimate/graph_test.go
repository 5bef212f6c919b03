package estimate

import (
	"bytes"
	"compress/gzip"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/faults"
)

func TestALawGivesEveryFollowToSomebody(t *testing.T) {
	t.Parallel()
	for _, users := range faults.Some(4, []int64{2, 10, 1000, 1e6, 10_000, 1e8}...) {
		for _, s := range faults.Some(4, 0, 0.8, 1, 3, 0.5, 1.5) {
			for _, follows := range faults.Some(3, 0.5, 5, 1000, 1, 50) {
				if follows > float64(users-1) {
					continue
				}
				g := zipf(users, follows, s)
				require.InEpsilon(t, float64(users)*follows, g.edges(), 1e-6, "%d users, %g follows, exponent %g", users, follows, s)
				people := 0.0
				for i, b := range g {
					people += b.users
					require.LessOrEqual(t, b.followers, float64(users-1))
					require.True(t, i == 0 || b.followers <= g[i-1].followers)
				}
				require.Equal(t, float64(users), people)
			}
		}
	}
}

func TestFollowersFallWithTheExponent(t *testing.T) {
	t.Parallel()
	g := zipf(1e6, 10, 0.8)
	require.InEpsilon(t, g[0].followers/math.Pow(1000, 0.8), g[999].followers, 1e-9)
}

// A bin of many ranks holds what these ranks hold together.
func TestBinsAreAsManyAsTheirRanks(t *testing.T) {
	t.Parallel()
	n := faults.Size(200_000, 50_000)
	for _, s := range []float64{0, 0.8, 1, 2} {
		want := 0.0
		for rank := 1; rank <= n; rank++ {
			want += math.Pow(float64(rank), -s)
		}
		require.InEpsilon(t, want, graph(ranks(float64(n), s)).edges(), 1e-6, "exponent %g", s)
	}
	require.Less(t, len(ranks(1e12, 0.8)), 20_000)
}

func TestAnEdgeListIsReadOrRefused(t *testing.T) {
	t.Parallel()
	const list = "# who whom\n\nann cat\nben\tcat\r\n  dan ann\n"
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	_, err := z.Write([]byte(list))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	for name, text := range map[string]string{"plain": list, "gzipped": zipped.String()} {
		g, users, err := readEdges(strings.NewReader(text))
		require.NoError(t, err, name)
		require.EqualValues(t, 4, users, name)
		require.Equal(t, graph{{1, 2}, {1, 1}, {2, 0}}, g, name)
	}
	for _, broken := range []string{"a\n", "a b c\n", "a a\n", "a b\n" + strings.Repeat("x", maxLine+1), zipped.String()[:20]} {
		_, _, err := readEdges(strings.NewReader(broken))
		require.Error(t, err)
		var invalid *plaza.InvalidError
		if strings.Count(broken, "a") > 0 && len(broken) < 10 {
			require.ErrorAs(t, err, &invalid, "%q", broken)
		}
	}
}
