package notify_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/notify"
)

// Writers are slow: time passes before and after each of their requests, and lists and
// marks come between. In the end exactly the events that a mark's view had are seen.
func TestAnEventThatWasNotShownIsNeverMarkedSeen(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for seed := range faults.Seeds(60) {
		random := rand.New(rand.NewPCG(seed, 1))
		user := fmt.Sprint("user ", seed)
		marked := map[ids.ID]bool{}
		var views []notify.View
		var lists [][]notify.Entry
		var writers []*steps
		for turn := range 60 {
			switch random.IntN(6) {
			case 0:
				if turn < 50 {
					s := newSteps()
					p := w.process(t, nil, s.Wrap)
					n := w.of(t, in(user, random.IntN(4)))
					s.start(func() {
						if _, _, err := p.Notify(t.Context(), n); err != nil {
							t.Error(err)
						}
					})
					writers = append(writers, s)
				}
			case 1, 2:
				if len(writers) > 0 {
					writers[random.IntN(len(writers))].step()
				}
			case 3:
				longest := []time.Duration{time.Second, notify.Window / 2, 2 * notify.Window}[random.IntN(3)]
				w.pass(time.Duration(random.Int64N(int64(longest))))
			case 4:
				lists = append(lists, w.list(t, user))
				views = append(views, notify.See(lists[len(lists)-1]))
			default:
				if len(views) > 0 {
					i := random.IntN(len(views))
					require.NoError(t, errOf(w.MarkSeen(t.Context(), user, views[i])))
					for _, e := range lists[i] {
						marked[e.Last] = true
					}
				}
			}
		}
		for _, s := range writers {
			s.finish()
		}
		unseen := 0
		for _, e := range w.list(t, user) {
			require.Equal(t, marked[e.Last], e.Seen, "seed %d: %v", seed, e)
			if !e.Seen {
				unseen++
			}
		}
		require.Equal(t, unseen, w.unseen(t, user))
	}
}

// However long a write takes, no mark that is made meanwhile covers it, also if the
// reader's clock is ten seconds ahead.
func TestAWriteThatIsInTimeIsUnseen(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	ahead := w.skewed(t, notify.Window/2)
	for took := time.Duration(0); took <= notify.Window; took += notify.Window / 8 {
		user := took.String()
		s := newSteps()
		p := w.process(t, nil, s.Wrap)
		n := w.of(t, in(user, 1))
		s.start(func() {
			if _, _, err := p.Notify(t.Context(), n); err != nil {
				t.Error(err)
			}
		})
		w.pass(took)
		ahead.put(t, in(user, 2))
		ahead.seen(t, user)
		s.finish()
		require.Equal(t, 1, w.unseen(t, user), user)
		w.seen(t, user)
		require.Equal(t, 0, w.unseen(t, user), user)
	}
}

func TestTheCountIsThatOfTheListOnceAllIsQuiet(t *testing.T) {
	t.Parallel()
	for seed := range faults.Seeds(10) {
		w := newWorld(t, nil)
		var all sync.WaitGroup
		for worker := range uint64(4) {
			p := w.process(t, nil, faults.New(t, seed*4+worker, faults.Standard).Wrap)
			random := rand.New(rand.NewPCG(seed, worker))
			all.Go(func() {
				for range faults.Size(15, 8) {
					to := in("ann", random.IntN(6))
					until := w.Now().Add(time.Duration(random.IntN(20)+1) * time.Second)
					faults.Acknowledged(t, func() (err error) {
						switch random.IntN(8) {
						case 0, 1:
							_, _, err = p.Notify(t.Context(), w.of(t, to))
						case 2:
							_, err = p.Archive(t.Context(), to)
						case 3:
							if _, err = p.Snooze(t.Context(), to, until); errors.Is(err, plaza.ErrInvalid) {
								err = nil // the others let so much time pass
							}
						case 4:
							_, err = p.MarkUnread(t.Context(), to)
						default:
							var page cursor.Page[notify.Entry]
							if page, err = p.List(t.Context(), reader("ann"), cursor.PageRequest{}); err != nil {
								return err
							}
							view := notify.See(page.Items)
							if random.IntN(2) == 0 {
								err = errOf(p.MarkSeen(t.Context(), "ann", view))
							} else {
								err = errOf(p.MarkAllRead(t.Context(), "ann", view))
							}
						}
						return err
					})
					w.pass(time.Second)
				}
			})
		}
		all.Wait()
		for range 3 {
			unseen := 0
			for _, e := range w.list(t, "ann") {
				if !e.Seen {
					unseen++
				}
			}
			require.Equal(t, unseen, w.unseen(t, "ann"))
			w.pass(time.Minute) // wakes those that are snoozed
		}
		require.Empty(t, w.snoozed(t, "ann"))
	}
}

// The answer to a MarkAllRead is lost, and a MarkUnread comes before its second request.
func TestAMarkAllReadThatIsSentTwiceDoesNotUndoWhatFollowed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	to := in("ann", 1)
	w.put(t, to)
	w.seen(t, "ann")
	w.pass(time.Minute)
	view := notify.See(w.list(t, "ann"))
	lost, updates := faults.New(t, 1, faults.Rates{}), 0
	lost.Script(func(string, []byte, int) faults.Fault {
		if updates++; updates == 1 {
			return faults.Fault{Kind: faults.LostAfter}
		}
		does(t)(w.MarkUnread(t.Context(), to))
		return faults.Fault{}
	})
	require.NoError(t, errOf(w.process(t, nil, lost.Wrap).MarkAllRead(t.Context(), "ann", view)))
	require.Equal(t, 2, updates)
	require.False(t, w.entry(t, to).Read)
}

// Two calls find what a clock that is ahead has left, and both go on from it.
func TestTwoMarkAllReadAboveOneIDAreBothKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.put(t, in("ann", 0))
	older := notify.See(w.list(t, "ann"))
	w.pass(3 * time.Second)
	w.put(t, in("ann", 1))
	newer := notify.See(w.list(t, "ann"))
	require.NoError(t, errOf(w.MarkSeen(t.Context(), "ann", older)))
	ahead := ids.At(w.Now().Add(time.Hour))
	require.NoError(t, dynamotest.DB(t).Table(w.table).Update("pk", userPK("ann")).Range("sk", "S").Set("s.ra", ahead).Run(t.Context()))

	s := newSteps()
	slow := w.process(t, nil, s.Wrap)
	var err error
	s.start(func() { err = errOf(slow.MarkAllRead(t.Context(), "ann", newer)) })
	s.step()
	require.NoError(t, errOf(w.MarkAllRead(t.Context(), "ann", older)))
	s.finish()
	require.NoError(t, err)
	for _, e := range w.list(t, "ann") {
		require.True(t, e.Read, e.Group)
	}
}
