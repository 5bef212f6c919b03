package notify_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/calls/callstest"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/group"
	"github.com/plaza-sdk/plaza/notify"
)

// limit allows some events of an actor to a user, and counts each once.
type limit struct {
	mu      sync.Mutex
	most    int
	counted map[string]map[string]bool
	asked   int
}

func (l *limit) allow(_ context.Context, n notify.Notification) (bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.asked++; n.Activity.Actor.ID == "fails" {
		return false, plaza.ErrBusy
	}
	key, id := n.Activity.Actor.ID+" to "+n.User, n.Activity.ID.String()
	if l.counted == nil {
		l.counted = map[string]map[string]bool{}
	}
	if l.counted[key] == nil {
		l.counted[key] = map[string]bool{}
	}
	if !l.counted[key][id] && len(l.counted[key]) >= l.most {
		return false, nil
	}
	l.counted[key][id] = true
	return true, nil
}

func TestAnApplicationsLimitRefusesNewEventsAlone(t *testing.T) {
	t.Parallel()
	l := &limit{most: 2}
	w := newWorld(t, &notify.Options{Allow: l.allow, Policy: &policy{muted: []string{"poke"}}})
	pokes := []notify.Notification{w.like("ann"), w.like("ann"), w.like("ann"), w.like("carl")}
	w.store(t, pokes[:2]...)
	refuses := func(n notify.Notification) {
		t.Helper()
		res, created, err := w.Notify(t.Context(), n)
		require.NoError(t, err)
		require.False(t, created)
		require.Equal(t, notify.Result{Dropped: true, Refused: true}, res)
	}
	refuses(pokes[2])
	w.store(t, pokes[3])
	require.EqualValues(t, 3, w.group(t).N)

	l.most = 0 // a repeat is never refused, also by another process and after a move
	asked := l.asked
	require.Equal(t, isStored, w.outcome(t, pokes[1]))
	w.pass(10 * time.Minute)
	require.Equal(t, isStored, w.process(t, &notify.Options{Allow: l.allow}).outcome(t, pokes[0]))
	other := pokes[1]
	other.Activity.Actor.ID = "eve"
	require.ErrorIs(t, errOf3(w.Notify(t.Context(), other)), plaza.ErrConflict)
	require.True(t, w.retract(t, pokes[1]))
	require.Equal(t, isRetracted, w.outcome(t, pokes[1]))
	muted := w.like("ann")
	muted.Activity.Verb = "poke"
	require.Equal(t, isDropped, w.outcome(t, muted))
	require.Equal(t, isDropped, w.outcome(t, w.like("bob")), "one's own")
	critical := w.like("ann")
	critical.Critical = true
	w.store(t, critical)
	require.Equal(t, asked, l.asked)

	require.ErrorIs(t, errOf3(w.Notify(t.Context(), w.like("fails"))), plaza.ErrBusy)
	refuses(pokes[2])
	l.most = 3
	w.store(t, pokes[2]) // what was refused is not remembered
}

func TestALimitCountsAnEventOnceUnderFaults(t *testing.T) {
	t.Parallel()
	for seed := range faults.Seeds(10) {
		l := &limit{most: 5}
		w := newWorld(t, nil)
		faulty := w.process(t, &notify.Options{Allow: l.allow}, faults.New(t, seed, faults.Standard).Wrap)
		for n := range 8 {
			like, stored := w.like("ann"), false
			faults.Acknowledged(t, func() error {
				res, _, err := faulty.Notify(t.Context(), like)
				stored = !res.Dropped
				return err
			})
			require.Equal(t, n < 5, stored)
		}
		require.EqualValues(t, 5, w.group(t).N)
	}
}

func TestALimitCostsWhatIsStated(t *testing.T) {
	t.Parallel()
	l := &limit{most: 1}
	meter := dynamotest.NewMeter()
	w := newWorld(t, &notify.Options{Allow: l.allow}, meter.Wrap)
	stated := callstest.ReadCosts(t, "..", "notify")
	first := w.like("ann")
	first.Activity.Data = json.RawMessage(`"` + strings.Repeat("x", notify.MaxData-2) + `"`)
	with := stated.Of("Repository.Notify", "with Options.Allow")
	meter.AtMost(t, "a first", stated.Of("Repository.Notify", "a group's first event").Plus(with).Plus(stated.Times(8, "Repository.Notify", "each further KB of the group, in each request")),
		func() { w.store(t, first) })
	large := stated.Of("Repository.Notify", "with Options.Allow, each further 4 KB of the group")
	meter.AtMost(t, "a refusal", with.Plus(large), func() { require.Equal(t, isDropped, w.outcome(t, w.like("ann"))) })
	w.fill(t, first, group.Cap, filler)
	require.Equal(t, isFull, w.outcome(t, w.like("carl")))
	meter.AtMost(t, "into a full group at rest", stated.Of("Repository.Notify", "into a full group that may not rise yet"), func() {
		require.Equal(t, isFull, w.outcome(t, w.like("dora")))
	})
}
