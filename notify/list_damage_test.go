package notify_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/internal/calls/callstest"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/group"
	"github.com/plaza-sdk/plaza/notify"
)

func TestDamagedRowsAreLeftOutAndReported(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	reported := map[string]bool{}
	var live board
	w := newWorld(t, &notify.Options{Consistent: true, Announcements: &live, OnCorrupt: func(e *plaza.CorruptError) {
		mu.Lock()
		defer mu.Unlock()
		reported[strings.TrimPrefix(e.SK, "G#")] = true
	}})
	damage := map[string]func(*raw){
		"no write":         func(g *raw) { g.Last = 0 },
		"too many events":  func(g *raw) { g.N = 101 },
		"no activity":      func(g *raw) { g.Data = `{"id":7}` },
		"half a surrogate": func(g *raw) { g.Data = `{"verb":"\ud800"}` },
		"no data":          func(g *raw) { g.Data = "" },
		"no actor":         func(g *raw) { g.Actor = ":" },
		"no id":            func(g *raw) { g.Place = "lower" },
		"an odd place":     func(g *raw) { g.Place += "more" },
		"no group":         func(g *raw) { g.SK = "H" + g.SK },
		"beyond all":       func(g *raw) { g.Place = "}" },
		"not ASCII":        func(g *raw) { g.Place = "7鳥\x00" },
	}
	n := 0
	for _, change := range damage {
		w.put(t, in("ann", n))
		w.forge(t, in("ann", 1000+n), change)
		n++
	}
	var want []int
	for i := range n {
		want = append(want, n-1-i)
	}
	for _, limit := range faults.Some(2, 2, 100, 1) {
		var got []string
		for e, err := range cursor.All(t.Context(), func(ctx context.Context, req cursor.PageRequest) (cursor.Page[notify.Entry], error) {
			return w.List(ctx, reader("ann"), cursor.PageRequest{Cursor: req.Cursor, Limit: limit})
		}) {
			require.NoError(t, err)
			got = append(got, names([]notify.Entry{e})...)
		}
		require.Equal(t, groups("ann", want...), got)
	}
	require.Len(t, reported, n)
	require.Equal(t, n, w.unseen(t, "ann"))
	w.allRead(t, "ann")
	require.Equal(t, 0, w.unseen(t, "ann"))
}

func TestManyDamagedRowsStopNoReader(t *testing.T) {
	t.Parallel()
	stated := callstest.ReadCosts(t, "..", "notify")
	most := stated.Of("Repository.List", "4 KB", "a later page", "past expired or damaged rows, at most").
		Plus(stated.Times(26, "Repository.List", "each further 4 KB"))
	meter := dynamotest.NewMeter()
	w := newWorld(t, nil, meter.Wrap)
	w.put(t, in("ann", 1))
	w.forgeMany(t, "ann", 1000, 200, func(n int, g *raw) { g.Place, g.N = fmt.Sprintf("5-%03d", n), 101 })
	w.forge(t, in("ann", 2), func(g *raw) { g.Place = group.Place(group.Listed, 1<<63-1, g.SK) })
	for _, limit := range []int{1, 20} {
		var got []string
		req := cursor.PageRequest{Limit: limit}
		for {
			var page cursor.Page[notify.Entry]
			var err error
			meter.AtMost(t, "a page", most, func() { page, err = w.List(t.Context(), reader("ann"), req) })
			require.NoError(t, err)
			got = append(got, names(page.Items)...)
			if page.Next == "" {
				break
			}
			require.NotEqual(t, req.Cursor, page.Next)
			req.Cursor = page.Next
		}
		require.Equal(t, groups("ann", 2, 1), got)
	}
}
