package notify_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/notify"
)

// However long a write takes, no mark of a list without it covers it: made meanwhile or
// later, and also if the reader's clock is ten seconds ahead.
func TestAWriteThatIsInTimeIsUnseen(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	ahead := w.skewed(t, notify.Window/2, nil)
	for took := time.Duration(0); took <= notify.Window; took += notify.Window / 8 {
		for _, later := range []bool{false, true} {
			user := fmt.Sprint(took, later)
			s := faults.NewSteps()
			p := w.process(t, nil, s.Wrap)
			n := w.of(t, in(user, 1))
			var err error
			s.Start(func() { err = errOf3(p.Notify(t.Context(), n)) })
			w.pass(took)
			ahead.put(t, in(user, 2))
			view := notify.See(ahead.list(t, user))
			if later {
				s.Finish()
			}
			w.pass(took)
			require.NoError(t, errOf(ahead.MarkSeen(t.Context(), user, view)))
			s.Finish()
			require.NoError(t, err)
			require.Equal(t, 1, w.unseen(t, user), user)
			w.seen(t, user)
			require.Equal(t, 0, w.unseen(t, user), user)
		}
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

	s := faults.NewSteps()
	slow := w.process(t, nil, s.Wrap)
	var err error
	s.Start(func() { err = errOf(slow.MarkAllRead(t.Context(), "ann", newer)) })
	s.Step()
	require.NoError(t, errOf(w.MarkAllRead(t.Context(), "ann", older)))
	s.Finish()
	require.NoError(t, err)
	for _, e := range w.list(t, "ann") {
		require.True(t, e.Read, e.Group)
	}
}
