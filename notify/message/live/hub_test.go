package live_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/notify/message"
	"github.com/plaza-sdk/plaza/notify/message/live"
)

func TestEachEventIsShownToTheUsersItConcerns(t *testing.T) {
	bubble(t, func(t *testing.T) {
		store := newRoster(group, "ann", "ben", "cid")
		store.set(group, "dan", message.Access{Left: true})
		hub := newHub(t, store, nil)
		room, own := join(t, hub, in(group, "ben"), ""), join(t, hub, in(group, "ann"), "")
		inboxes := map[string]*live.Viewer{}
		for _, user := range []string{"ann", "ben", "cid", "dan", "eve"} {
			inboxes[user] = inbox(t, hub, user)
		}
		all := []string{"ann", "ben", "cid"}
		for _, c := range []struct {
			event   live.Event
			room    bool
			inboxes []string
		}{
			{sent(group, "ann", 1), true, all},
			{did(live.Recalled, group, "ann", 1), true, all},
			{did(live.Read, group, "ben", 1), true, []string{"ben"}},
			{did(live.Joined, group, "eve", 0), true, []string{"eve"}},
			{did(live.Left, group, "dan", 0), true, []string{"dan"}},
			{did(live.Cleared, group, "ann", 1), false, []string{"ann"}},
			{did(live.Blocked, group, "ann", 0), false, []string{"ann"}},
			{did(live.Unblocked, group, "ann", 0), false, []string{"ann"}},
			{sent(group, "dan", 2), true, nil}, // who has left since
		} {
			publish(t, hub, c.event)
			want := kinds([]live.Event{c.event})
			if c.room {
				require.Equal(t, want, kinds(next(t, room).Events))
			}
			for _, user := range c.inboxes {
				require.Equal(t, want, kinds(next(t, inboxes[user]).Events), user)
			}
			if c.room || c.event.Kind == live.Cleared {
				require.Equal(t, want, kinds(next(t, own).Events))
			}
			quiet(t, room, own)
			for _, v := range inboxes {
				quiet(t, v)
			}
		}
	})
}

func TestAnInboxGetsAPreview(t *testing.T) {
	bubble(t, func(t *testing.T) {
		hub := newHub(t, newRoster(pair, "ann", "ben"), nil)
		room, ben := join(t, hub, in(pair, "ben"), ""), inbox(t, hub, "ben")
		m := said(pair, "ann", 1)
		m.Text, m.Data = strings.Repeat("é", 201), json.RawMessage(`{"a":1}`)
		m.Reactions = map[string][]string{"like": {"ben"}}
		publish(t, hub, live.Said(m))
		require.Equal(t, &m, next(t, room).Events[0].Message)
		short := m
		short.Text, short.Data, short.Reactions = strings.Repeat("é", 200), nil, nil
		batch := next(t, ben)
		require.Equal(t, &short, batch.Events[0].Message)
		var encoded []live.Event
		require.NoError(t, json.Unmarshal(batch.Encoded, &encoded))
		require.Equal(t, batch.Events, encoded)
		require.Equal(t, strings.Repeat("é", 201), m.Text, "the caller's is as it was")
	})
}

func TestRepeatsAreShownOnceAndOlderStatesNever(t *testing.T) {
	bubble(t, func(t *testing.T) {
		hub := newHub(t, newRoster(pair, "ann", "ben"), nil)
		v, me := join(t, hub, in(pair, "ben"), ""), inbox(t, hub, "ann")
		edited := func(n int64, second int) live.Event {
			m := said(pair, "ann", n)
			m.Edited = time.Date(2026, 1, 2, 0, 0, second, 0, time.UTC)
			return live.Said(m)
		}
		read := func(user string, n int64) live.Event { return did(live.Read, pair, user, n) }
		one, two, gone := sent(pair, "ann", 1), sent(pair, "ann", 2), did(live.Recalled, pair, "ann", 1)
		came, went := did(live.Joined, pair, "cid", 0), did(live.Left, pair, "cid", 0)
		for _, c := range []struct {
			published []live.Event
			shown     []string
		}{
			{[]live.Event{two, one, two, one}, []string{"sent ann 2", "sent ann 1"}}, // in the order of publishing
			{[]live.Event{edited(1, 1), one, edited(1, 2), edited(1, 1), edited(1, 2)}, []string{"edited ann 1", "edited ann 1"}},
			{[]live.Event{gone, gone, one, edited(1, 3)}, []string{"recalled ann 1"}},
			{[]live.Event{did(live.Recalled, pair, "ben", 3), sent(pair, "ben", 3)}, []string{"recalled ben 3"}},
			{[]live.Event{read("ben", 2), read("ann", 1), read("ben", 1), read("ben", 2), read("ben", 3)}, []string{"read ben 2", "read ann 1", "read ben 3"}},
			{[]live.Event{came, came, went, went, came}, []string{"joined cid", "left cid", "joined cid"}},
			{[]live.Event{one, two, gone, edited(1, 2), read("ben", 3)}, []string{}},
		} {
			publish(t, hub, c.published...)
			require.Equal(t, c.shown, kinds(drain(t, v)))
		}
		drain(t, me)
		other := did(live.Cleared, "other", "ann", 2)
		publish(t, hub, did(live.Cleared, pair, "ann", 2), did(live.Cleared, pair, "ann", 1), other, other,
			did(live.Blocked, pair, "ann", 0), did(live.Blocked, pair, "ann", 0), did(live.Unblocked, pair, "ann", 0))
		require.Equal(t, []string{"cleared ann 2", "cleared ann 2", "blocked ann", "unblocked ann"}, kinds(drain(t, me)))
	})
}

// A room recognizes its last 1,024 messages.
func TestRepeatsAreForgottenBeyondABound(t *testing.T) {
	bubble(t, func(t *testing.T) {
		hub := newHub(t, newRoster(pair, "ann", "ben"), &live.Options{Bytes: 64 << 20})
		v := join(t, hub, in(pair, "ben"), "")
		for _, c := range []struct{ from, to, shown int }{
			{1, 1024, 1024}, {1, 1024, 0}, {1025, 2048, 1024}, {1025, 2048, 0}, {2049, 3072, 1024}, {1, 1, 1},
		} {
			for n := c.from; n <= c.to; n++ {
				publish(t, hub, sent(pair, "ann", int64(n)))
			}
			require.Len(t, drain(t, v), c.shown)
		}
	})
}

func TestAUserNamedLikeAConversationIsAnotherRoom(t *testing.T) {
	bubble(t, func(t *testing.T) {
		store := newRoster(group, "ann")
		hub := newHub(t, store, nil)
		sum := sha256.Sum256([]byte(long))
		hash := base64.RawURLEncoding.EncodeToString(sum[:]) // the name of the long name's room
		names := []string{hash, group, "c" + group, "n" + group, "cn" + group, "u" + group, "#", `\`, long, long[1:] + "u", strings.Repeat("é", 128)}
		inboxes, conversations := map[string]*live.Viewer{}, map[string]*live.Viewer{}
		for _, name := range names {
			store.set(name, "ann", message.Access{})
			inboxes[name], conversations[name] = inbox(t, hub, name), join(t, hub, in(name, "ann"), "")
		}
		for i, name := range names {
			publish(t, hub, did(live.Cleared, "made up", name, int64(i+1)))
			require.Equal(t, name, next(t, inboxes[name]).Events[0].User)
			publish(t, hub, did(live.Read, name, "zoe", int64(i+1)))
			require.Equal(t, name, next(t, conversations[name]).Events[0].Conversation)
			for _, other := range names {
				quiet(t, inboxes[other], conversations[other])
			}
		}
	})
}

// The longest pair's name is four times as long as a room's may be.
func TestLongNamesHaveRooms(t *testing.T) {
	bubble(t, func(t *testing.T) {
		names := map[string]string{message.Pair{User: long, Other: long[1:] + "b"}.Conversation(): long}
		for n := range 3 { // lengths just around the bound
			user := strings.Repeat("x", 253+n)
			names[user] = user
		}
		for name, user := range names {
			hub := newHub(t, newRoster(name, user), nil)
			v, own := join(t, hub, in(name, user), ""), inbox(t, hub, user)
			publish(t, hub, sent(name, user, 1))
			require.Len(t, next(t, v).Events, 1)
			require.Len(t, next(t, own).Events, 1)
			require.True(t, typing(t, hub, in(name, user)))
			require.Len(t, next(t, v).Events, 1)
		}
	})
}

func TestOneInboxThatFailsIsReportedAndDoesNotKeepItFromOthers(t *testing.T) {
	bubble(t, func(t *testing.T) {
		plane, store := newPlane(t), newRoster(group, "ann", "ben", "cid")
		hub := newHub(t, store, &live.Options{Backplane: plane})
		room, ben := join(t, hub, in(group, "ann"), ""), inbox(t, hub, "ben")
		store.fail(errDown)
		require.ErrorIs(t, hub.Publish(t.Context(), sent(group, "ann", 1)), errDown)
		require.Len(t, next(t, room).Events, 1, "who watches was shown it")
		store.fail(nil)
		publish(t, hub, sent(group, "ann", 1))
		require.Len(t, next(t, ben).Events, 1)
		quiet(t, room)
		plane.err = errDown
		require.ErrorIs(t, hub.Publish(t.Context(), sent(group, "ann", 2)), errDown)
		_, err := hub.Typing(t.Context(), in(group, "ann"))
		require.ErrorIs(t, err, errDown)
	})
}

func TestTheCostsOfAHub(t *testing.T) {
	bubble(t, func(t *testing.T) {
		plane := newPlane(t)
		store := newRoster(pair, "ann", "ben")
		for n := range 100 {
			store.set(group, fmt.Sprint("user ", n), message.Access{})
		}
		hub := newHub(t, store, &live.Options{Backplane: plane})
		cost := func(what string, accesses, members, publishes, subscribes int, do func()) {
			t.Helper()
			store.calls()
			plane.took()
			do()
			a, m := store.calls()
			p, s := plane.took()
			require.Equal(t, []int{accesses, members, publishes, subscribes}, []int{a, m, len(p), len(s)}, what)
		}
		var ann, ben *live.Viewer
		cost("join", 1, 0, 0, 1, func() { ann = join(t, hub, in(pair, "ann"), "") })
		cost("join an open room", 1, 0, 0, 0, func() { ben = join(t, hub, in(pair, "ben"), "") })
		cost("inbox", 0, 0, 0, 1, func() { inbox(t, hub, "ann") })
		cost("a message in a pair", 0, 1, 3, 0, func() { publish(t, hub, sent(pair, "ann", 1)) })
		cost("a message to a hundred", 0, 1, 101, 0, func() { publish(t, hub, sent(group, "user 1", 1)) })
		cost("a read", 0, 0, 2, 0, func() { publish(t, hub, did(live.Read, pair, "ben", 1)) })
		cost("clearing", 0, 0, 2, 0, func() { publish(t, hub, did(live.Cleared, pair, "ben", 1)) })
		cost("a block", 0, 0, 1, 0, func() { publish(t, hub, did(live.Blocked, pair, "ben", 0)) })
		cost("typing", 1, 0, 1, 0, func() { require.True(t, typing(t, hub, in(pair, "ann"))) })
		cost("typing on", 0, 0, 0, 0, func() { require.False(t, typing(t, hub, in(pair, "ann"))) })
		cost("next", 0, 0, 0, 0, func() {
			time.Sleep(time.Hour)
			next(t, ann)
		})
		cost("next, after clearing", 1, 0, 0, 0, func() { next(t, ben) })
		cost("present", 0, 0, 0, 0, func() { require.Equal(t, []string{"ann", "ben"}, hub.Present(pair)) })
	})
}

func TestConcurrentUseLeavesNothingBehind(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	store := newRoster(group)
	hub, err := live.New(store, &live.Options{Every: time.Nanosecond, TypingEvery: time.Nanosecond, Recheck: time.Nanosecond})
	require.NoError(t, err)
	defer hub.Close()
	use := func(user string, n int64) error {
		v, err := hub.Join(t.Context(), in(group, user), "")
		if err != nil {
			return err
		}
		defer v.Close()
		hub.Present(group)
		for _, e := range []live.Event{did(live.Read, group, user, n), sent(group, user, n)} {
			if err := hub.Publish(t.Context(), e); err != nil {
				return err
			}
		}
		if _, err := hub.Typing(t.Context(), in(group, user)); err != nil {
			return err
		}
		return failed(v.Next(t.Context()))
	}
	err = parallel.ForEach(t.Context(), 8, 8, func(_ context.Context, n int) error {
		user := fmt.Sprint("user ", n)
		store.set(group, user, message.Access{})
		for i := range 100 {
			if err := use(user, int64(8*i+n+1)); err != nil {
				return err
			}
		}
		return nil
	})
	require.NoError(t, err)
	require.Empty(t, hub.Present(group))
}
