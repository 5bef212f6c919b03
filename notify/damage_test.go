package notify_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

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
	most := stated.Of("Repository.List", "4 KB", "a later page", "past rows that are hidden, expired or damaged, at most").
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

func TestADamagedStateHidesNothing(t *testing.T) {
	t.Parallel()
	var damaged []string
	var mu sync.Mutex
	w := newWorld(t, &notify.Options{Consistent: true, OnCorrupt: func(e *plaza.CorruptError) {
		mu.Lock()
		defer mu.Unlock()
		damaged = append(damaged, e.SK)
	}})
	for name, state := range faults.Sample(3, map[string]map[string]any{
		"no state":       {"rev": 1},
		"no map":         {"rev": 1, "s": "text"},
		"no rev":         {"s": map[string]any{"w": "306SKMT000001"}},
		"a bad id":       {"rev": 1, "s": map[string]any{"w": "lower"}},
		"a bad list":     {"rev": 1, "s": map[string]any{"x": []byte{0, 1, 2}}},
		"an empty list":  {"rev": 1, "s": map[string]any{"x": "text"}},
		"out of order":   {"rev": 1, "s": map[string]any{"rx": append(append([]byte{0}, make([]byte, 15)...), 1)}},
		"bad dismissals": {"rev": 1, "s": map[string]any{"gone": []byte{0, 1}}},
		"odd dismissals": {"rev": 1, "s": map[string]any{"gone": []byte{}, "wake": 7}},
	}) {
		w.forgeMany(t, name, 0, 3, asWritten)
		state["pk"], state["sk"], state["last"] = userPK(name), "S", "~"
		require.NoError(t, w.items(t).Put(state).Run(t.Context()))
		damaged = nil
		require.Len(t, w.list(t, name), 3)
		require.Equal(t, 3, w.unseen(t, name))
		require.Equal(t, []string{"S", "S"}, damaged, name)
		page, err := w.List(t.Context(), reader(name), cursor.PageRequest{Limit: 1})
		require.NoError(t, err)
		page, err = w.List(t.Context(), reader(name), cursor.PageRequest{Limit: 1, Cursor: page.Next})
		require.NoError(t, err)
		require.Len(t, page.Items, 1)
		view := notify.See(page.Items)
		for _, err := range []error{
			errOf(w.MarkSeen(t.Context(), name, view)), errOf(w.MarkAllRead(t.Context(), name, view)), errOf(w.Dismiss(t.Context(), name, 7)),
		} {
			require.ErrorIs(t, err, plaza.ErrCorrupt, name)
		}
		_, err = w.Snooze(t.Context(), in(name, 1), w.Now().Add(time.Hour))
		require.ErrorIs(t, err, plaza.ErrCorrupt, name)
		require.Len(t, w.list(t, name), 3, "a group that nobody would wake is not hidden")
	}
}

// Of whatever type an attribute is, the error of each call says that the group is damaged,
// if the call notices.
func TestADamagedGroupIsNamed(t *testing.T) {
	t.Parallel()
	until := noon.Add(time.Hour)
	for i, attribute := range []string{"n", "rev", "lv", "ttl", "a1", "last", "data", "past", "cut", "floor", "was", "read", "more", "eX"} {
		for j, value := range []any{"bad", 7, true, []string{"x"}} {
			if attribute == "last" && value != "bad" || (i+j)%faults.Size(1, 5) > 0 {
				continue
			}
			w := newWorld(t, nil)
			n := w.like("ann")
			w.store(t, n)
			to, write := notify.In{User: "bob", Group: "photo:1#like#2026-03-10"}, w.items(t).Update("pk", "N#bob").Range("sk", "G#photo:1#like#2026-03-10")
			require.NoError(t, write.SetExpr("$ = ?", attribute, value).Run(t.Context()))
			for what, err := range map[string]error{
				"notify":    errOf3(w.Notify(t.Context(), w.like("chris"))),
				"same":      errOf3(w.Notify(t.Context(), n)),
				"retract":   errOf(w.Retract(t.Context(), n)),
				"target":    errOf(w.RetractTarget(t.Context(), "bob", n.Activity.Object)),
				"archive":   errOf(w.Archive(t.Context(), to)),
				"unarchive": errOf(w.Unarchive(t.Context(), to)),
				"snooze":    errOf(w.Snooze(t.Context(), to, until)),
				"unsnooze":  errOf(w.Unsnooze(t.Context(), to)),
				"unread":    errOf(w.MarkUnread(t.Context(), to)),
				"read":      errOf(w.MarkRead(t.Context(), "bob", []notify.Shown{{Group: to.Group, Last: 1<<63 - 1}})),
			} {
				noticed := errors.Is(err, plaza.ErrCorrupt)
				require.True(t, noticed || err == nil || errors.Is(err, plaza.ErrConflict), "%s of %s = %v: %v", what, attribute, value, err)
				if attribute == "n" && value == "bad" || attribute == "eX" && what == "target" {
					require.True(t, noticed, "%s of %s = %v: %v", what, attribute, value, err)
				}
			}
		}
	}
}
