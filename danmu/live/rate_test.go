package live_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/danmu/live"
	"github.com/plaza-sdk/plaza/ratelimit"
)

func TestRatesBoundAUserAndARoom(t *testing.T) {
	bubble(t, func(t *testing.T) {
		store := &table{}
		hub := newHub(t, store, &live.Options{
			UserRate: ratelimit.Rate{Every: time.Second, Burst: 2},
			RoomRate: ratelimit.Rate{Every: 100 * time.Millisecond, Burst: 4},
		})
		send := func(object, user string, n int) time.Duration {
			c := comment(1, n)
			c.Object, c.User = object, user
			_, _, err := hub.Send(t.Context(), c)
			if err == nil {
				return 0
			}
			var rate *ratelimit.Error
			require.ErrorAs(t, err, &rate)
			require.ErrorIs(t, err, ratelimit.ErrExceeded)
			return rate.Wait
		}
		require.Zero(t, send(room, "ann", 1))
		require.Zero(t, send(room, "ann", 2))
		require.Equal(t, time.Second, send(room, "ann", 3), "a user's burst is over")
		require.Len(t, store.comments, 2)
		require.Zero(t, send(room, "bob", 4))
		require.Zero(t, send(room, "cid", 5), "the refused one did not count for the room")
		require.Equal(t, 100*time.Millisecond, send(room, "dan", 6), "the room's burst is over")
		require.Zero(t, send("another", "ann", 7))
		time.Sleep(100 * time.Millisecond)
		require.Zero(t, send(room, "dan", 6))
		require.Equal(t, 900*time.Millisecond, send(room, "ann", 3))
		time.Sleep(900 * time.Millisecond)
		_, err := hub.Like(t.Context(), danmu.Action{Object: room, ID: id(1, 1), User: "ann"})
		require.NoError(t, err)
		_, err = hub.Unlike(t.Context(), danmu.Action{Object: room, ID: id(1, 1), User: "ann"})
		require.ErrorIs(t, err, ratelimit.ErrExceeded)
		require.EqualValues(t, 1, store.comments[0].Likes)
	})
}

func TestInvalidEventsDoNotCount(t *testing.T) {
	bubble(t, func(t *testing.T) {
		store := &table{}
		hub := newHub(t, store, &live.Options{
			UserRate: ratelimit.Rate{Every: time.Second, Burst: 1}, RoomRate: ratelimit.Rate{Every: time.Second, Burst: 1},
		})
		do := map[string]func(room, user string) error{
			"Send": func(room, user string) error {
				_, _, err := hub.Send(t.Context(), danmu.Comment{Object: room, User: user, ID: id(1, 1)})
				return err
			},
			"Like": func(room, user string) error {
				_, err := hub.Like(t.Context(), danmu.Action{Object: room, User: user, ID: id(1, 1)})
				return err
			},
		}
		for name, do := range do {
			long := string(make([]byte, 257))
			for field, err := range map[string]error{"Object": do(long, "ann"), "User": do(room, long)} {
				var invalid *plaza.InvalidError
				require.ErrorAs(t, err, &invalid, name)
				require.Equal(t, field, invalid.Field, "no rate remembers it")
			}
			for range 2 {
				store.err = &plaza.InvalidError{Field: "Text"}
				require.ErrorIs(t, do(room, "ann"), plaza.ErrInvalid, name)
			}
			store.err = errDown // the comment may be stored
			require.ErrorIs(t, do(room, "ann"), errDown, name)
			require.ErrorIs(t, do(room, "bob"), ratelimit.ErrExceeded, name)
			require.ErrorIs(t, do(room, "ann"), ratelimit.ErrExceeded, name)
			time.Sleep(time.Minute)
		}
	})
}
