package prefs_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/notify/prefs"
)

// source makes ids of a clock's time.
type source struct {
	*clock
	n atomic.Uint64
}

func (s *source) Next(context.Context) (ids.ID, error) {
	return ids.At(s.Now()) + ids.ID(s.n.Add(1)), nil
}

// bell is what ann sees, and what happens to her.
type bell struct {
	world
	notifications *notify.Repository
	gen           *source
}

func newBell(t *testing.T) bell {
	t.Helper()
	w := newWorld(t, nil)
	gen := &source{clock: w.clock}
	n, err := notify.New(dynamotest.DB(t), w.table, gen, &notify.Options{Policy: w.Repository, Consistent: true, Now: w.Now})
	require.NoError(t, err)
	return bell{w, n, gen}
}

// happens notifies of an event, and returns what became of it.
func (b bell) happens(t *testing.T, n notify.Notification) notify.Result {
	t.Helper()
	var err error
	n.Activity.ID, err = b.gen.Next(t.Context())
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

func TestAMutedVerbIsNeitherListedNorCounted(t *testing.T) {
	t.Parallel()
	b := newBell(t)
	b.set(t, about("like", prefs.InApp), false)
	require.True(t, b.happens(t, of("like")).Dropped)
	require.Equal(t, []string{email}, b.happens(t, of("comment")).Channels)
	require.Equal(t, []string{"comment"}, b.verbs(t))
}

func TestEventsOnAMutedObjectAreDroppedUnlessTheirVerbPierces(t *testing.T) {
	t.Parallel()
	b := newBell(t)
	b.mute(t, mute)
	for verb, want := range map[string]bool{"like": true, "mention": false, "login": false} {
		require.Equal(t, want, b.happens(t, of(verb)).Dropped, verb)
	}
	require.ElementsMatch(t, []string{"mention", "login"}, b.verbs(t))
}

func TestABlockedActorsEventsAreDroppedPermanently(t *testing.T) {
	t.Parallel()
	b := newBell(t)
	b.happens(t, of("like"))
	b.block(t, bob)
	for _, verb := range []string{"comment", "mention"} {
		require.True(t, b.happens(t, of(verb)).Dropped)
	}
	require.False(t, b.happens(t, of("login")).Dropped, "critical")
	require.Equal(t, []string{"login", "like"}, b.verbs(t), "what was listed stays")
	b.changes(t, true, func(ctx ctx) (bool, error) { return b.Unblock(ctx, bob) })
	require.Equal(t, []string{"login", "like"}, b.verbs(t))
	require.False(t, b.happens(t, of("comment")).Dropped)
	require.Equal(t, []string{"comment", "login", "like"}, b.verbs(t))
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
