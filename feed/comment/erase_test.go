package comment_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/feed/comment"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/pagetest"
)

// populate adds comments of chris to two objects: roots, first and further
// replies, tombstones, hidden ones, removed ones, keys and places in Top. It
// returns the comments of others, which stay.
func populate(t *testing.T, w world) (others []ids.ID) {
	t.Helper()
	root := w.says(t, "ann", "nest")
	others = append(others, root.ID)
	for range 3 {
		w.replies(t, "chris", root)
		others = append(others, w.replies(t, "ann", root).ID)
	}
	w.says(t, "eve", "nest")
	own := w.add(t, comment.Comment{Object: "nest", User: "chris", Key: "1"})
	answered := w.replies(t, "chris", own)
	others = append(others, w.replies(t, "ann", answered).ID)
	removed := w.says(t, "chris", "tree")
	others = append(others, w.replies(t, "ann", removed).ID)
	w.delete(t, removed)
	w.delete(t, w.says(t, "chris", "tree"))
	w.hide(t, w.says(t, "chris", "tree"))
	_, err := w.UpdateScore(t.Context(), own.Address())
	require.NoError(t, err)
	return others
}

// traces are the items that contain a name.
func (w world) traces(t *testing.T, name string) []string {
	t.Helper()
	var traces []string
	for key, item := range w.state(t) {
		if strings.Contains(fmt.Sprint(key, item), name) {
			traces = append(traces, key)
		}
	}
	return traces
}

// requireErased fails unless there is no trace of chris, all comments of others
// are there, and the counts equal the lists.
func requireErased(t *testing.T, w world, others []ids.ID) {
	t.Helper()
	require.Empty(t, w.traces(t, "chris"))
	require.ElementsMatch(t, others, idsOf(pagetest.All(t, of(w.ByUser, "ann", nil), 50)))
	w.requireWhole(t, "nest")
	w.requireWhole(t, "tree")
}

// requireNoNest fails if there is anything of nest but what expires, or if anything of tree
// is gone.
func requireNoNest(t *testing.T, w world, others []ids.ID) {
	t.Helper()
	state := w.state(t)
	for _, key := range w.traces(t, "nest") {
		require.Contains(t, "KM", key[:1])
		require.NotNil(t, state[key]["ttl"], key)
	}
	for key, item := range state {
		require.False(t, strings.HasPrefix(key, "M#") && item["object"] == nil, key)
	}
	require.Equal(t, others[len(others)-1:], idsOf(pagetest.All(t, of(w.ByUser, "ann", nil), 50)))
	w.requireWhole(t, "tree")
}

// TestErasingIsFinishedByARepeat kills Erase and EraseObject at each of their writes in
// turn, and at none.
func TestErasingIsFinishedByARepeat(t *testing.T) {
	t.Parallel()
	eraseNest := func(ctx context.Context, w world) error { return w.EraseObject(ctx, "nest") }
	for name, c := range map[string]struct {
		erase   func(context.Context, world) error
		deletes bool // before the repeat
		check   func(t *testing.T, w world, others []ids.ID)
	}{
		"a user":                               {func(ctx context.Context, w world) error { return w.Erase(ctx, "chris") }, false, requireErased},
		"an object":                            {eraseNest, false, requireNoNest},
		"an object whose comments are deleted": {eraseNest, true, requireNoNest},
	} {
		for how, kill := range faults.Sample(2, map[string]func(*faults.Injector, int){
			"applied":     (*faults.Injector).KillAt,
			"not applied": (*faults.Injector).KillBefore,
		}) {
			t.Run(name+", "+how, func(t *testing.T) {
				t.Parallel()
				for k, killed := faults.Size(1, 2), true; killed; k += faults.Size(2, 3) { // all: once between any two writes
					w, _ := newScored(t)
					others := populate(t, w)
					stored := pagetest.All(t, of(w.ByObject, "nest", nil), 50)
					in := faults.New(t, uint64(k), faults.Rates{})
					kill(in, k)
					err := c.erase(t.Context(), w.process(t, nil, in.Wrap))
					if killed = err != nil; killed {
						require.ErrorIs(t, err, faults.ErrKilled)
						for i := 0; i < len(stored) && c.deletes; i++ {
							_, _ = w.Delete(t.Context(), comment.Action{Address: stored[i].Address(), User: stored[i].User}) // may fail
						}
						require.NoError(t, c.erase(t.Context(), w))
					} else {
						require.Greater(t, k, 5)
					}
					c.check(t, w, others)
					if !killed { // it may be repeated, and the user may come back
						require.NoError(t, c.erase(t.Context(), w))
						c.check(t, w, others)
						w.add(t, comment.Comment{Object: "nest", User: "chris", Key: name})
					}
				}
			})
		}
	}
}

func TestEraseRemovesTheUserAsAModeratorOfTheirOwnComment(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	own := w.says(t, "chris", "blog")
	w.replies(t, "ann", own)
	_, err := w.Remove(t.Context(), own.Address(), comment.Removal{By: "chris", Reason: "mine"})
	require.NoError(t, err)
	require.NoError(t, w.Erase(t.Context(), "chris"))
	require.Empty(t, w.get(t, own).Removed.By)
	require.Empty(t, w.traces(t, "chris"))
}

// Every write of a busy table is refused once in a while, so an Erase that began again each
// time would not come to an end.
func TestErasingGoesOnWhereItStopped(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for range 60 {
		w.delete(t, w.says(t, "chris", "blog"))
	}
	in := faults.New(t, 1, faults.Rates{})
	in.Script(func(_ string, _ []byte, n int) faults.Fault {
		if n%40 < 3 { // each of the SDK's attempts
			return faults.Fault{Kind: faults.Throttled}
		}
		return faults.Fault{}
	})
	calls := faults.Acknowledged(t, func() error { return w.process(t, nil, in.Wrap).Erase(t.Context(), "chris") })
	require.Greater(t, calls, 1)
	require.Empty(t, w.traces(t, "chris"))
}
