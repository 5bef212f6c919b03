package live_test

import (
	"context"
	"encoding/json"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/danmu/live"
	"github.com/plaza-sdk/plaza/internal/livetest"
)

func TestMemoryIsABackplane(t *testing.T) {
	none := goleak.IgnoreCurrent()
	t.Cleanup(func() { goleak.VerifyNone(t, none) })
	livetest.Run(t, func(t *testing.T) livetest.Network {
		m, err := live.NewMemory(&live.MemoryOptions{Keep: 50})
		require.NoError(t, err)
		return livetest.Network{Join: func() live.Backplane { return m }, Keep: 50}
	})
}

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

func TestABatchIsEncodedOnce(t *testing.T) {
	bubble(t, func(t *testing.T) {
		encoded := 0
		hub := newHub(t, &table{}, &live.Options{Encode: func(name string, events []live.Event) []byte {
			require.Equal(t, room, name)
			encoded++
			return []byte(strconv.Itoa(len(events)))
		}})
		var viewers []*live.Viewer
		for range 10 {
			viewers = append(viewers, join(t, hub, ""))
		}
		publish(t, hub, told(comment(1, 1)), told(comment(1, 2)))
		for _, v := range viewers {
			require.Equal(t, "2", string(next(t, v).Encoded))
		}
		require.Equal(t, 1, encoded)
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

func TestTheFirstComesAtOnceAndTheNextTogether(t *testing.T) {
	bubble(t, func(t *testing.T) {
		hub := newHub(t, &table{}, nil)
		v := join(t, hub, "")
		start := time.Now()
		publish(t, hub, told(comment(0, 1)), told(comment(0, 2))) // a room that has just opened
		require.Len(t, next(t, v).Events, 2)
		require.Equal(t, 100*time.Millisecond, time.Since(start))
		time.Sleep(time.Minute)
		start = time.Now()
		publish(t, hub, told(comment(1, 0)))
		require.Equal(t, []string{"0"}, texts(next(t, v).Events))
		require.Zero(t, time.Since(start))
		for n := 1; n <= 3; n++ {
			time.Sleep(20 * time.Millisecond)
			publish(t, hub, told(comment(1, n)))
		}
		require.Equal(t, []string{"1", "2", "3"}, texts(next(t, v).Events))
		require.Equal(t, 100*time.Millisecond, time.Since(start))
		time.Sleep(time.Minute)
		publish(t, hub, told(comment(1, 4)))
		require.Equal(t, []string{"4"}, texts(next(t, v).Events))
		require.Equal(t, time.Minute+100*time.Millisecond, time.Since(start))
	})
}

func TestWhatComesWhileABatchIsEncodedIsInTheNext(t *testing.T) {
	bubble(t, func(t *testing.T) {
		hub := newHub(t, &table{}, &live.Options{Encode: func(string, []live.Event) []byte {
			time.Sleep(time.Second)
			return nil
		}})
		v := join(t, hub, "")
		publish(t, hub, told(comment(1, 1)))
		time.Sleep(500 * time.Millisecond)
		publish(t, hub, told(comment(1, 2)))
		require.Equal(t, []string{"1"}, texts(next(t, v).Events))
		require.Equal(t, []string{"2"}, texts(next(t, v).Events))
	})
}

func TestPresent(t *testing.T) {
	bubble(t, func(t *testing.T) {
		hub := newHub(t, &table{}, nil)
		require.Zero(t, hub.Present(room))
		a, b := join(t, hub, ""), join(t, hub, "")
		require.Equal(t, 2, hub.Present(room))
		require.Zero(t, hub.Present("another"))
		a.Close()
		a.Close() // the second time does nothing
		require.Equal(t, 1, hub.Present(room))
		_, err := a.Next(t.Context())
		require.ErrorIs(t, err, live.ErrClosed)
		b.Close()
		require.Zero(t, hub.Present(room))
	})
}

func TestARoomClosesWhenItStaysEmpty(t *testing.T) {
	bubble(t, func(t *testing.T) {
		plane := &wire{from: "0"}
		hub := newHub(t, &table{}, &live.Options{Backplane: plane, Linger: time.Second})
		v := join(t, hub, "")
		v.Close()
		time.Sleep(999 * time.Millisecond)
		synctest.Wait()
		require.Zero(t, plane.stopped)
		v = join(t, hub, "") // back in time
		time.Sleep(time.Hour)
		require.Zero(t, plane.stopped)
		require.Equal(t, 1, plane.opened)
		v.Close()
		time.Sleep(time.Second)
		synctest.Wait()
		require.Equal(t, 1, plane.stopped)
		join(t, hub, "")
		require.Equal(t, 2, plane.opened)
	})
}

func TestARoomWithoutLingerClosesAtOnce(t *testing.T) {
	bubble(t, func(t *testing.T) {
		plane := &wire{from: "0"}
		hub := newHub(t, &table{}, &live.Options{Backplane: plane, Linger: -1})
		join(t, hub, "").Close()
		synctest.Wait()
		require.Equal(t, 1, plane.stopped)
	})
}

func TestCloseEndsEveryRoom(t *testing.T) {
	bubble(t, func(t *testing.T) {
		plane := &wire{from: "0"}
		hub := newHub(t, &table{}, &live.Options{Backplane: plane})
		v := join(t, hub, "")
		waited := make(chan error)
		go func() {
			_, err := v.Next(context.Background())
			waited <- err
		}()
		synctest.Wait()
		hub.Close()
		require.ErrorIs(t, <-waited, live.ErrClosed)
		require.Equal(t, 1, plane.stopped)
		_, err := hub.Join(t.Context(), room, "")
		require.ErrorIs(t, err, live.ErrClosed)
		v.Close()
		hub.Close() // the second time does nothing
		require.Equal(t, 1, plane.stopped)
		publish(t, hub, told(comment(1, 1)))
	})
}

func TestARoomThatCannotOpenMayLater(t *testing.T) {
	bubble(t, func(t *testing.T) {
		plane := &wire{from: "0", err: errDown}
		hub := newHub(t, &table{}, &live.Options{Backplane: plane})
		_, err := hub.Join(t.Context(), room, "")
		require.ErrorIs(t, err, errDown)
		require.Zero(t, hub.Present(room))
		plane.err = nil
		join(t, hub, "")
		require.Equal(t, 1, hub.Present(room))
	})
}

func TestWhoComesFirstMayGoBeforeTheRoomIsOpen(t *testing.T) {
	bubble(t, func(t *testing.T) {
		plane := &wire{from: "0", hold: make(chan struct{})}
		hub := newHub(t, &table{}, &live.Options{Backplane: plane})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		first, second := make(chan error), make(chan error)
		go func() { _, err := hub.Join(ctx, room, ""); first <- err }()
		synctest.Wait()
		go func() { _, err := hub.Join(t.Context(), room, ""); second <- err }()
		require.ErrorIs(t, <-first, context.DeadlineExceeded)
		require.Equal(t, 1, hub.Present(room))
		close(plane.hold)
		require.NoError(t, <-second)
	})
}

func TestARoomThatOpensForNobodyIsStopped(t *testing.T) {
	bubble(t, func(t *testing.T) {
		plane := &wire{from: "0", hold: make(chan struct{}), deaf: true}
		hub := newHub(t, &table{}, &live.Options{Backplane: plane, Linger: -1})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := hub.Join(ctx, room, "")
		require.ErrorIs(t, err, context.DeadlineExceeded)
		synctest.Wait()
		close(plane.hold)
		synctest.Wait()
		require.Equal(t, 1, plane.opened)
		require.Equal(t, 1, plane.stopped)
	})
}

func TestABackplaneThatDoesNotAnswer(t *testing.T) {
	bubble(t, func(t *testing.T) {
		plane := &wire{hold: make(chan struct{})}
		hub := newHub(t, &table{}, &live.Options{Backplane: plane})
		_, err := hub.Join(t.Context(), room, "")
		require.ErrorIs(t, err, context.DeadlineExceeded)
	})
}

func TestCloseWaitsForNoBackplane(t *testing.T) {
	bubble(t, func(t *testing.T) {
		for _, linger := range []time.Duration{-1, time.Hour} {
			plane := &wire{hold: make(chan struct{})}
			hub := newHub(t, &table{}, &live.Options{Backplane: plane, Linger: linger})
			joined := make(chan error)
			go func() { _, err := hub.Join(t.Context(), room, ""); joined <- err }()
			ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
			_, err := hub.Join(ctx, "another", "") // nobody waits for this one
			require.ErrorIs(t, err, context.DeadlineExceeded)
			cancel()
			start := time.Now()
			hub.Close()
			require.Zero(t, time.Since(start))
			require.ErrorIs(t, <-joined, live.ErrClosed)
		}
	})
}

func TestAClosedHubTellsOfNoReset(t *testing.T) {
	bubble(t, func(t *testing.T) {
		hub := newHub(t, &table{}, nil)
		v := join(t, hub, "unknown")
		hub.Close()
		_, err := v.Next(t.Context())
		require.ErrorIs(t, err, live.ErrClosed)
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
	_, err = live.NewMemory(&live.MemoryOptions{Keep: -1})
	require.Equal(t, "Keep", field(err))

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
