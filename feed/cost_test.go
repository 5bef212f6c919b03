package feed_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/calls/callstest"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// costs are those that the comments of feed state.
func costs(t testing.TB) callstest.Costs { return callstest.ReadCosts(t, "..", "feed") }

// Activities are just under 1 KB, names have up to 16 bytes.
func TestCallsCostNoMoreThanStated(t *testing.T) {
	t.Parallel()
	meter, stated := dynamotest.NewMeter(), costs(t)
	w := newWorld(t, &feed.Options{}, meter.Wrap)
	chris, jack := w.Outbox("chris-0123456789"), w.Home("jack-01234567890")
	publish := func(a feed.Activity) feed.Activity {
		a, _, err := chris.Publish(t.Context(), a)
		require.NoError(t, err)
		return a
	}
	list := func(l lister, limit, want int) func() {
		return func() {
			page := pageOf(t, l, cursor.PageRequest{Limit: limit})
			require.Len(t, page.Items, want)
		}
	}
	changes := func(changed bool, err error) {
		t.Helper()
		require.NoError(t, err)
		require.True(t, changed)
	}
	get := func(id ids.ID) func() {
		return func() {
			_, err := chris.Get(t.Context(), id)
			require.NoError(t, err)
		}
	}
	update := func(a feed.Activity, want bool) func() {
		return func() {
			_, changed, err := chris.Update(t.Context(), a)
			require.NoError(t, err)
			require.Equal(t, want, changed)
		}
	}

	toNobody := stated.Of("Outbox.Publish", "the transaction", "the end of the job").Plus(stated.Of("Repository.Deliver", "each source of an activity"))
	first := toNobody.Plus(stated.Of("Outbox.Publish", "a process's first")).Plus(stated.Of("Repository.Deliver", "the modes of its sources", "each source not found Pushed within 30 s"))
	meter.AtMost(t, "a process's first publish, nobody follows", first, func() { publish(kilobyte(1)) })
	meter.AtMost(t, "publish, nobody follows", toNobody, func() { publish(kilobyte(2)) })
	foreign := kilobyte(3)
	foreign.ForeignID = "picture:3"
	meter.AtMost(t, "publish with a foreign id", toNobody.Plus(stated.Of("Outbox.Publish", "a ForeignID")), func() { foreign = publish(foreign) })
	meter.AtMost(t, "repeated publish", dynamotest.Cost{Requests: 2, Read: 1, Write: 6}, func() { publish(foreign) })
	old := kilobyte(4)
	old.ID = ids.At(time.Date(2009, 1, 1, 0, 0, 0, 0, time.UTC)) + 7
	meter.AtMost(t, "history", stated.Of("Outbox.Publish", "history"), func() { publish(old) })
	backfill := make([]feed.Activity, 97)
	for n := range backfill {
		backfill[n] = kilobyte(n)
	}
	w.lay(t, "chris-0123456789", backfill)
	meter.AtMost(t, "follow", stated.Of("Home.Follow", "with 100 activities of 1 KB copied"), func() {
		_, err := jack.Follow(t.Context(), "chris-0123456789", nil)
		require.NoError(t, err)
	})
	toOne := stated.Of("Repository.Deliver", "each follower", "each 25 followers", "each 1,000 followers of a shard")
	meter.AtMost(t, "publish to one follower", toNobody.Plus(toOne), func() { publish(kilobyte(100)) })

	meter.AtMost(t, "home page", stated.Of("Home.List", "a page of 20"), list(jack.List, 20, 20))
	meter.AtMost(t, "home page in groups", stated.Of("Home.List", "a page of 20"), list(ungrouped(t, jack.Grouped), 20, 20))
	filtered := w.process(t, &feed.Options{Filter: hideVerb("like", new(int))}, meter.Wrap)
	meter.AtMost(t, "home page with a filter", stated.Of("Home.List", "with a Filter"), list(filtered.Home("jack-01234567890").List, 20, 20))
	reposting := w.process(t, &feed.Options{About: aboutObject}, meter.Wrap).Home("jack-01234567890")
	meter.AtMost(t, "home page with reposts", stated.Of("Home.List", "with Options.About"), list(reposting.List, 20, 20))
	page := pageOf(t, reposting.List, cursor.PageRequest{Limit: 20})
	page = pageOf(t, reposting.List, cursor.PageRequest{Limit: 20, Cursor: page.Next})
	up := stated.Of("Home.List", "with Options.About", "upwards with Options.About").Plus(stated.Times(20, "Home.List", "each activity below the page that one on it may repeat"))
	meter.AtMost(t, "home page upwards with reposts", up, func() {
		page = pageOf(t, reposting.List, cursor.PageRequest{Limit: 20, Cursor: page.Prev})
		require.Len(t, page.Items, 20)
	})
	meter.AtMost(t, "trim", stated.Of("Home.Trim", "a header of 1 KB"), func() { changes(jack.Trim(t.Context(), 1)) })
	meter.AtMost(t, "outbox page", stated.Of("Outbox.List", "a page of 20"), list(chris.List, 20, 20))
	meter.AtMost(t, "get", stated.Of("Outbox.Get", "an activity of 4 KB"), get(foreign.ID))
	referred := kilobyte(5)
	referred.Owner, referred.To = "ann", []string{"chris-0123456789"}
	w.layEach(t, []feed.Activity{referred})
	other := pageOf(t, chris.List, cursor.PageRequest{Limit: 1})
	meter.AtMost(t, "get from another outbox", stated.Of("Outbox.Get", "from another outbox"), get(other.Items[0].ID))
	meter.AtMost(t, "outbox page with another's", stated.Of("Outbox.List", "a page of 20", "each 100 activities from other outboxes"), list(chris.List, 20, 20))

	edit := stated.Of("Outbox.Update", "an activity of 1 KB")
	meter.AtMost(t, "edit that changes nothing", edit.Plus(stated.Of("Outbox.Update", "nothing to change")), update(foreign, false))
	foreign.Verb = "put"
	meter.AtMost(t, "edit", edit, update(foreign, true))
	meter.AtMost(t, "remove by foreign id", stated.Of("Outbox.RemoveForeign", "an activity of 1 KB"), func() {
		changes(chris.RemoveForeign(t.Context(), foreign.ForeignID))
	})
	last := publish(kilobyte(101))
	ahead := &clock{}
	ahead.advance(9 * time.Second)
	overlapped := publish(kilobyte(102))
	overlapped.Verb = "drop"
	_, _, err := w.timed(t, ahead, feed.Options{}).Outbox("chris-0123456789").Update(t.Context(), overlapped)
	require.NoError(t, err)
	overlapped.Verb = "pick"
	overlaps := stated.Of("Outbox.Update", "each update that overlaps, or was made by a clock that is ahead")
	meter.AtMost(t, "edit after one by a clock that is ahead", edit.Plus(overlaps), update(overlapped, true))
	meter.AtMost(t, "remove", stated.Of("Outbox.Remove", "an activity of 1 KB"), func() { changes(chris.Remove(t.Context(), last.ID)) })
	meter.AtMost(t, "unfollow", stated.Of("Home.Unfollow", "unfollow"), func() { changes(jack.Unfollow(t.Context(), "chris-0123456789", nil)) })
	meter.AtMost(t, "nothing to deliver", stated.Of("Repository.Deliver", "nothing to do"), func() {
		require.Zero(t, w.deliver(t))
	})
}

// kilobyte is an activity whose item is just under 1 KB.
func kilobyte(n int) feed.Activity {
	a := activity("chris-0123456789", n)
	a.Data = []byte(fmt.Sprintf(`{"message":%q}`, strings.Repeat("x", 750)))
	return a
}

func TestDeliveryCostsOneUnitAFollower(t *testing.T) {
	t.Parallel()
	followers := faults.Size(1_100, 100)
	meter := dynamotest.NewMeter()
	w := newWorld(t, &feed.Options{InlineFollowers: -1}, meter.Wrap)
	w.imported(t, "star", followers)
	w.send(t, "star", activity("star", 1))
	later, n := w.later(t, meter.Wrap), float64(followers)
	want := costs(t).Of("Repository.Deliver", "each source of an activity", "the modes of its sources", "each source not found Pushed within 30 s", "the claim and the end of a job", "nothing to do").
		Plus(costs(t).Times(n, "Repository.Deliver", "each follower")).
		Plus(costs(t).Times(n/25, "Repository.Deliver", "each 25 followers")).
		Plus(costs(t).Times(n/1_000+1, "Repository.Deliver", "each 1,000 followers of a shard")).
		Plus(costs(t).Times(n/1_000, "Repository.Deliver", "each checkpoint, after 1,000 followers"))
	meter.AtMost(t, "deliver to all", want, func() {
		require.Equal(t, 1, later.deliver(t))
	})
}
