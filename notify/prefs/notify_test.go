package prefs_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/notify/prefs"
)

// bell is what ann sees, and what happens to her.
type bell struct {
	world
	notifications *notify.Repository
}

func newBell(t *testing.T) bell {
	t.Helper()
	w := newWorld(t, nil)
	n, err := notify.New(dynamotest.DB(t), w.table, w.clock, &notify.Options{Policy: w.Repository, Consistent: true, Now: w.Now})
	require.NoError(t, err)
	return bell{w, n}
}

// happens notifies of an event, and returns what became of it.
func (b bell) happens(t *testing.T, n notify.Notification) notify.Result {
	t.Helper()
	var err error
	n.Activity.ID, err = b.Next(t.Context())
	require.NoError(t, err)
	res, created, err := b.notifications.Notify(t.Context(), n)
	require.NoError(t, err)
	require.Equal(t, !res.Dropped, created)
	return res
}

// verbs are those of the listed groups, newest first, which are as many as are
// counted.
func (b bell) verbs(t *testing.T) []string {
	t.Helper()
	page, err := b.notifications.List(t.Context(), notify.Reader{User: "ann"}, pageRequest{})
	require.NoError(t, err)
	verbs := []string{}
	for _, entry := range page.Items {
		verbs = append(verbs, entry.Activity.Verb)
	}
	count, err := b.notifications.Unseen(t.Context(), notify.Reader{User: "ann"})
	require.NoError(t, err)
	require.Equal(t, len(verbs), count.N)
	return verbs
}

// What was listed before stays, and what was dropped is not listed later.
func TestNotifyDropsWhatDecideSays(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		begins, ends    func(ctx, bell) (bool, error)
		dropped, listed []string
	}{
		"a muted verb": {
			func(ctx ctx, b bell) (bool, error) { return b.Set(ctx, about("like", prefs.InApp), false) },
			func(ctx ctx, b bell) (bool, error) { return b.Unset(ctx, about("like", prefs.InApp)) },
			[]string{"like"}, []string{"comment"},
		},
		"a muted object": {
			func(ctx ctx, b bell) (bool, error) { return b.Mute(ctx, mute) },
			func(ctx ctx, b bell) (bool, error) { return b.Unmute(ctx, mute) },
			[]string{"like", "comment"}, []string{"mention", "login"}, // one pierces, one is critical
		},
		"a blocked actor": {
			func(ctx ctx, b bell) (bool, error) { return b.Block(ctx, bob) },
			func(ctx ctx, b bell) (bool, error) { return b.Unblock(ctx, bob) },
			[]string{"like", "comment", "mention"}, []string{"login"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBell(t)
			b.happens(t, of("wave"))
			does(t, true)(c.begins(t.Context(), b))
			for _, verb := range c.dropped {
				require.True(t, b.happens(t, of(verb)).Dropped, verb)
			}
			for _, verb := range c.listed {
				res := b.happens(t, of(verb))
				require.False(t, res.Dropped, verb)
				require.Equal(t, b.decide(t, of(verb)).Channels, res.Channels)
			}
			require.ElementsMatch(t, append(c.listed, "wave"), b.verbs(t))
			does(t, true)(c.ends(t.Context(), b))
			require.ElementsMatch(t, append(c.listed, "wave"), b.verbs(t))
			require.False(t, b.happens(t, of(c.dropped[0])).Dropped)
		})
	}
}

func TestPrefsAndNotifyAgreeOnOnesOwnActions(t *testing.T) {
	t.Parallel()
	b := newBell(t)
	for _, critical := range []bool{false, true} {
		for _, verb := range []string{"like", "login"} {
			n := of(verb)
			n.Activity.Actor.ID, n.Critical = "ann", critical
			dropped := b.happens(t, n).Dropped
			require.Equal(t, !critical, dropped)
			require.Equal(t, b.decide(t, n).Drop, dropped)
		}
	}
}
