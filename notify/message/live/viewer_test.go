package live_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/notify/message"
	"github.com/plaza-sdk/plaza/notify/message/live"
)

func TestOnlyMembersEnter(t *testing.T) {
	bubble(t, func(t *testing.T) {
		plane, store := newPlane(t), newRoster(group, "ann")
		store.set(group, "dan", message.Access{Left: true, Till: 5})
		hub := newHub(t, store, &live.Options{Backplane: plane})
		for _, user := range []string{"eve", "dan"} {
			require.ErrorIs(t, failed(hub.Join(t.Context(), in(group, user), "")), message.ErrNotMember)
		}
		store.fail(errDown)
		require.ErrorIs(t, failed(hub.Join(t.Context(), in(group, "ann"), "")), errDown)
		_, subscribed := plane.took()
		require.Empty(t, subscribed, "strangers open no rooms")
		require.Empty(t, hub.Present(group))
	})
}

func TestAUserWhoLeavesGetsNoMore(t *testing.T) {
	bubble(t, func(t *testing.T) {
		store := newRoster(group, "ann", "ben")
		hub := newHub(t, store, nil)
		ann, ben := join(t, hub, in(group, "ann"), ""), join(t, hub, in(group, "ben"), "")
		publish(t, hub, sent(group, "ann", 1))
		next(t, ann)
		next(t, ben)

		store.set(group, "ben", message.Access{Left: true, Till: 2})
		publish(t, hub, sent(group, "ann", 2), sent(group, "ann", 3), did(live.Left, group, "ben", 0),
			did(live.Read, group, "ann", 3), sent(group, "ann", 4))
		require.True(t, typing(t, hub, in(group, "ann")))
		require.Len(t, next(t, ann).Events, 6)
		batch := next(t, ben)
		require.Equal(t, []string{"sent ann 2", "left ben"}, kinds(batch.Events), "what was sent before is ben's to read")
		var encoded []live.Event
		require.NoError(t, json.Unmarshal(batch.Encoded, &encoded))
		require.Equal(t, kinds(batch.Events), kinds(encoded))
		publish(t, hub, sent(group, "ann", 5))
		for range 2 {
			require.ErrorIs(t, failed(ben.Next(t.Context())), message.ErrNotMember)
		}
		require.Equal(t, []string{"ann"}, hub.Present(group))
		ben.Close()
		require.Equal(t, []string{"ann"}, hub.Present(group), "ben is not taken off twice")
		require.Len(t, next(t, ann).Events, 1)
	})
}

// The Left event was never published, because its process died.
func TestARemovedMemberGetsNoMoreAfterAMinute(t *testing.T) {
	for name, gone := range map[string]func(*roster){
		"left":   func(r *roster) { r.set(group, "ben", message.Access{Left: true, Till: 2}) },
		"erased": func(r *roster) { delete(r.access, in(group, "ben")) },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				store := newRoster(group, "ann", "ben")
				hub := newHub(t, store, nil)
				ben := join(t, hub, in(group, "ben"), "")
				gone(store)
				time.Sleep(time.Minute - time.Second)
				publish(t, hub, sent(group, "ann", 1))
				require.Len(t, next(t, ben).Events, 1)
				time.Sleep(time.Second)
				publish(t, hub, sent(group, "ann", 3), did(live.Read, group, "ann", 3))
				require.ErrorIs(t, failed(ben.Next(t.Context())), message.ErrNotMember)
				require.Empty(t, hub.Present(group))
			})
		})
	}
}

func TestAViewerGoesOnAfterAnOutageOfTheStore(t *testing.T) {
	bubble(t, func(t *testing.T) {
		store := newRoster(group, "ann", "ben")
		hub := newHub(t, store, nil)
		ben := join(t, hub, in(group, "ben"), "")
		time.Sleep(time.Minute)
		publish(t, hub, sent(group, "ann", 1))
		store.fail(errDown)
		for range 2 {
			require.ErrorIs(t, failed(ben.Next(t.Context())), errDown)
		}
		publish(t, hub, did(live.Read, group, "ann", 1))
		store.fail(nil)
		store.calls()
		require.Equal(t, []string{"sent ann 1"}, kinds(next(t, ben).Events), "nothing is lost")
		require.Equal(t, []string{"read ann 1"}, kinds(next(t, ben).Events))
		asked, _ := store.calls()
		require.Equal(t, 1, asked, "once a minute")
	})
}

// Ben leaves, and is added again. He may not read what was sent in between, whatever
// position he comes back with.
func TestNoPositionShowsWhatTheUserMayNotRead(t *testing.T) {
	bubble(t, func(t *testing.T) {
		store := newRoster(group, "ann", "ben")
		hub := newHub(t, store, nil)
		ann, ben := join(t, hub, in(group, "ann"), ""), join(t, hub, in(group, "ben"), "")
		var positions []live.Pos
		show := func(e live.Event) {
			publish(t, hub, e)
			positions = append(positions, next(t, ann).Pos)
		}
		show(sent(group, "ann", 1))
		old := next(t, ben).Pos
		store.set(group, "ben", message.Access{Left: true, Till: 1})
		show(did(live.Left, group, "ben", 0))
		next(t, ben)
		ben.Close()
		show(sent(group, "ann", 2))
		show(did(live.Recalled, group, "ann", 3))
		store.set(group, "ben", message.Access{From: 3})
		show(did(live.Joined, group, "ben", 0))
		show(sent(group, "ann", 4))
		require.Equal(t, old, positions[0])
		for i, pos := range positions {
			v := join(t, hub, in(group, "ben"), pos)
			for _, e := range drain(t, v) {
				require.True(t, e.Seq == 0 || e.Seq == 4, "after %d: %v", i, e)
			}
			v.Close()
		}
		for _, forged := range []live.Pos{"x", "0", "$", "-1", positions[5] + "0", live.Pos(long)} {
			require.True(t, next(t, join(t, hub, in(group, "ben"), forged)).Reset, forged)
		}
		store.set("other", "ben", message.Access{})
		require.True(t, next(t, join(t, hub, in("other", "ben"), positions[0])).Reset, "of another room")
	})
}

// Ben has the conversation open in two windows, and clears it in one.
func TestClearedMessagesAreNotShown(t *testing.T) {
	bubble(t, func(t *testing.T) {
		store := newRoster(pair, "ann", "ben")
		hub := newHub(t, store, nil)
		ann, ben := join(t, hub, in(pair, "ann"), ""), join(t, hub, in(pair, "ben"), "")
		publish(t, hub, sent(pair, "ann", 1), sent(pair, "ann", 2))
		next(t, ann)
		pos := next(t, ben).Pos
		store.set(pair, "ben", message.Access{From: 2})
		time.Sleep(time.Second)
		publish(t, hub, did(live.Cleared, pair, "ben", 2), did(live.Recalled, pair, "ann", 1), sent(pair, "ann", 3))
		for _, v := range []*live.Viewer{ben, join(t, hub, in(pair, "ben"), pos)} {
			require.Equal(t, []string{"cleared ben 2", "sent ann 3"}, kinds(drain(t, v)))
		}
		require.Equal(t, []string{"recalled ann 1", "sent ann 3"}, kinds(drain(t, ann)), "nobody else knows")
		publish(t, hub, did(live.Recalled, pair, "ann", 2))
		require.Len(t, next(t, ann).Events, 1)
		quiet(t, ben)
	})
}

// drain returns what comes within a second. It works in a bubble only.
func drain(t *testing.T, v *live.Viewer) (events []live.Event) {
	t.Helper()
	for {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		batch, err := v.Next(ctx)
		cancel()
		if err != nil {
			require.ErrorIs(t, err, context.DeadlineExceeded)
			return events
		}
		events = append(events, batch.Events...)
	}
}

// A late repeat of the event, or one from before the user was added again.
func TestAFalseLeftEventRemovesNobody(t *testing.T) {
	bubble(t, func(t *testing.T) {
		store := newRoster(group, "ann", "ben")
		hub := newHub(t, store, nil)
		ben := join(t, hub, in(group, "ben"), "")
		publish(t, hub, did(live.Left, group, "ben", 0), sent(group, "ann", 1))
		require.Equal(t, []string{"left ben", "sent ann 1"}, kinds(next(t, ben).Events))
		publish(t, hub, sent(group, "ann", 2))
		require.Len(t, next(t, ben).Events, 1)
		require.Equal(t, []string{"ben"}, hub.Present(group))
	})
}

func TestAUserIsPresentOnceForAllViewers(t *testing.T) {
	bubble(t, func(t *testing.T) {
		store := newRoster(group, "ann", "ben")
		hub := newHub(t, store, nil)
		require.Empty(t, hub.Present(group))
		one, two, ann := join(t, hub, in(group, "ben"), ""), join(t, hub, in(group, "ben"), ""), join(t, hub, in(group, "ann"), "")
		inbox(t, hub, "cid")
		require.Equal(t, []string{"ann", "ben"}, hub.Present(group))
		one.Close()
		one.Close()
		require.Equal(t, []string{"ann", "ben"}, hub.Present(group))
		two.Close()
		require.Equal(t, []string{"ann"}, hub.Present(group))
		ann.Close()
		require.Empty(t, hub.Present(group))
		require.Empty(t, hub.Present("none"))

		// These members joined and left, and nobody reads their viewers.
		for n := range 150 {
			user := string(rune('A' + n))
			store.set(group, user, message.Access{})
			join(t, hub, in(group, user), "")
		}
		require.Len(t, hub.Present(group), message.MaxMembers)
	})
}

func TestMembersSeeAtOnceWhoComesAndGoes(t *testing.T) {
	bubble(t, func(t *testing.T) {
		store := newRoster(group, "ann", "ben", "cid")
		hub := newHub(t, store, &live.Options{PresentEvery: time.Second})
		ann := join(t, hub, in(group, "ann"), "")
		bell := inbox(t, hub, "ann")
		present := func() []string {
			batch := next(t, ann)
			require.Empty(t, batch.Events)
			return hub.Present(group)
		}
		require.Equal(t, []string{"ann"}, present())
		time.Sleep(time.Second)
		start := time.Now()
		ben := join(t, hub, in(group, "ben"), "")
		require.Equal(t, []string{"ann", "ben"}, present())
		require.Zero(t, time.Since(start))
		ben.Close()
		cid := join(t, hub, in(group, "cid"), "") // the number is the same
		require.Equal(t, []string{"ann", "cid"}, present())
		require.Equal(t, 100*time.Millisecond, time.Since(start))

		time.Sleep(time.Second)
		inbox(t, hub, "ann")
		quiet(t, bell) // it is not a conversation

		publish(t, hub, sent(group, "ann", 1))
		require.Len(t, next(t, ann).Events, 1)
		require.Len(t, next(t, cid).Events, 1)
		store.set(group, "cid", message.Access{Left: true})
		time.Sleep(time.Hour)
		join(t, hub, in(group, "ben"), "")
		require.Equal(t, []string{"ann", "ben", "cid"}, present())
		require.ErrorIs(t, failed(cid.Next(t.Context())), message.ErrNotMember, "who was removed sees nobody")
		require.Equal(t, []string{"ann", "ben"}, present())
		quiet(t, ann)
	})
}

func TestARoomKeeps256Batches(t *testing.T) {
	bubble(t, func(t *testing.T) {
		hub := newHub(t, newRoster(pair, "ann", "ben"), nil)
		ben := join(t, hub, in(pair, "ben"), "")
		for n := range int64(257) {
			publish(t, hub, did(live.Read, pair, "ann", n+1))
			time.Sleep(time.Second)
		}
		batch := next(t, ben)
		require.Equal(t, 1, batch.Dropped)
		require.EqualValues(t, 2, batch.Events[0].Seq)
	})
}

// The lost event may be that ben has left.
func TestASlowViewerWhoHasLeftGetsNoMore(t *testing.T) {
	bubble(t, func(t *testing.T) {
		store := newRoster(group, "ann", "ben")
		hub := newHub(t, store, &live.Options{Batches: 2})
		ben := join(t, hub, in(group, "ben"), "")
		store.set(group, "ben", message.Access{Left: true})
		publish(t, hub, did(live.Left, group, "ben", 0))
		for n := range int64(5) {
			time.Sleep(time.Second)
			publish(t, hub, sent(group, "ann", n+1))
		}
		batch := next(t, ben)
		require.NotZero(t, batch.Dropped)
		require.Empty(t, batch.Events)
		require.ErrorIs(t, failed(ben.Next(t.Context())), message.ErrNotMember)
	})
}

// A batch that a member may see only in part is encoded for that viewer alone.
func TestAPanicOfEncodeForOneViewer(t *testing.T) {
	bubble(t, func(t *testing.T) {
		broken := false
		store := newRoster(group, "ann", "ben")
		hub := newHub(t, store, &live.Options{Encode: func(events []live.Event) []byte {
			if broken && len(events) == 1 {
				panic("no JSON")
			}
			return []byte("!")
		}})
		store.set(group, "ben", message.Access{From: 1})
		ann, ben := join(t, hub, in(group, "ann"), ""), join(t, hub, in(group, "ben"), "")
		time.Sleep(time.Second)
		publish(t, hub, did(live.Read, group, "ann", 9))
		next(t, ann)
		next(t, ben)
		publish(t, hub, did(live.Recalled, group, "ann", 1), sent(group, "ann", 2))
		require.Len(t, next(t, ann).Events, 2)
		broken = true
		_, err := ben.Next(t.Context())
		var panicked *parallel.PanicError
		require.ErrorAs(t, err, &panicked)
		broken = false
		batch := next(t, ben)
		require.Equal(t, []string{"sent ann 2"}, kinds(batch.Events), "with the next call")
		require.Equal(t, "!", string(batch.Encoded))
	})
}
