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
	rooms "github.com/plaza-sdk/plaza/live"
	"github.com/plaza-sdk/plaza/ratelimit"
)

func TestEventsAreStoredThenPublished(t *testing.T) {
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
		sent.Key = "" // is not published
		require.Equal(t, []live.Event{sentEvent(sent)}, b.Events)

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

		_, err = hub.Like(t.Context(), a) // it is gone: nothing is published
		require.NoError(t, err)
		quiet(t, v)

		other := comment(1, 2)
		send(t, hub, other)
		next(t, v)
		removed, err := hub.Remove(t.Context(), danmu.Moderation{Object: room, ID: other.ID})
		require.NoError(t, err)
		require.True(t, removed)
		require.Equal(t, []live.Event{{Kind: live.Removed, ID: other.ID}}, next(t, v).Events)
	})
}

func TestTheErrorsOfTheStoreAreReturned(t *testing.T) {
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
			"Like":    func(ctx context.Context) error { _, err := hub.Like(ctx, a); return err },
			"Unlike":  func(ctx context.Context) error { _, err := hub.Unlike(ctx, a); return err },
			"CatchUp": func(ctx context.Context) error { _, err := v.CatchUp(ctx, 0, time.Minute, nil); return err },
		} {
			store.err = errDown
			require.ErrorIs(t, do(t.Context()), errDown, name)
		}
		quiet(t, v)
	})
}

func TestARepeatedSendPublishesAgain(t *testing.T) {
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

func TestAnUnknownVideoHasNoRoom(t *testing.T) {
	bubble(t, func(t *testing.T) {
		hub := newHub(t, &table{}, &live.Options{Known: func(_ context.Context, video string) error {
			if video != room {
				return plaza.ErrNotFound
			}
			return nil
		}})
		_, err := hub.Join(t.Context(), "another", "")
		require.ErrorIs(t, err, plaza.ErrNotFound)
		require.Zero(t, hub.Present("another"))
		join(t, hub, "")
	})
}

func TestNextReturnsTheNumberOfViewers(t *testing.T) {
	bubble(t, func(t *testing.T) {
		hub := newHub(t, &table{comments: []danmu.Comment{comment(1, 1)}}, &live.Options{PresentEvery: time.Second})
		v := join(t, hub, "")
		catchUp(t, v)
		require.Equal(t, 1, next(t, v).Present)
		time.Sleep(time.Second)
		join(t, hub, "")
		b := next(t, v)
		require.Equal(t, 2, b.Present)
		require.Empty(t, b.Events)
		require.Nil(t, b.Encoded)
		quiet(t, v)
	})
}

func TestInvalidInputNamesItsField(t *testing.T) {
	field := func(err error) string {
		var invalid *plaza.InvalidError
		require.ErrorAs(t, err, &invalid)
		return invalid.Field
	}
	for name, opts := range map[string]*live.Options{
		"Options.Every":        {Every: -1},
		"Options.PresentEvery": {PresentEvery: -1},
		"Options.Batches":      {Batches: -1},
		"Options.Bytes":        {Bytes: -1},
		"Options.UserRate":     {UserRate: ratelimit.Rate{Every: -1}},
		"Options.RoomRate":     {RoomRate: ratelimit.Rate{Burst: -1}},
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
		require.Equal(t, "room", field(hub.Publish(t.Context(), name, sentEvent(comment(1, 1)))))
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
	require.ErrorAs(t, hub.Publish(t.Context(), room, sentEvent(c)), &syntax)
}

func TestUnreadableEventsAreCounted(t *testing.T) {
	bubble(t, func(t *testing.T) {
		plane := &wire{from: "p0"}
		v := join(t, newHub(t, &table{}, &live.Options{Backplane: plane}), "")
		plane.deliver([]rooms.Entry{{Pos: "p1", Payload: []byte(`{"kind":"sent","id":"x"}`)}, entry(t, "p2", like(2))})
		b := next(t, v)
		require.Equal(t, 1, b.Dropped)
		require.Equal(t, []int{2}, likes(b.Events))
		plane.deliver([]rooms.Entry{entry(t, "p3", live.Event{Kind: "new", ID: id(1, 1)})})
		require.Equal(t, []string{"new"}, texts(next(t, v).Events)) // of a later version
	})
}
