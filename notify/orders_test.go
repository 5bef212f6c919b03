package notify_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
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
	// n is stored, and m is another event of its group.
	ops := func(p world, in notify.In, n, m notify.Notification) map[string]func() error {
		ctx, due := context.Background(), p.Now().Add(time.Hour)
		shown := []notify.Shown{{Group: in.Group, Last: p.id()}}
		return map[string]func() error{
			"notify":         func() error { return errOf3(p.Notify(ctx, m)) },
			"retract":        func() error { return errOf(p.Retract(ctx, n)) },
			"retract target": func() error { return errOf(p.RetractTarget(ctx, n.User, n.Activity.Object)) },
			"archive":        func() error { return errOf(p.Archive(ctx, in)) },
			"snooze":         func() error { return errOf(p.Snooze(ctx, in, due)) },
			"unread":         func() error { return errOf(p.MarkUnread(ctx, in)) },
			"read":           func() error { return errOf(p.MarkRead(ctx, in.User, shown)) },
			"unseen":         func() error { return errOf(p.Unseen(ctx, reader(in.User))) },
		}
	}
	w := newWorld(t, nil)
	user, pairs := 0, 0
	orders := []string{"abab", "abba", "baab", "baba", "bbaa", "aaabbb", "ababab", "bababa"}
	names := slices.Sorted(maps.Keys(ops(w, notify.In{}, notify.Notification{}, notify.Notification{})))
	for i, a := range names {
		for _, b := range names[i:] {
			if pairs++; !faults.Full() && pairs%4 > 0 {
				continue
			}
			for k := range faults.Size(len(orders), 1) {
				order := orders[(3*pairs+k)%len(orders)]
				user++
				name := fmt.Sprintf("%s and %s %s", a, b, order)
				in := in(fmt.Sprint("u", user), 1)
				n := w.of(t, in)
				w.store(t, n)
				w.seen(t, in.User)
				w.pass(time.Second)
				m := w.of(t, in)
				s1, s2 := faults.NewSteps(), faults.NewSteps()
				first, second := ops(w.process(t, nil, s1.Wrap), in, n, m)[a], ops(w.process(t, nil, s2.Wrap), in, n, m)[b]
				var e1, e2 error
				s1.Start(func() { e1 = first() })
				s2.Start(func() { e2 = second() })
				for _, c := range order {
					map[rune]*faults.Steps{'a': s1, 'b': s2}[c].Step()
				}
				s1.Finish()
				s2.Finish()
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

// 64 writers of two processes like and unlike about the cap.
func TestWritersAboutTheCapNeverMiscount(t *testing.T) {
	t.Parallel()
	for _, count := range faults.Some(1, notify.ByActor, notify.ByActivity) {
		w := newWorld(t, &notify.Options{Consistent: true, Coalesce: time.Nanosecond})
		n := w.like("first")
		n.CountBy = count
		w.store(t, n)
		w.fill(t, n, 98, filler)
		ps := []world{w, w.process(t, &notify.Options{Consistent: true, Coalesce: time.Nanosecond})}
		var wg sync.WaitGroup
		for k := range faults.Size(64, 10) {
			wg.Go(func() {
				r := rand.New(rand.NewPCG(1, uint64(k)))
				for i := range faults.Size(4, 2) {
					n := w.like(fmt.Sprintf("w%d.%d", k, i*r.IntN(2)))
					n.CountBy = count
					p := ps[r.IntN(2)]
					faults.Acknowledged(t, func() error { return errOf3(p.Notify(t.Context(), n)) })
					if r.IntN(2) == 0 {
						faults.Acknowledged(t, func() error { return errOf(p.Retract(t.Context(), n)) })
					}
				}
			})
		}
		for range 20 { // while they write
			g := w.group(t)
			require.True(t, 0 <= g.N && g.N <= 100 && g.off <= 101, "n %d, off %d", g.N, g.off)
			require.Equal(t, g.live, int(g.N))
		}
		wg.Wait()
		for i := range faults.Size(20, 5) {
			f := w.like(filler(i).ID)
			f.CountBy, f.Activity.ID = count, n.Activity.ID-ids.ID(i)-1
			w.retract(t, f)
		}
		before := w.group(t).N
		w.pass(time.Second)
		last := w.like("last")
		last.CountBy = count
		w.store(t, last)
		require.Equal(t, before+1, w.group(t).N)
	}
}
