package prefs_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/pagetest"
	"github.com/plaza-sdk/plaza/notify/prefs"
)

// later counts down, since each name that pagetest adds comes before all others.
type later struct{ n int }

func (l *later) names(n int) []string {
	names := make([]string, n)
	for i := range names {
		l.n--
		names[i] = fmt.Sprintf("user %06d", l.n)
	}
	return names
}

func TestBlocksAndMutesPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	in := faults.New(t, 1, faults.Rates{})
	w = w.process(t, nil, in.Wrap)
	ref := func(id string) feed.Ref { return feed.Ref{Kind: "picture", ID: id} }
	page := func(user string) func(context.Context, cursor.PageRequest) (cursor.Page[prefs.Block], error) {
		return func(ctx context.Context, req cursor.PageRequest) (cursor.Page[prefs.Block], error) {
			return w.Blocks(ctx, user, req)
		}
	}
	pageOfMutes := func(user string) func(context.Context, cursor.PageRequest) (cursor.Page[prefs.Mute], error) {
		return func(ctx context.Context, req cursor.PageRequest) (cursor.Page[prefs.Mute], error) {
			return w.Mutes(ctx, user, req)
		}
	}
	for _, name := range []string{"x", "y"} {
		w.block(t, prefs.Pair{User: "other", Actor: name})
		w.mute(t, prefs.Topic{User: "other", Object: ref(name)})
	}
	lists := 0
	user := func() string { lists++; return fmt.Sprint("reader ", lists) }

	t.Run("blocks", func(t *testing.T) {
		pagetest.Run(t, func(t *testing.T) pagetest.List[prefs.Block] {
			user, later := user(), &later{100_000}
			w.mute(t, prefs.Topic{User: user, Object: ref("x")}) // a row of another kind
			w.set(t, prefs.Subscription{User: user, Channel: email}, true)
			unblock := func(ctx context.Context, id string) {
				require.NoError(t, errOf(w.Unblock(ctx, prefs.Pair{User: user, Actor: id})))
			}
			return pagetest.List[prefs.Block]{
				Page:  page(user),
				Brief: true, // other lists of internal/store run all checks
				ID:    func(b prefs.Block) string { return b.Actor },
				Add: func(ctx context.Context, n int) []string {
					names := later.names(n)
					for _, name := range names {
						require.NoError(t, errOf(w.Block(ctx, prefs.Pair{User: user, Actor: name})))
					}
					return names
				},
				Remove: unblock, Hide: unblock,
				Others:   []pagetest.Other{pagetest.Foreign("another user", page("other")), pagetest.Foreign("mutes", pageOfMutes("other"))},
				Requests: in.Requests,
			}
		})
	})
	if !faults.Full() {
		return // mutes are listed like blocks
	}
	t.Run("mutes", func(t *testing.T) {
		pagetest.Run(t, func(t *testing.T) pagetest.List[prefs.Mute] {
			user, later := user(), &later{100_000}
			unmute := func(ctx context.Context, id string) {
				require.NoError(t, errOf(w.Unmute(ctx, prefs.Topic{User: user, Object: ref(id)})))
			}
			return pagetest.List[prefs.Mute]{
				Page:  pageOfMutes(user),
				Brief: true,
				ID:    func(m prefs.Mute) string { return m.Object.ID },
				Add: func(ctx context.Context, n int) []string {
					names := later.names(n)
					for _, name := range names {
						require.NoError(t, errOf(w.Mute(ctx, prefs.Topic{User: user, Object: ref(name)})))
					}
					return names
				},
				Remove: unmute, Hide: unmute,
				Others:   []pagetest.Other{pagetest.Foreign("another user", pageOfMutes("other")), pagetest.Foreign("blocks", page("other"))},
				Requests: in.Requests,
			}
		})
	})
}

func TestListsHaveOnlyStandingBlocksAndMutes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	long := prefs.Pair{User: "ann", Actor: "user:" + string(make([]byte, 256))}
	for _, p := range []prefs.Pair{{User: "ann", Actor: "a#b"}, bob, long, {User: "ann", Actor: "eve"}} {
		w.block(t, p)
	}
	w.changes(t, true, func(ctx ctx) (bool, error) {
		return w.Unblock(ctx, prefs.Pair{User: "ann", Actor: "eve"})
	})
	require.Equal(t, []prefs.Block{{"a#b", noon}, {"bob", noon}, {long.Actor, noon}}, all(t, w.Blocks))
	w.mute(t, mute)
	require.Equal(t, []prefs.Mute{{picture, noon}}, all(t, w.Mutes))

	blocked, err := w.Blocked(t.Context(), bob)
	require.NoError(t, err)
	require.True(t, blocked)
	for _, actor := range []string{"eve", "zoe"} {
		blocked, err := w.Blocked(t.Context(), prefs.Pair{User: "ann", Actor: actor})
		require.NoError(t, err)
		require.False(t, blocked)
	}
}
