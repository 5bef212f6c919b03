package notify_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/internal/calls/callstest"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/group"
	"github.com/plaza-sdk/plaza/notify"
)

// The costs that the writes state. Ids have 16 bytes.
func TestWritesCostNoMoreThanStated(t *testing.T) {
	t.Parallel()
	stated := callstest.ReadCosts(t, "..", "notify")
	ofKB := func(n float64) dynamotest.Cost {
		return stated.Times(n, "Repository.Notify", "each further KB of the group, in each request")
	}
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
		at("first", stated.Of("Repository.Notify", "a group's first event"), store(first))
		at("repeat", stated.Of("Repository.Notify", "a repeat"), repeat(first, isStored))
		other := w.process(t, &notify.Options{}, meter.Wrap)
		w.pass(time.Minute)
		at("repeat, long after that", stated.Of("Repository.Notify", "a repeat"), repeat(first, isStored))
		at("by another process", stated.Of("Repository.Notify", "a repeat that moves the group"), func() { other.outcome(t, first) })
		require.Equal(t, w.Now().UnixMilli(), w.groups(t, first.User)[0].PlaceID().Time().UnixMilli(), "it moves")
		at("further", stated.Of("Repository.Notify", "an event"), store(event(1)))
		at("of an actor who is named", stated.Of("Repository.Notify", "of an actor whom the group names"), store(event(1)))
		gone := event(2)
		at("retract what has not come", stated.Of("Repository.Retract", "an event"), retract(gone, false))
		at("retract again", stated.Of("Repository.Retract", "a repeat"), retract(gone, false))
		at("late", stated.Of("Repository.Notify", "a repeat"), repeat(gone, isDropped))

		w.fill(t, first, group.Cap-1, filler)
		last := event(3)
		at("further at 100", stated.Of("Repository.Notify", "an event").Plus(ofKB(6)), store(last))
		require.EqualValues(t, group.Cap, w.groups(t, first.User)[0].N)
		at("repeat at 100", stated.Of("Repository.Notify", "a repeat").Plus(ofKB(6)), repeat(last, isStored))
		at("beyond", stated.Of("Repository.Notify", "into a full group").Plus(ofKB(2*6)), repeat(event(200), isFull))
		at("beyond again", stated.Of("Repository.Notify", "into a full group that may not rise yet"), repeat(event(201), isFull))
		at("retract at 100", stated.Of("Repository.Retract", "an event", "each further 4 KB of the group").
			Plus(stated.Times(6, "Repository.Retract", "each further KB of the group")), retract(first, true))
		about := func(want int) func() {
			return func() {
				emptied, err := w.RetractTarget(t.Context(), first.User, w.about(first))
				require.NoError(t, err)
				require.Equal(t, want, emptied)
			}
		}
		at("retract target", stated.Of("Repository.RetractTarget", "no group", "each group", "each further 4 KB of the groups").
			Plus(stated.Times(6, "Repository.RetractTarget", "each further KB of a group")), about(1))
		at("retract target again", stated.Of("Repository.RetractTarget", "no group"), about(0))
		at("after that", stated.Of("Repository.Notify", "a group's first event"), store(event(300)))

		only, newest := event(1), event(2)
		only.Activity.Verb, newest.Activity.Verb = "other", "other"
		w.store(t, only, newest)
		at("retract the newest", stated.Of("Repository.Retract", "an event"), retract(newest, true))
		at("retract the only one", stated.Of("Repository.Retract", "an event"), retract(only, true))
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
	stated := callstest.ReadCosts(t, "..", "notify")
	meter := dynamotest.NewMeter()
	w := newWorld(t, &notify.Options{}, meter.Wrap)
	big := func(n notify.Notification) notify.Notification {
		n.Activity.Data = json.RawMessage(`"` + strings.Repeat("x", notify.MaxData-2) + `"`)
		return n
	}
	larger := stated.Times(4, "Repository.Notify", "each further KB of the group, in each request").
		Plus(stated.Times(4, "Repository.Notify", "each further KB that lists read of it"))
	n := big(w.like("ann"))
	meter.AtMost(t, "first of 4.3 KB", stated.Of("Repository.Notify", "a group's first event").Plus(larger), func() { w.store(t, n) })
	meter.AtMost(t, "second of 4.4 KB", stated.Of("Repository.Notify", "an event").Plus(larger), func() { w.store(t, big(w.like("chris"))) })
	m := big(w.like("dora"))
	w.store(t, m)
	retract := stated.Of("Repository.Retract", "an event", "each further 4 KB of the group").
		Plus(stated.Times(4, "Repository.Retract", "each further KB of the group")).
		Plus(stated.Times(4, "Repository.Retract", "each further KB that lists read of it"))
	meter.AtMost(t, "retract", retract, func() { w.retract(t, m) })
	read := stated.Of("Repository.MarkRead").Plus(stated.Times(5, "Repository.MarkRead", "each further KB of a group"))
	entry := w.list(t, "bob")[0]
	meter.AtMost(t, "mark read", read, func() { require.NoError(t, errOf(w.MarkRead(t.Context(), "bob", shown(entry)))) })
	w.store(t, big(w.like("eve")))
	all := stated.Of("Repository.RetractTarget", "no group", "each group", "each further 4 KB of the groups").
		Plus(stated.Times(4, "Repository.RetractTarget", "each further KB of a group")).
		Plus(stated.Times(4, "Repository.RetractTarget", "each further KB that lists read of it"))
	meter.AtMost(t, "retract target", all, func() {
		require.NoError(t, errOf(w.RetractTarget(t.Context(), "bob", feed.Ref{Kind: "photo", ID: "1"})))
	})
	erase := stated.Of("Repository.Erase", "each 1,000 rows or 1 MB", "each 4 KB", "each 4 KB", "each 25 rows", "each row").
		Plus(stated.Times(4, "Repository.Erase", "each further KB of a row"))
	w.store(t, big(w.like("fay")))
	meter.AtMost(t, "erase", erase, func() { require.NoError(t, w.Erase(t.Context(), "bob")) })
}

// Waking a full group costs what List and Unseen state.
func TestWakingALargeGroupCostsWhatIsStated(t *testing.T) {
	t.Parallel()
	stated := callstest.ReadCosts(t, "..", "notify")
	meter := dynamotest.NewMeter()
	w := newWorld(t, &notify.Options{}, meter.Wrap)
	n := w.like("first")
	n.Activity.Data = json.RawMessage(`"` + strings.Repeat("x", notify.MaxData-2) + `"`)
	w.store(t, n)
	w.fill(t, n, 100, filler)
	g := w.group(t)
	w.snooze(t, notify.In{User: "bob", Group: g.SK[2:]}, time.Minute)
	w.pass(time.Hour)
	unseen := stated.Of("Repository.Unseen", "nothing new", "each further 4 KB of new rows", "groups that are due", "each group due").
		Plus(stated.Times(8, "Repository.Unseen", "each further KB of it")).
		Plus(stated.Times(2, "Repository.Unseen", "each further 4 KB of it"))
	t.Log(meter.AtMost(t, "unseen", unseen, func() { w.unseen(t, "bob") }))
}
