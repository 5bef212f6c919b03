package notify_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/notify"
)

// Two calls at once, in every order of their requests: after both, the list is what
// the calls say.
func TestNoOrderOfAWriteAndAShelfLosesEither(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip()
	}
	ops := map[string]func(p world, n, m notify.Notification, in notify.In) error{
		"notify": func(p world, _, m notify.Notification, _ notify.In) error {
			return errOf3(p.Notify(context.Background(), m))
		},
		"retract": func(p world, n, _ notify.Notification, _ notify.In) error {
			return errOf2(p.Retract(context.Background(), n))
		},
		"retract target": func(p world, n, _ notify.Notification, _ notify.In) error {
			return errOf2(p.RetractTarget(context.Background(), n.User, n.Activity.Object))
		},
		"archive": func(p world, _, _ notify.Notification, in notify.In) error {
			return errOf2(p.Archive(context.Background(), in))
		},
		"snooze": func(p world, _, _ notify.Notification, in notify.In) error {
			return errOf2(p.Snooze(context.Background(), in, p.Now().Add(time.Hour)))
		},
		"unread": func(p world, _, _ notify.Notification, in notify.In) error {
			return errOf2(p.MarkUnread(context.Background(), in))
		},
		"read": func(p world, _, _ notify.Notification, in notify.In) error {
			return p.MarkRead(context.Background(), in.User, []notify.Shown{{Group: in.Group, Last: p.id()}})
		},
		"unseen": func(p world, _, _ notify.Notification, in notify.In) error {
			return errOf2(p.Unseen(context.Background(), reader(in.User)))
		},
	}
	w := newWorld(t, nil)
	user := 0
	for a, first := range ops {
		for b, second := range ops {
			if a > b {
				continue
			}
			for _, order := range []string{"aab b", "abab", "abba", "baab", "baba", "bbaa", "aaabbb", "ababab", "bababa"} {
				user++
				name := fmt.Sprintf("%s and %s %s", a, b, order)
				in := in(fmt.Sprint("u", user), 1)
				n := w.of(t, in)
				w.store(t, n)
				w.seen(t, in.User)
				w.pass(time.Second)
				m := w.of(t, in)
				s1, s2 := newSteps(), newSteps()
				p1, p2 := w.process(t, nil, s1.Wrap), w.process(t, nil, s2.Wrap)
				var e1, e2 error
				s1.start(func() { e1 = first(p1, n, m, in) })
				s2.start(func() { e2 = second(p2, n, m, in) })
				for _, c := range order {
					switch c {
					case 'a':
						s1.step()
					case 'b':
						s2.step()
					}
				}
				s1.finish()
				s2.finish()
				require.NoError(t, e1, name)
				require.NoError(t, e2, name)
				// What is notified is not lost, what is retracted not there.
				both := a + " " + b
				w.pass(2 * time.Hour)
				l := w.list(t, in.User)
				notified := strings.Contains(both, "notify")
				target := strings.Contains(both, "target")
				retracted := strings.Contains(strings.ReplaceAll(both, "retract target", ""), "retract") || target
				switch {
				case notified && !target && !strings.Contains(both, "archive") && !strings.Contains(both, "snooze"):
					require.Len(t, l, 1, name)
					want := 2
					if retracted {
						want = 1
					}
					require.Equal(t, want, l[0].N, name)
					require.Equal(t, m.Activity.ID, l[0].Activity.ID, name)
				case retracted && !notified:
					require.Empty(t, l, name)
				}
				c := 0
				for _, e := range l {
					if !e.Seen {
						c++
					}
				}
				require.Equal(t, c, w.unseen(t, in.User), name)
				g := w.groups(t, in.User)
				require.Len(t, g, 1)
				require.Equal(t, g[0].live, int(g[0].N), name)
				w.pass(-2*time.Hour + time.Second)
			}
		}
	}
}

// Requests that arrive after their callers gave up bring back nothing that was
// retracted.
func TestALateNotifyOfARemovedTargetIsNoGhost(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	late := &faults.Late{Holds: func(op string, _ []byte) bool { return op == "UpdateItem" }}
	p := w.process(t, nil, late.Wrap)
	w.store(t, w.like("ann"))
	n := w.like("chris")
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	_, _, err := p.Notify(ctx, n)
	cancel()
	require.Error(t, err)
	w.pass(time.Second)
	_, err = w.RetractTarget(t.Context(), "bob", n.Activity.Object)
	require.NoError(t, err)
	late.Arrive(t)
	require.Empty(t, w.list(t, "bob"))
	require.Equal(t, notify.Dropped, w.outcome(t, n))
}

// A user with many snoozed groups that are due at once.
func TestManyGroupsDueAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.put(t, in("ann", 0))
	w.snooze(t, in("ann", 0), time.Hour)
	due := ids.At(w.Now().Add(time.Hour))
	for n := range 120 {
		w.forge(t, in("ann", n+1), func(g *raw) {
			g.Was = g.Place
			g.Place = fmt.Sprintf("+%s#%012x", due.String(), n)
		})
	}
	w.pass(2 * time.Hour)
	calls := 0
	for ; calls < 20; calls++ {
		c, err := w.Unseen(t.Context(), reader("ann"))
		require.NoError(t, err)
		if c.More {
			break
		}
		require.LessOrEqual(t, c.N, 25*(calls+1))
	}
	w.list(t, "ann")
	require.Empty(t, w.snoozed(t, "ann"))
	t.Log(calls)
}
