package prefs_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/pagetest"
	"github.com/plaza-sdk/plaza/notify/prefs"
)

type lister[T any] = func(ctx, string, pageRequest) (cursor.Page[T], error)

func listOf[T any](list lister[T], user string) func(ctx, pageRequest) (cursor.Page[T], error) {
	return func(ctx ctx, req pageRequest) (cursor.Page[T], error) { return list(ctx, user, req) }
}

func TestBlocksAndMutesPage(t *testing.T) {
	t.Parallel()
	in := faults.New(t, 1, faults.Rates{})
	w := newWorld(t, nil, in.Wrap)
	block := func(user, name string) prefs.Pair { return prefs.Pair{User: user, Actor: name} }
	mute := func(user, name string) prefs.Topic {
		return prefs.Topic{User: user, Object: feed.Ref{Kind: "picture", ID: name}}
	}
	for _, name := range []string{"x", "y"} {
		w.block(t, block("other", name))
		w.mute(t, mute("other", name))
	}
	blocks, mutes := listOf(w.Blocks, "other"), listOf(w.Mutes, "other")
	t.Run("blocks", func(t *testing.T) {
		pages(t, in, w.Blocks, func(b prefs.Block) string { return b.Actor }, func(user string) { w.mute(t, mute(user, "x")) },
			func(user, name string) { does(t, true)(w.Block(t.Context(), block(user, name))) },
			func(user, name string) { does(t, true)(w.Unblock(t.Context(), block(user, name))) },
			pagetest.Foreign("another user", blocks), pagetest.Foreign("mutes", mutes))
	})
	if !faults.Full() {
		return // mutes are listed like blocks
	}
	t.Run("mutes", func(t *testing.T) {
		pages(t, in, w.Mutes, func(m prefs.Mute) string { return m.Object.ID }, func(user string) { w.block(t, block(user, "x")) },
			func(user, name string) { does(t, true)(w.Mute(t.Context(), mute(user, name))) },
			func(user, name string) { does(t, true)(w.Unmute(t.Context(), mute(user, name))) },
			pagetest.Foreign("another user", mutes), pagetest.Foreign("blocks", blocks))
	})
}

// pages runs pagetest for lists of users. Each begins with a row of another kind, and each
// name that is added comes before all others.
func pages[T any](t *testing.T, in *faults.Injector, list lister[T], id func(T) string, begin func(user string), add, remove func(user, name string), others ...pagetest.Other) {
	t.Helper()
	lists := 0
	pagetest.Run(t, func(*testing.T) pagetest.List[T] {
		lists++
		user, last := fmt.Sprint("reader of ", t.Name(), lists), 100_000
		begin(user)
		ends := func(_ ctx, name string) { remove(user, name) }
		return pagetest.List[T]{
			Page:  listOf(list, user),
			Brief: true, // other lists of internal/store run all checks
			ID:    id,
			Add: func(_ ctx, n int) (names []string) {
				for range n {
					last--
					names = append(names, fmt.Sprintf("user %06d", last))
					add(user, names[len(names)-1])
				}
				return names
			},
			Remove: ends, Hide: ends, Others: others, Requests: in.Requests,
		}
	})
}

func TestListsHaveOnlyStandingBlocksAndMutes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	long := prefs.Pair{User: "ann", Actor: "user:" + string(make([]byte, 256))}
	for _, p := range []prefs.Pair{{User: "ann", Actor: "a#b"}, bob, long, {User: "ann", Actor: "eve"}} {
		w.block(t, p)
	}
	does(t, true)(w.Unblock(t.Context(), prefs.Pair{User: "ann", Actor: "eve"}))
	require.Equal(t, []prefs.Block{{"a#b", noon}, {"bob", noon}, {long.Actor, noon}}, all(t, w.Blocks))
	w.mute(t, mute)
	w.set(t, about("like", email), true)
	require.Equal(t, []prefs.Mute{{picture, noon}}, all(t, w.Mutes))

	for actor, want := range map[string]bool{"bob": true, "eve": false, "zoe": false} {
		does(t, want)(w.Blocked(t.Context(), prefs.Pair{User: "ann", Actor: actor}))
	}
}
