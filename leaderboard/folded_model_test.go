package leaderboard_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/leaderboard"
)

// load puts the entries of places on a board of one shard and default orders.
func (w world) load(t testing.TB, board string, places []place) {
	t.Helper()
	items := make([]any, len(places))
	for i, p := range places {
		items[i] = p.item(board, "0")
	}
	w.put(t, items...)
}

// item is an entry's item on a board of default orders that never resets.
func (p place) item(board, shard string) map[string]any {
	at := noon.Add(time.Duration(p.at-3600) * time.Second).UnixNano()
	item := map[string]any{
		"pk": keys.Join("P", p.player), "sk": keys.Join("LB", board, forever),
		"part": keys.Join(board, forever, shard), "key": orderKey(p.score, p.sub, at, p.player),
		"score": fmt.Sprint(p.score), "rev": 1, "lastOp": ids.At(noon),
	}
	if p.sub != 0 {
		item["sub"] = p.sub
	}
	return item
}

// crowded returns n places of which two thirds tie, more than a leaf holds.
func crowded(n int) []place {
	places := make([]place, n)
	for i := range places {
		places[i] = place{player: fmt.Sprintf("crowd %04d", i), at: i % 3}
		if i%3 == 0 {
			places[i].score, places[i].sub = int64(i%5-2), int64(i/5%2)
		}
	}
	return places
}

// The boards have several leaves, and ties go over some of them.
func TestFoldedRanksOfManyEqualBruteForce(t *testing.T) {
	t.Parallel()
	w := newOwn(t, leaderboard.Table)
	m := modelBoard{leaderboard.Board{Name: "b", Operator: leaderboard.Set, Shards: 3, Ranking: leaderboard.RankByFold}, map[string]place{}, map[string]place{}}
	w.define(t, leaderboard.Board{Name: "b", Operator: leaderboard.Set})
	w.play(t, "b", "opens 0")
	m.shown["opens"] = place{"opens", 0, 0, 0}
	places := crowded(faults.Size(2000, 700))
	w.load(t, "b", places)
	for _, p := range places {
		m.shown[p.player] = p
	}
	w.define(t, m.board)
	w.submit(t, score("b", "opens", 0, 0)) // opens the shards
	w.set(noon.Add(3 * time.Minute))
	w = w.followed(t)
	run := 0
	rapid.Check(t, func(t *rapid.T) {
		if run++; run > faults.Size(10, 1) {
			return
		}
		for range faults.Size(20, 12) {
			m.change(t, w)
		}
		w.publish(t)
		m.compareMany(t, w)
	})
}

func (r modelBoard) compareMany(t *rapid.T, w world) {
	want := r.ranked(r.all(r.shown))
	place := rapid.IntRange(0, len(want)-1)
	r.compareCounts(t, w, want)
	r.compareAroundScore(t, w, want, 10)
	for range faults.Size(4, 2) {
		r.compareRange(t, w, want, int64(place.Draw(t, "from"))+1, rapid.IntRange(1, 100).Draw(t, "limit"))
	}
	for range faults.Size(8, 4) {
		i := place.Draw(t, "place")
		require.Equal(t, leaderboard.Position{Ordinal: want[i].ordinal, Rank: want[i].competition}, w.rank(t, in("b"), want[i].player))
		r.compareAround(t, w, want, i, 9)
		r.compareScoreAt(t, w, want)
	}
}
