package live_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/notify/message"
	"github.com/plaza-sdk/plaza/notify/message/live"
)

func TestTypingIsShownOnceInThreeSeconds(t *testing.T) {
	bubble(t, func(t *testing.T) {
		hub := newHub(t, newRoster(pair, "ann", "ben"), nil)
		ann, ben, ben2 := join(t, hub, in(pair, "ann"), ""), join(t, hub, in(pair, "ben"), ""), inbox(t, hub, "ben")
		start := time.Now()
		shown := 0
		for time.Since(start) < time.Minute {
			if typing(t, hub, in(pair, "ann")) {
				shown++
			}
			time.Sleep(100 * time.Millisecond)
		}
		require.Equal(t, 20, shown)
		require.True(t, typing(t, hub, in(pair, "ben")), "ben has events of his own")
		require.Equal(t, []string{"typing ann", "typing ben"}, kinds(drain(t, ann)), "ann was slow: only what still holds")
		events := drain(t, ben)
		require.Equal(t, "typing ann", kinds(events)[0])
		require.Equal(t, 6*time.Second, events[0].Until.Sub(events[0].At))
		quiet(t, ben2)
	})
}

// Typing ends by itself. A viewer who comes back or is slow does not see it.
func TestOldTypingIsNotShown(t *testing.T) {
	bubble(t, func(t *testing.T) {
		plane := newPlane(t)
		store := newRoster(pair, "ann", "ben")
		hub := newHub(t, store, &live.Options{Backplane: plane})
		ann, slow := join(t, hub, in(pair, "ann"), ""), join(t, hub, in(pair, "ben"), "")
		publish(t, hub, sent(pair, "ann", 1))
		pos := next(t, ann).Pos
		next(t, slow)
		require.True(t, typing(t, hub, in(pair, "ann")))
		time.Sleep(time.Second)
		back := join(t, hub, in(pair, "ben"), pos)
		require.Equal(t, []string{"typing ann"}, kinds(next(t, back).Events), "it still holds")
		publish(t, hub, did(live.Read, pair, "ben", 1))
		time.Sleep(5 * time.Second)
		for _, v := range []*live.Viewer{slow, join(t, hub, in(pair, "ben"), pos)} {
			batch := next(t, v)
			require.Equal(t, []string{"read ben 1"}, kinds(batch.Events))
			require.Zero(t, batch.Dropped)
		}
		quiet(t, slow)

		// Another hub reads it from the backplane's log.
		late := newHub(t, store, &live.Options{Backplane: plane})
		events := drain(t, join(t, late, in(pair, "ben"), pos))
		require.Equal(t, []string{"read ben 1"}, kinds(events))
		require.Equal(t, []string{"ben"}, late.Present(pair), "presence is of one hub")
	})
}

func TestStrangersAndBlockedPairsDoNotType(t *testing.T) {
	bubble(t, func(t *testing.T) {
		plane := newPlane(t)
		store := newRoster(pair, "ann", "ben")
		store.set(pair, "ann", message.Access{Blocked: true})
		store.set(pair, "ben", message.Access{Blocked: true})
		store.set(group, "dan", message.Access{Left: true})
		hub := newHub(t, store, &live.Options{Backplane: plane})
		for _, c := range []struct {
			in  message.In
			err error
		}{
			{in(pair, "ann"), message.ErrBlocked}, {in(pair, "ben"), message.ErrBlocked},
			{in(pair, "eve"), message.ErrNotMember}, {in(group, "dan"), message.ErrNotMember},
		} {
			for range 3 {
				store.calls()
				shown, err := hub.Typing(t.Context(), c.in)
				require.False(t, shown)
				require.ErrorIs(t, err, c.err)
				for range 100 {
					require.False(t, typing(t, hub, c.in))
				}
				asked, _ := store.calls()
				require.Equal(t, 1, asked, "an attacker asks the store once in three seconds")
				time.Sleep(3 * time.Second)
			}
		}
		published, _ := plane.took()
		require.Empty(t, published)
	})
}

func TestStrangersTakeNoMembersPlace(t *testing.T) {
	bubble(t, func(t *testing.T) {
		hub := newHub(t, newRoster(group, "ann"), nil)
		for n := range 20 {
			require.ErrorIs(t, failed(hub.Typing(t.Context(), in(group, fmt.Sprint("stranger ", n)))), message.ErrNotMember)
		}
		require.True(t, typing(t, hub, in(group, "ann")))
	})
}

func TestTypingThatFailedIsNotCounted(t *testing.T) {
	bubble(t, func(t *testing.T) {
		plane, store := newPlane(t), newRoster(pair, "ann", "ben")
		hub := newHub(t, store, &live.Options{Backplane: plane})
		store.fail(errDown)
		require.ErrorIs(t, failed(hub.Typing(t.Context(), in(pair, "ann"))), errDown)
		store.fail(nil)
		plane.err = errDown
		require.ErrorIs(t, failed(hub.Typing(t.Context(), in(pair, "ann"))), errDown)
		plane.err = nil
		require.True(t, typing(t, hub, in(pair, "ann")))
		require.False(t, typing(t, hub, in(pair, "ann")))
	})
}

// The log keeps the messages of the last minute even if a hundred users type at once.
func TestTypingLeavesTheBacklog(t *testing.T) {
	bubble(t, func(t *testing.T) {
		store := newRoster(group, "ann")
		for n := range 99 {
			store.set(group, fmt.Sprint("user ", n), message.Access{})
		}
		hub := newHub(t, store, nil)
		ann := join(t, hub, in(group, "ann"), "")
		publish(t, hub, did(live.Read, group, "ann", 1))
		pos := next(t, ann).Pos
		publish(t, hub, sent(group, "ann", 1))
		shown := 0
		for range 600 {
			for n := range 99 {
				if typing(t, hub, in(group, fmt.Sprint("user ", n))) {
					shown++
				}
			}
			time.Sleep(100 * time.Millisecond)
		}
		require.Equal(t, 8*20, shown, "eight in three seconds")
		batch := next(t, join(t, hub, in(group, "ann"), pos))
		require.False(t, batch.Reset)
		require.Zero(t, batch.Dropped)
		require.Equal(t, "sent ann 1", kinds(batch.Events)[0])
	})
}
