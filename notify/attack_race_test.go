package notify_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/notify"
)

// 64 writers of two processes like and unlike about the cap.
func TestWritersAboutTheCapNeverMiscount(t *testing.T) {
	t.Parallel()
	for _, count := range []notify.CountBy{notify.ByActivity, notify.ByActor} {
		w := newWorld(t, &notify.Options{Consistent: true, Coalesce: time.Nanosecond})
		n := w.like("first")
		n.CountBy = count
		w.store(t, n)
		w.fill(t, n, 98, filler)
		ps := []world{w, w.process(t, &notify.Options{Consistent: true, Coalesce: time.Nanosecond})}
		var wg sync.WaitGroup
		stop := make(chan struct{})
		watched := make(chan error, 1)
		go func() {
			for {
				select {
				case <-stop:
					watched <- nil
					return
				default:
				}
				gs := w.groups(t, "bob")
				g := gs[0]
				if g.N < 0 || g.N > 100 || int(g.N) != g.live || g.off > 101 {
					watched <- fmt.Errorf("n %d live %d off %d", g.N, g.live, g.off)
					return
				}
			}
		}()
		for k := range 64 {
			wg.Go(func() {
				r := rand.New(rand.NewPCG(1, uint64(k)))
				for i := range 4 {
					n := w.like(fmt.Sprintf("w%d.%d", k, i*r.IntN(2)))
					n.CountBy = count
					p := ps[r.IntN(2)]
					_, _, err := p.Notify(t.Context(), n)
					if err != nil {
						t.Error(err)
					}
					if r.IntN(2) == 0 {
						if _, err := p.Retract(t.Context(), n); err != nil {
							t.Error(err)
						}
					}
				}
			})
		}
		wg.Wait()
		close(stop)
		require.NoError(t, <-watched)
		g := w.group(t)
		require.Equal(t, g.live, int(g.N))
		for i := range 20 {
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
