package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/worldtest"
)

// What an erasure does is tested in package kit.

func TestAnErasureIsContinuedByTheSameCommand(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Seed()
	killed := 0
	for run := 1; ; run++ {
		in := faults.New(t, uint64(run), faults.Rates{})
		in.KillAt(5 * run)
		w.wrap = in.Wrap
		got := w.run("erase", "--user", ann, "--yes", "--machine", fmt.Sprint(100+run))
		if got.code == exitFine {
			require.Contains(t, got.stdout, "ratelimit.Table")
			require.Regexp(t, `after \d\d:\d\d:\d\d: indexes lag`, got.stdout)
			break
		}
		killed++
		require.Contains(t, got.stderr, continues)
		require.Less(t, run, 80)
	}
	require.Greater(t, killed, 3)
	w.wrap = nil
	w.ends(exitFine, "check", "--all", "--kind", "like,love")
	got := w.ends(exitFine, "erase", "--user", ann, "--yes", "--machine", "9")
	require.Regexp(t, `(?s)1/10 pulled source: 1 request.*2/10 follow: 1 request.*10/10 notify: 1 request`, got.stderr)
}

// cancelAt returns a context that ends with the n-th request of the next command.
func (w *world) cancelAt(n int64) context.Context {
	ctx, cancel := context.WithCancel(w.t.Context())
	w.before(func(sent int64) error {
		if sent == n {
			cancel()
		}
		return nil
	})
	return ctx
}

func TestAnErasureAsksFirstStopsWhenToldAndTakesObjectsAlong(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "machines", "comment", "reaction", "danmu")
	w.SeedComments()
	w.SeedReactions()
	w.SeedDanmu()
	erase := []string{"erase", "--user", ann, "--only", "machines,comment,reaction,danmu"}
	before := len(w.Of(ann))

	for _, answer := range []string{"", "no\n", "ann\n", ann + "x\n"} {
		got := w.runIn(t.Context(), answer, erase...)
		require.Equal(t, exitFailure, got.code)
		require.Contains(t, got.stderr, "nothing was erased")
	}
	require.Len(t, w.Of(ann), before)

	objects := filepath.Join(t.TempDir(), "objects")
	require.NoError(t, os.WriteFile(objects, []byte("photo:1\n\nvideo\n"), 0o600))
	ctx := w.cancelAt(22) // once the tables were verified
	got := w.runIn(ctx, ann+"\n", append(erase, "--objects", objects)...)
	require.Equal(t, exitFailure, got.code)
	require.Contains(t, got.stderr, "interrupted\n"+continues)

	w.wrap = nil
	got = w.runIn(t.Context(), ann+"\n", append(erase, "--objects", objects)...)
	require.Zero(t, got.code, got.stderr)
	require.Contains(t, got.stderr, "6/6 danmu")
	require.Contains(t, got.stdout, "with the ids of the objects\n  comment: ")
	for _, s := range w.Scan() {
		require.NotRegexp(t, `^(comment [TFRN]#|danmu [DM]#|reaction L#photo:1)`, s.Key())
	}
}

func TestNothingIsErasedWhereATableIsWrong(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "machines", "comment", "reaction")
	w.SeedComments()
	before := w.Scan()
	got := w.ends(exitFailure, "erase", "--user", ann, "--yes", "--only", "machines,comment,reaction", "--table", "reaction=none")
	require.Contains(t, got.stderr, "nothing was erased")
	require.Equal(t, before, w.Scan())
}

func TestAPulledSourceIsNotErasedWithoutIDs(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "follow", "feed")
	feeds := worldtest.Must[*feed.Repository](w.World)(feed.New(w.DB, w.Names.Feed, w.IDs, w.Follows(), nil))
	erase := []string{"erase", "--user", ann, "--yes", "--only", "follow,feed"}
	w.Done(feeds.Outbox(ann).SetPulled(t.Context(), true))
	got := w.ends(exitUsage, erase...)
	require.Contains(t, got.stderr, "--machine")
	got = w.ends(exitFailure, append(erase, "--machine", "9")...)
	require.Contains(t, got.stderr, "nothing was erased")
	require.Contains(t, got.stderr, continues)
	worldtest.Must[int](w.World)(feeds.Deliver(t.Context()))
	w.ends(exitFine, erase...)
}
