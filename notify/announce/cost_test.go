package announce_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/calls/callstest"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/notify/announce"
)

// sized has an item of up to that many KB under an audience of 16 bytes.
func (w world) sized(kilobytes int) notify.Announcement {
	const names = 180 // keys, names of attributes and numbers
	a := w.message("Hello")
	a.Audience = strings.Repeat("e", 16)
	a.Text = strings.Repeat("x", kilobytes<<10-names)
	return a
}

func TestOperationsCostNoMoreThanStated(t *testing.T) {
	t.Parallel()
	meter := dynamotest.NewMeter()
	w := newWorld(t, meter.Wrap)
	ctx := t.Context()
	type cost = dynamotest.Cost
	for kilobytes := 1; kilobytes <= 4; kilobytes++ {
		kb := float64(kilobytes)
		given := w.sized(kilobytes)
		var a notify.Announcement
		meter.AtMost(t, "announce", cost{Requests: 1, Write: kb}, func() { a = w.announce(t, given) })
		meter.AtMost(t, "repeat", cost{Requests: 1, Write: kb}, func() {
			w.repeat(t, a)
		})
		own := given
		own.ID = ids.At(today) + ids.ID(kilobytes)
		meter.AtMost(t, "announce too late", cost{Requests: 1, Write: 2 + 2*kb}, func() { w.announce(t, own) })
		meter.AtMost(t, "withdraw", cost{Requests: 1, Write: kb}, func() { w.withdraw(t, a) })
		meter.AtMost(t, "withdraw again", cost{Requests: 1, Write: kb}, func() {
			require.NoError(t, errOf(w.Withdraw(ctx, a.Audience, a.ID)))
		})
		own.Audience = a.Audience
		meter.AtMost(t, "withdraw what moved", cost{Requests: 2, Write: kb + 1}, func() { w.withdraw(t, own) })
	}
	meter.AtMost(t, "withdraw nothing", cost{Requests: 1, Write: 1}, func() {
		require.NoError(t, errOf(w.Withdraw(ctx, "nobody", 1)))
	})
	list := func(limit int) func() {
		return func() {
			require.NoError(t, errOf(w.List(ctx, w.sized(1).Audience, cursor.PageRequest{Limit: limit})))
		}
	}
	meter.AtMost(t, "list", cost{Requests: 1, Read: 5}, list(7))
	require.NoError(t, w.Erase(ctx, w.sized(1).Audience))
	for range 30 {
		w.announce(t, w.sized(1))
	}
	meter.AtMost(t, "list of 20 KB", cost{Requests: 1, Read: 6}, list(20))
	meter.AtMost(t, "erase", cost{Requests: 3, Read: 8, Write: 30}, func() { require.NoError(t, w.Erase(ctx, w.sized(1).Audience)) })

	require.NoError(t, errOf(w.db.Client().UpdateTimeToLive(ctx, notify.TTL(w.table))))
	meter.AtMost(t, "verify", cost{Requests: 3, Read: 0.5}, func() { require.NoError(t, w.Verify(ctx)) })
}

// TestListPastManyThatAreOver counts the reads of a page where most are over.
func TestListPastManyThatAreOver(t *testing.T) {
	t.Parallel()
	meter := dynamotest.NewMeter()
	w := newWorld(t, meter.Wrap)
	w.putMarks(t, 200)
	meter.AtMost(t, "list", dynamotest.Cost{Requests: 6, Read: 6}, func() {
		page, err := w.List(t.Context(), "everyone", cursor.PageRequest{Limit: 1})
		require.NoError(t, err)
		require.Empty(t, page.Items)
		require.NotEmpty(t, page.Next)
	})
}

// TestAnAnnouncementReachesEverybodyByOneWrite has 1,000 users of one process, who read
// for two minutes.
func TestAnAnnouncementReachesEverybodyByOneWrite(t *testing.T) {
	t.Parallel()
	stated := callstest.ReadCosts(t, "../..", "notify/announce")
	meter := dynamotest.NewMeter()
	w := newWorld(t, meter.Wrap)
	for range announce.MaxLive {
		w.announce(t, w.sized(1))
		w.forward(time.Millisecond)
	}
	w.forward(lead)
	audience := w.sized(1).Audience
	meter.AtMost(t, "a reading of 100", stated.Of("Repository.Live", "one with 100 announcements of 1 KB"), func() {
		require.Len(t, w.live(t, audience), announce.MaxLive)
	})
	meter.AtMost(t, "announce", dynamotest.Cost{Requests: 1, Write: 1}, func() { w.announce(t, w.sized(1)) })
	reads := func() {
		for user := range 1000 {
			// The one that is about to show takes a place already.
			require.GreaterOrEqual(t, len(w.seen(t, notify.Reader{User: fmt.Sprint(user), Audiences: []string{audience}})), announce.MaxLive-1)
		}
	}
	meter.AtMost(t, "1,000 users", stated.Of("Repository.Live", "audiences that were read within CacheTTL"), reads)
	for range 4 {
		w.forward(announce.CacheTTL)
		meter.AtMost(t, "1,000 users after 30 s", stated.Of("Repository.Live", "one with 100 announcements of 1 KB"), reads)
	}
	w.putMarks(t, 400)
	w.forward(announce.CacheTTL)
	meter.AtMost(t, "past 400 withdrawn ones", dynamotest.Cost{Read: 50}.Plus(stated.Of("Repository.Live", "past others that are withdrawn or over, at most")), func() { w.live(t, audience) })
	meter.AtMost(t, "an empty audience", stated.Of("Repository.Live", "an audience"), func() { w.live(t, "nobody") })
}
