package notify_test

import (
	"context"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/group"
	"github.com/plaza-sdk/plaza/notify"
)

// scheduler plans for slots of a second.
type scheduler struct {
	due   []ids.ID // what it was asked
	fails error
	slow  func() // while it answers, if not nil
}

func (s *scheduler) Schedule(_ context.Context, user string, channels []string, at ids.ID) (ids.ID, error) {
	s.due = append(s.due, at)
	if s.slow != nil {
		s.slow()
	}
	if user != "bob" || len(channels) != 2 {
		return 0, plaza.ErrInvalid
	}
	return ids.At(at.Time().Truncate(time.Second).Add(time.Second)), s.fails
}

// planned reports whether it has planned for the slot of a write, before that.
func (s *scheduler) planned(write ids.ID) bool {
	return slices.ContainsFunc(s.due, func(at ids.ID) bool {
		return at < write && at.Time().Truncate(time.Second).Equal(write.Time().Truncate(time.Second))
	})
}

func TestSummariesAreDueBeforeTheEventIsStored(t *testing.T) {
	t.Parallel()
	s := &scheduler{fails: plaza.ErrBusy}
	p := &policy{channels: []string{"email", "push"}}
	w := newWorld(t, &notify.Options{Policy: p, Scheduler: s})
	n := w.like("ann")
	_, created, err := w.Notify(t.Context(), n)
	require.ErrorIs(t, err, plaza.ErrBusy)
	require.False(t, created)
	require.Empty(t, w.groups(t, "bob"))

	s.fails = nil
	res := w.store(t, n)
	require.Equal(t, p.channels, res.Channels)
	require.True(t, s.planned(res.Last))

	slow := w
	slow.clock = &clock{now: noon.Add(-time.Second)}
	slow = slow.process(t, &notify.Options{Policy: p, Scheduler: s})
	res = slow.store(t, slow.like("ann"))
	require.True(t, s.planned(res.Last), "a raised id too")

	// The id of the write is made after the answer, and is in the next slot.
	s.due = nil
	s.slow = func() { w.pass(time.Minute); s.slow = nil }
	res = w.store(t, w.like("eve"))
	require.Equal(t, w.Now(), res.Last.Time())
	require.Len(t, s.due, 2)
	require.True(t, s.planned(res.Last))

	p.channels = nil
	asked := len(s.due)
	w.store(t, w.like("chris"))
	require.Len(t, s.due, asked)
}

// slowdown lets the clock pass after each of the next writes was applied.
type slowdown struct {
	*clock
	next  aws.HTTPClient
	after []func()
}

func (s *slowdown) wrap(next aws.HTTPClient) aws.HTTPClient {
	s.next = next
	return s
}

func (s *slowdown) Do(r *http.Request) (*http.Response, error) {
	res, err := s.next.Do(r)
	if len(s.after) > 0 {
		s.after[0]()
		s.after = s.after[1:]
	}
	return res, err
}

// A mark of what was listed meanwhile would cover the event.
func TestAWriteThatIsAcknowledgedLateIsMovedToANewID(t *testing.T) {
	t.Parallel()
	const inTime = notify.Window / 4
	late := func(w world) func() { return func() { w.pass(inTime + time.Millisecond) } }
	for name, c := range map[string]struct {
		after func(world) []func() // requests: the write, one that finds it, the move
		moved bool
	}{
		"in time":        {func(w world) []func() { return []func(){func() { w.pass(inTime) }} }, false},
		"late":           {func(w world) []func() { return []func(){late(w)} }, true},
		"the move, too":  {func(w world) []func() { return []func(){late(w), func() {}, late(w)} }, true},
		"found in time":  {func(w world) []func() { return []func(){late(w), func() { w.pass(inTime) }} }, true},
		"other requests": {func(w world) []func() { return []func(){late(w), late(w)} }, true},
		"another event since": {func(w world) []func() {
			return []func(){func() { late(w)(); w.store(t, w.like("other")) }}
		}, false},
		"archived since": {func(w world) []func() {
			return []func(){func() {
				late(w)()
				g := w.group(t)
				w.set(t, map[string]any{"last": group.Place(group.Archived, g.Last, g.SK)})
			}}
		}, false},
		"read since": {func(w world) []func() {
			return []func(){func() { late(w)(); w.set(t, map[string]any{"read": w.group(t).Last}) }}
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.store(t, w.like("ann"))
			for _, actor := range []string{"chris", "ann"} { // by an update, and by a put
				slow := &slowdown{clock: w.clock}
				s := &scheduler{}
				process := w.process(t, &notify.Options{Policy: &policy{channels: []string{"email", "push"}}, Scheduler: s}, slow.wrap)
				slow.after = c.after(w)
				if actor == "ann" {
					slow.after = append([]func(){func() {}}, slow.after...) // the update that is refused
				}
				n := w.like(actor)
				res := process.store(t, n)
				g := w.group(t)
				require.Equal(t, g.Last, res.Last)
				if c.moved {
					require.True(t, s.planned(g.PlaceID()))
					require.LessOrEqual(t, w.Now().Sub(g.PlaceID().Time()), inTime)
				}
				require.Equal(t, isStored, w.outcome(t, n))
				require.True(t, w.retract(t, n))
				if name != "another event since" {
					require.Less(t, w.group(t).PlaceID(), s.due[0], "it goes where it was before")
				}
			}
		})
	}
}
