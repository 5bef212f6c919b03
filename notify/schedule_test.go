package notify_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/group"
	"github.com/plaza-sdk/plaza/notify"
)

// scheduler records what it is asked, and what was stored then.
type scheduler struct {
	w     *world
	due   []ids.ID
	fails error
}

func (s *scheduler) Due(ctx context.Context, user string, channels []string, at ids.ID) error {
	s.due = append(s.due, at)
	if user != "bob" || len(channels) != 2 {
		return plaza.ErrInvalid
	}
	return s.fails
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
	require.Equal(t, res.Last, s.due[1])

	slow := w
	slow.clock = &clock{now: noon.Add(-time.Second)}
	slow = slow.process(t, &notify.Options{Policy: p, Scheduler: s})
	res = slow.store(t, slow.like("ann"))
	require.Equal(t, res.Last, s.due[len(s.due)-1], "a raised id is due too")

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
	late := func(w world) func() { return func() { w.pass(notify.Window*3/4 + time.Millisecond) } }
	inTime := func(w world) func() { return func() { w.pass(notify.Window * 3 / 4) } }
	for name, c := range map[string]struct {
		after func(world) []func()
		late  int // how often it was
		moved bool
	}{
		"in time": {func(w world) []func() { return []func(){inTime(w)} }, 0, false},
		"late":    {func(w world) []func() { return []func(){late(w)} }, 1, true},
		"twice":   {func(w world) []func() { return []func(){late(w), late(w)} }, 2, true},
		"another event since": {func(w world) []func() {
			return []func(){func() { late(w)(); w.store(t, w.like("other")) }}
		}, 1, false},
		"archived since": {func(w world) []func() {
			return []func(){func() {
				late(w)()
				g := w.group(t)
				w.set(t, map[string]any{"last": group.Place(group.Archived, g.Last, g.SK)})
			}}
		}, 1, false},
		"read since": {func(w world) []func() {
			return []func(){func() { late(w)(); w.set(t, map[string]any{"read": w.group(t).Last}) }}
		}, 1, false},
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
				require.Len(t, s.due, 1+c.late)
				if c.moved {
					require.Equal(t, s.due[c.late], g.PlaceID())
					require.LessOrEqual(t, w.Now().Sub(g.PlaceID().Time()), notify.Window*3/4)
				}
				require.Equal(t, notify.Stored, w.outcome(t, n))
				require.True(t, w.retract(t, n))
				if name != "another event since" {
					require.Less(t, w.group(t).PlaceID(), s.due[0], "it goes where it was before")
				}
			}
		})
	}
}
