package leaderboard_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/leaderboard"
)

// put writes items directly to the table.
func (w world) put(t testing.TB, items ...any) {
	t.Helper()
	_, err := w.raw(t).Batch().Write().Put(items...).Run(t.Context())
	require.NoError(t, err)
}

// pagesTake reads a list to its end, and requires that no page takes more requests.
func pagesTake[T any](t *testing.T, most int, sent *faults.Injector, list func(context.Context, cursor.PageRequest) (cursor.Page[T], error)) (items []T) {
	t.Helper()
	for req := (cursor.PageRequest{Limit: faults.Size(25, 2)}); ; {
		before := sent.Requests()
		page, err := list(t.Context(), req)
		require.NoError(t, err)
		require.LessOrEqual(t, sent.Requests()-before, most)
		items = append(items, page.Items...)
		if req.Cursor = page.Next; req.Cursor == "" {
			return items
		}
	}
}

// The lists are full of items that are not shown.
func TestPagesAreBoundedWhateverIsStored(t *testing.T) {
	t.Parallel()
	n := faults.Size(2000, 200) // more than a page's six reads cover
	t.Run("boards of a player who was removed from most", func(t *testing.T) {
		t.Parallel()
		sent := faults.New(t, 1, faults.Rates{})
		w := newWorld(t, nil, sent.Wrap)
		var items []any
		for i := range n {
			e := map[string]any{"pk": "P#ann", "sk": fmt.Sprintf("LB#b%04d#%s", i, forever), "removed": w.id(), "ttl": 1}
			if i%2 == 0 { // removed by Remove, which keeps these
				e["rev"], e["ops"], e["name"] = 1, make([]byte, 8+16*29), "a name"
			}
			items = append(items, e)
		}
		w.put(t, items...)
		w.define(t, leaderboard.Board{Name: "a"})
		w.play(t, "a", "ann 1")
		require.Len(t, pagesTake(t, 7, sent, w.boardsOf("ann")), 1, "6, and 1 for each further MB")
	})
	t.Run("periods that have expired", func(t *testing.T) {
		t.Parallel()
		sent := faults.New(t, 1, faults.Rates{})
		w := newWorld(t, nil, sent.Wrap)
		w.define(t, leaderboard.Board{Name: "b", Cron: "@hourly"})
		w.submit(t, leaderboard.Submission{Board: "b", Player: "ann", Score: leaderboard.Int(1)})
		var items []any
		for i := range n {
			start := noon.Add(-time.Duration(i+1) * time.Hour)
			items = append(items, map[string]any{"pk": "B#b", "sk": start.Format("T#20060102T150405Z"), "end": start.Add(time.Hour), "shards": 1, "expires": 1})
		}
		w.put(t, items...)
		require.Len(t, pagesTake(t, 6, sent, w.periodsOf("b")), 1)
	})
	for _, shards := range []int{4, 1}[:faults.Size(2, 1)] {
		t.Run(fmt.Sprint("damaged entries in shards: ", shards), func(t *testing.T) {
			t.Parallel()
			sent := faults.New(t, 1, faults.Rates{})
			w := newWorld(t, nil, sent.Wrap)
			w.define(t, leaderboard.Board{Name: "b", Shards: shards})
			w.play(t, "b", "top 1000000", "low -1")
			var items []any
			for i := range n {
				key := orderKey(int64(n-i), 0, 0, "x")
				if i%2 == 0 {
					key = key[:7] // hundreds have the same
					key = append(key, byte(i>>8), byte(i))
				}
				for _, part := range []string{fmt.Sprint("b#", forever, "#", i%3%shards), "c"} { // most of them in one partition
					if i%10 == 0 && part == "c" {
						part = fmt.Sprint("b#", forever, "#hidden")
					}
					items = append(items, dynamo.Item{
						"pk": textOf(fmt.Sprint("P#p", i, part)), "sk": textOf("LB#b#" + forever), "key": bytesOf(key...), "part": textOf(part), "rev": numberOf("1"),
					})
				}
			}
			w.put(t, items...)
			rows := pagesTake(t, 6*shards, sent, w.top(in("b")))
			require.Len(t, rows, 2)
			require.EqualValues(t, n+2, rows[1].Ordinal)
			require.Empty(t, pagesTake(t, 6, sent, w.hiddenOf(in("b"))))
			require.Equal(t, rows, readDownAndUp(t, w.top(in("b")), faults.Size(25, 2)))
		})
	}
	t.Run("definitions that are damaged or going", func(t *testing.T) {
		t.Parallel()
		sent := faults.New(t, 1, faults.Rates{})
		w := newWorld(t, nil, sent.Wrap)
		var items []any
		for i := range n {
			d := map[string]any{"pk": "B#", "sk": fmt.Sprintf("b%04d", i), "ver": 1, "operator": "best", "shards": 0}
			if i%2 == 0 {
				d["shards"], d["undefine"] = 1, noon
			}
			items = append(items, d)
		}
		w.put(t, items...)
		w.define(t, leaderboard.Board{Name: "z"})
		require.Len(t, pagesTake(t, 6, sent, w.Definitions), 1)
	})
}

// One of two shards has so many damaged rows that a round does not reach the next
// valid one.
func TestRowsBeyondARoundOfAShardAreNotSkipped(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.define(t, leaderboard.Board{Name: "b", Shards: 2})
	w.play(t, "b", "end -1")
	var items []any
	item := func(player string, shard int, v int64, key []byte) {
		items = append(items, dynamo.Item{
			"pk": textOf("P#" + player), "sk": textOf("LB#b#" + forever), "part": textOf(fmt.Sprint("b#", forever, "#", shard)),
			"key": bytesOf(key...), "rev": numberOf("1"), "score": textOf(fmt.Sprint(v)),
		})
	}
	for i := range 800 {
		item(fmt.Sprint("damaged", i), 0, 0, orderKey(int64(5000-i), 0, 0, "x"))
	}
	item("mid", 0, 1000, orderKey(1000, 0, 0, "mid"))
	for i := range 100 {
		player := fmt.Sprintf("low%02d", i)
		item(player, 1, int64(100-i), orderKey(int64(100-i), 0, 0, player))
	}
	w.put(t, items...)
	rows := all(t, 0, w.top(in("b")))
	require.Len(t, rows, 102)
	require.Equal(t, "mid", rows[0].Player)
	for i, row := range rows {
		require.EqualValues(t, 801+i, row.Ordinal)
	}
}
