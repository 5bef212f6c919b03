package notify_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/group"
	"github.com/plaza-sdk/plaza/notify"
)

// The costs that the writes state. Ids have 16 bytes.
func TestWritesCostNoMoreThanStated(t *testing.T) {
	t.Parallel()
	for c, kind := range map[string]struct {
		by     notify.CountBy
		target feed.Ref
	}{"by activity": {}, "by actor": {by: notify.ByActor}, "with a target": {target: feed.Ref{Kind: "a", ID: "00000000000001"}}} {
		meter := dynamotest.NewMeter()
		w := newWorld(t, nil, meter.Wrap)
		at := func(name string, want dynamotest.Cost, call func()) {
			t.Helper()
			name = c + ": " + name
			t.Logf("%s: %v", name, meter.AtMost(t, name, want, call))
		}
		event := func(actor int) notify.Notification {
			n := w.like(fmt.Sprintf("u:%014d", actor))
			n.User, n.CountBy = "bob-0123456789ab", kind.by
			n.Activity.Actor = feed.Ref{Kind: "u", ID: fmt.Sprintf("%014d", actor)}
			n.Activity.Object, n.Activity.Target = feed.Ref{Kind: "p", ID: "00000000000001"}, kind.target
			return n
		}
		store := func(ns ...notify.Notification) func() { return func() { w.store(t, ns...) } }
		repeat := func(n notify.Notification, want string) func() {
			return func() { require.Equal(t, want, w.outcome(t, n)) }
		}
		retract := func(n notify.Notification, want bool) func() {
			return func() { require.Equal(t, want, w.retract(t, n)) }
		}

		first := event(0)
		at("first", dynamotest.Cost{Requests: 1, Write: 2}, store(first))
		at("repeat", dynamotest.Cost{Requests: 1, Write: 1}, repeat(first, isStored))
		other := w.process(t, &notify.Options{}, meter.Wrap)
		w.pass(time.Minute)
		at("repeat, long after that", dynamotest.Cost{Requests: 1, Write: 1}, repeat(first, isStored))
		at("by another process", dynamotest.Cost{Requests: 3, Read: 0.5, Write: 4}, func() { other.outcome(t, first) })
		require.Equal(t, w.Now().UnixMilli(), w.groups(t, first.User)[0].PlaceID().Time().UnixMilli(), "it moves")
		at("further", dynamotest.Cost{Requests: 1, Write: 3}, store(event(1)))
		at("of an actor who is named", dynamotest.Cost{Requests: 2, Write: 4}, store(event(1)))
		gone := event(2)
		at("retract what has not come", dynamotest.Cost{Requests: 2, Read: 1, Write: 3}, retract(gone, false))
		at("retract again", dynamotest.Cost{Requests: 1, Read: 1}, retract(gone, false))
		at("late", dynamotest.Cost{Requests: 1, Write: 1}, repeat(gone, isDropped))

		w.fill(t, first, group.Cap-1, filler)
		last := event(3)
		at("further at 100", dynamotest.Cost{Requests: 1, Write: 9}, store(last))
		require.EqualValues(t, group.Cap, w.groups(t, first.User)[0].N)
		at("repeat at 100", dynamotest.Cost{Requests: 1, Write: 7}, repeat(last, isStored))
		at("beyond", dynamotest.Cost{Requests: 2, Write: 16}, repeat(event(200), isFull))
		at("beyond again", dynamotest.Cost{}, repeat(event(201), isFull))
		at("retract at 100", dynamotest.Cost{Requests: 2, Read: 2, Write: 9}, retract(first, true))
		about := func(want int) func() {
			return func() {
				emptied, err := w.RetractTarget(t.Context(), first.User, w.about(first))
				require.NoError(t, err)
				require.Equal(t, want, emptied)
			}
		}
		at("retract target", dynamotest.Cost{Requests: 2, Read: 2, Write: 8}, about(1))
		at("retract target again", dynamotest.Cost{Requests: 1, Read: 1}, about(0))
		at("after that", dynamotest.Cost{Requests: 1, Write: 2}, store(event(300)))

		only, newest := event(1), event(2)
		only.Activity.Verb, newest.Activity.Verb = "other", "other"
		w.store(t, only, newest)
		at("retract the newest", dynamotest.Cost{Requests: 2, Read: 1, Write: 3}, retract(newest, true))
		at("retract the only one", dynamotest.Cost{Requests: 2, Read: 1, Write: 2}, retract(only, true))
	}
}

// about is what the notification's group is about.
func (world) about(n notify.Notification) feed.Ref {
	if n.Activity.Target.IsZero() {
		return n.Activity.Object
	}
	return n.Activity.Target
}

func TestCostsOfLargeData(t *testing.T) {
	t.Parallel()
	meter := dynamotest.NewMeter()
	w := newWorld(t, &notify.Options{}, meter.Wrap)
	big := func(n notify.Notification) notify.Notification {
		n.Activity.Data = json.RawMessage(`"` + strings.Repeat("x", notify.MaxData-2) + `"`)
		return n
	}
	n := big(w.like("ann"))
	meter.AtMost(t, "first of 4.3 KB", dynamotest.Cost{Requests: 1, Write: 2 + 4 + 2*4}, func() { w.store(t, n) })
	meter.AtMost(t, "second of 4.4 KB", dynamotest.Cost{Requests: 1, Write: 3 + 4 + 2*4}, func() { w.store(t, big(w.like("chris"))) })
	m := big(w.like("dora"))
	w.store(t, m)
	meter.AtMost(t, "retract", dynamotest.Cost{Requests: 2, Read: 2, Write: 3 + 4 + 2*4}, func() { w.retract(t, m) })
	w.store(t, big(w.like("eve")))
	meter.AtMost(t, "retract target", dynamotest.Cost{Requests: 2, Read: 2, Write: 5 + 5}, func() {
		_, err := w.RetractTarget(t.Context(), "bob", feed.Ref{Kind: "photo", ID: "1"})
		require.NoError(t, err)
	})
}

// Waking a full group costs what List and Unseen state.
func TestWakingALargeGroupCostsWhatIsStated(t *testing.T) {
	t.Parallel()
	meter := dynamotest.NewMeter()
	w := newWorld(t, &notify.Options{}, meter.Wrap)
	n := w.like("first")
	n.Activity.Data = json.RawMessage(`"` + strings.Repeat("x", notify.MaxData-2) + `"`)
	w.store(t, n)
	w.fill(t, n, 100, filler)
	g := w.group(t)
	w.snooze(t, notify.In{User: "bob", Group: g.SK[2:]}, time.Minute)
	w.pass(time.Hour)
	t.Log(meter.AtMost(t, "unseen", dynamotest.Cost{Requests: 5, Read: 1 + 2 + 2, Write: 3*9 + 2}, func() { w.unseen(t, "bob") }))
}
