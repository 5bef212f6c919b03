package follow_test

import (
	"bytes"
	"cmp"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// stars has edges of star with n fans, all but a few of whom it follows back,
// and edges among the fans.
func stars(t testing.TB, w world, n int) (ofStar, others []follow.Edge) {
	for i, e := range w.fans(t, "star", n) {
		ofStar = append(ofStar, e)
		if i > 2 {
			ofStar = append(ofStar, w.follow(t, "star", e.Follower))
			others = append(others, w.follow(t, e.Follower, fmt.Sprintf("star-fan-%03d", i/2)))
		}
	}
	return ofStar, others
}

// requireErased finds nothing of star but which of its pairs have ended, in
// items that expire, and returns these pairs.
func requireErased(t testing.TB, w world, left []follow.Edge) (ended []pair) {
	t.Helper()
	requireStored(t, w, left)
	for key, item := range scan(t, w) {
		if follower, ok := strings.CutPrefix(key[0], "E#"); ok && (follower == "star" || key[1] == "star") {
			require.NotContains(t, item, "id")
			ended = append(ended, pair{follower, key[1]})
			continue
		}
		require.NotContains(t, key[0]+"#", "#star#")
		require.NotEqual(t, "star", key[1])
		for _, value := range item {
			require.NotEqual(t, "star", value)
		}
	}
	return ended
}

func pairsOf(edges []follow.Edge) []pair {
	var of []pair
	for _, e := range edges {
		of = append(of, pair{e.Follower, e.Followee})
	}
	return of
}

func TestEraseEndsEverythingOfAUser(t *testing.T) {
	t.Parallel()
	for _, shards := range []int{1, 8} {
		t.Run(fmt.Sprint(shards, " shards"), func(t *testing.T) {
			t.Parallel()
			m := dynamotest.NewMeter()
			w := newWorld(t, sharded(shards), m.Wrap)
			edges, others := stars(t, w, 30)
			n := len(edges)
			m.AtMost(t, "Erase", dynamotest.Cost{
				Requests: n + 8*(shards+2),
				Write:    float64(10*n + 2*shards),
				Read:     float64(n + 16*(shards+2)),
			}, func() { require.NoError(t, w.Erase(t.Context(), "star")) })
			require.ElementsMatch(t, pairsOf(edges), requireErased(t, w, others))
			before := scan(t, w)
			require.NoError(t, w.Erase(t.Context(), "star"))
			require.Equal(t, before, scan(t, w))

			// The user may come back.
			others = append(others, w.follow(t, "star", "star-fan-000"), w.follow(t, "star-fan-000", "star"))
			requireStored(t, w, others)
		})
	}
}

func TestEraseEndsTornEdges(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sharded(4))
	edges, others := stars(t, w, 8)
	table := scan(t, w)
	h := hand{t: t, table: dynamotest.DB(t).Table(w.table)}
	for i, e := range edges {
		id := e.ID.String()
		shard := cmp.Or(table[[2]string{"E#" + e.Follower, e.Followee}]["shard"], "0")
		pieces := [][2]string{{"E#" + e.Follower, e.Followee}, {"F#" + e.Follower, id}, {"R#" + e.Followee + "#" + shard, id}}
		// Of each edge another one is gone; what is only known to the other
		// user is theirs to repair.
		if lost := i % 3; lost != 2 || e.Follower == "star" {
			h.remove(pieces[lost])
		}
	}
	h.set([2]string{"C#star", "0"}, "following", -3)
	require.NoError(t, w.Erase(t.Context(), "star"))
	for user := range 8 {
		_, err := w.Repair(t.Context(), fmt.Sprintf("star-fan-%03d", user))
		require.NoError(t, err)
	}
	requireErased(t, w, others)
}

func TestEraseUnderFaultsAndKills(t *testing.T) {
	t.Parallel()
	for seed := range faults.Seeds(20) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, sharded(1+int(seed)%4))
			edges, others := stars(t, w, 12)
			w.persist(t, rand.New(rand.NewPCG(seed, 2)), func(process world) error {
				return process.Erase(t.Context(), "star")
			})
			require.ElementsMatch(t, pairsOf(edges), requireErased(t, w, others))
		})
	}
}

func TestEraseMeetsNewEdges(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	edges, others := stars(t, w, 5)
	arrivals := 0
	most := 3
	busy := w.watched(t, nil, func(op string, body []byte) {
		counters := op == "TransactWriteItems" && bytes.Contains(body, []byte(`"C#star"`)) && !bytes.Contains(body, []byte(`"E#`))
		if counters && arrivals < most {
			arrivals++
			w.follow(t, fmt.Sprint("late", arrivals), "star")
		}
	})
	require.NoError(t, busy.Erase(t.Context(), "star"))
	require.Equal(t, most, arrivals)
	for i := range arrivals {
		edges = append(edges, follow.Edge{Follower: fmt.Sprint("late", 1+i), Followee: "star"})
	}
	require.ElementsMatch(t, pairsOf(edges), requireErased(t, w, others))

	w.follow(t, "late0", "star")
	most = 100
	require.ErrorIs(t, busy.Erase(t.Context(), "star"), plaza.ErrBusy)
	require.NoError(t, w.Erase(t.Context(), "star"))
	requireErased(t, w, others)
}
