package notify_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/notify"
)

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
