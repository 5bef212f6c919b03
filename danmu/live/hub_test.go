package live_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/danmu/live"
)

func TestWhatHappensIsStoredThenTold(t *testing.T) {
	bubble(t, func(t *testing.T) {
		store := &table{}
		hub := newHub(t, store, nil)
		v := join(t, hub, "")
		c := comment(1, 1)
		c.Key = "secret"

		sent, created, err := hub.Send(t.Context(), c)
		require.NoError(t, err)
		require.True(t, created)
		b := next(t, v)
		sent.Key = "" // is not told
		require.Equal(t, []live.Event{told(sent)}, b.Events)

		a := danmu.Action{Object: room, ID: c.ID, User: "bob"}
		for _, likes := range []int64{1, 2} {
			changed, err := hub.Like(t.Context(), a)
			require.NoError(t, err)
			require.True(t, changed)
			require.Equal(t, []live.Event{{Kind: live.Liked, ID: c.ID, Likes: likes}}, next(t, v).Events)
		}
		require.Equal(t, []danmu.WindowOptions{{Consistent: true, WithHidden: true}, {Consistent: true, WithHidden: true}}, store.asked())
		_, err = hub.Unlike(t.Context(), a)
		require.NoError(t, err)
		require.Equal(t, []live.Event{{Kind: live.Liked, ID: c.ID, Likes: 1}}, next(t, v).Events)

		recalled, err := hub.Recall(t.Context(), a)
		require.NoError(t, err)
		require.True(t, recalled)
		require.Equal(t, []live.Event{{Kind: live.Recalled, ID: c.ID}}, next(t, v).Events)

		_, err = hub.Like(t.Context(), a) // it is gone: nobody is told
		require.NoError(t, err)
		quiet(t, v)

		other := comment(1, 2)
		_, _, err = hub.Send(t.Context(), other)
		require.NoError(t, err)
		next(t, v)
		removed, err := hub.Remove(t.Context(), danmu.Moderation{Object: room, ID: other.ID})
		require.NoError(t, err)
		require.True(t, removed)
		require.Equal(t, []live.Event{{Kind: live.Removed, ID: other.ID}}, next(t, v).Events)
	})
}

func TestWhatIsNotStoredIsNotTold(t *testing.T) {
	bubble(t, func(t *testing.T) {
		store := &table{}
		hub := newHub(t, store, nil)
		v := join(t, hub, "")
		a := danmu.Action{Object: room, ID: id(1, 1), User: "ann"}
		for name, do := range map[string]func(context.Context) error{
			"Send":   func(ctx context.Context) error { _, _, err := hub.Send(ctx, comment(1, 1)); return err },
			"Recall": func(ctx context.Context) error { _, err := hub.Recall(ctx, a); return err },
			"Remove": func(ctx context.Context) error {
				_, err := hub.Remove(ctx, danmu.Moderation{Object: a.Object, ID: a.ID})
				return err
			},
			"Like":   func(ctx context.Context) error { _, err := hub.Like(ctx, a); return err },
			"Unlike": func(ctx context.Context) error { _, err := hub.Unlike(ctx, a); return err },
		} {
			store.err = errDown
			require.ErrorIs(t, do(t.Context()), errDown, name)
		}
		quiet(t, v)
	})
}

func TestASendThatWasNotToldIsToldByItsRepeat(t *testing.T) {
	bubble(t, func(t *testing.T) {
		plane := &wire{from: "0"}
		hub := newHub(t, &table{}, &live.Options{Backplane: plane})
		plane.err = errDown
		_, created, err := hub.Send(t.Context(), comment(1, 1))
		require.ErrorIs(t, err, errDown)
		require.True(t, created, "it is stored")
		plane.err = nil
		_, created, err = hub.Send(t.Context(), comment(1, 1))
		require.NoError(t, err)
		require.False(t, created)
	})
}

func TestRepeatsAreToldOnce(t *testing.T) {
	bubble(t, func(t *testing.T) {
		hub := newHub(t, &table{}, nil)
		v := join(t, hub, "")
		one, other := comment(1, 1), comment(1, 2)
		gone := func(kind live.Kind, c danmu.Comment) live.Event { return live.Event{Kind: kind, ID: c.ID} }
		publish(t, hub, told(one), told(one), told(other), told(one))
		require.Equal(t, []string{"1", "2"}, texts(next(t, v).Events))
		publish(t, hub, told(one))
		publish(t, hub, gone(live.Recalled, one), gone(live.Recalled, one), gone(live.Removed, one), told(one))
		require.Equal(t, []string{"recalled"}, texts(next(t, v).Events))
		late := comment(1, 3) // whose going overtakes it
		publish(t, hub, gone(live.Removed, late), told(late))
		require.Equal(t, []string{"removed"}, texts(next(t, v).Events))
		publish(t, hub, gone(live.Recalled, one), gone(live.Recalled, late))
		quiet(t, v)
	})
}

func TestEncodedIsJSONByDefault(t *testing.T) {
	bubble(t, func(t *testing.T) {
		hub := newHub(t, &table{}, nil)
		v := join(t, hub, "")
		publish(t, hub, told(comment(1, 1)), live.Event{Kind: live.Recalled, ID: id(1, 2)})
		b := next(t, v)
		var events []live.Event
		require.NoError(t, json.Unmarshal(b.Encoded, &events))
		for i := range events {
			if events[i].Comment != nil {
				events[i].Comment.Object = room
			}
		}
		require.Equal(t, b.Events, events)
	})
}

func TestRates(t *testing.T) {
	bubble(t, func(t *testing.T) {
		store := &table{}
		hub := newHub(t, store, &live.Options{
			UserRate: danmu.Rate{Every: time.Second, Burst: 2},
			RoomRate: danmu.Rate{Every: 100 * time.Millisecond, Burst: 4},
		})
		send := func(object, user string, n int) time.Duration {
			c := comment(1, n)
			c.Object, c.User = object, user
			_, _, err := hub.Send(t.Context(), c)
			if err == nil {
				return 0
			}
			var rate *danmu.RateError
			require.ErrorAs(t, err, &rate)
			require.ErrorIs(t, err, danmu.ErrRate)
			return rate.RetryAfter
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
		require.ErrorIs(t, err, danmu.ErrRate)
		require.EqualValues(t, 1, store.comments[0].Likes)
	})
}

func TestWhatCannotBeCountsForNoRate(t *testing.T) {
	bubble(t, func(t *testing.T) {
		store := &table{}
		hub := newHub(t, store, &live.Options{
			UserRate: danmu.Rate{Every: time.Second, Burst: 1}, RoomRate: danmu.Rate{Every: time.Second, Burst: 1},
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
			store.err = errDown // that may have been stored
			require.ErrorIs(t, do(room, "ann"), errDown, name)
			require.ErrorIs(t, do(room, "bob"), danmu.ErrRate, name)
			require.ErrorIs(t, do(room, "ann"), danmu.ErrRate, name)
			time.Sleep(time.Minute)
		}
	})
}

func TestWithoutRatesNothingIsRefused(t *testing.T) {
	hub := newHub(t, &table{}, nil)
	for n := range 1000 {
		_, _, err := hub.Send(t.Context(), comment(1, n))
		require.NoError(t, err)
	}
}

func TestBadInput(t *testing.T) {
	field := func(err error) string {
		var invalid *plaza.InvalidError
		require.ErrorAs(t, err, &invalid)
		return invalid.Field
	}
	for name, opts := range map[string]*live.Options{
		"Options.Every":    {Every: -1},
		"Options.Batches":  {Batches: -1},
		"Options.Bytes":    {Bytes: -1},
		"Options.UserRate": {UserRate: danmu.Rate{Every: -1}},
		"Options.RoomRate": {RoomRate: danmu.Rate{Burst: -1}},
	} {
		_, err := live.New(&table{}, opts)
		require.Equal(t, name, field(err))
	}
	_, err := live.New(nil, nil)
	require.Equal(t, "store", field(err))

	hub := newHub(t, &table{}, nil)
	for _, name := range []string{"", "\xff", string(make([]byte, 257))} {
		_, err = hub.Join(t.Context(), name, "")
		require.Equal(t, "room", field(err))
		require.Equal(t, "room", field(hub.Publish(t.Context(), name, told(comment(1, 1)))))
	}
	c := comment(1, 1)
	elsewhere := c
	elsewhere.Object = "another"
	for want, e := range map[string]live.Event{
		"Kind":           {ID: c.ID},
		"ID":             {Kind: live.Liked},
		"Comment":        {Kind: live.Sent, ID: c.ID},
		"Comment.ID":     {Kind: live.Sent, ID: id(1, 2), Comment: &c},
		"Comment.Object": {Kind: live.Sent, ID: c.ID, Comment: &elsewhere},
	} {
		require.Equal(t, want, field(hub.Publish(t.Context(), room, e)))
	}
	require.Equal(t, "Comment", field(hub.Publish(t.Context(), room, live.Event{Kind: live.Liked, ID: c.ID, Comment: &c})))
	c.Extra = json.RawMessage("{")
	var syntax *json.SyntaxError
	require.ErrorAs(t, hub.Publish(t.Context(), room, told(c)), &syntax)
}
