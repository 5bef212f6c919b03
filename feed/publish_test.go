package feed_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
)

func TestARepeatedPublishIsOneActivity(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.subscribe(t, "jack", "chris")
	first, created, err := w.Outbox("chris").Publish(t.Context(), activity("chris", 1))
	require.NoError(t, err)
	require.True(t, created)
	again := activity("chris", 1)
	again.ID = first.ID
	second, created, err := w.Outbox("chris").Publish(t.Context(), again)
	require.NoError(t, err)
	require.False(t, created)
	require.Equal(t, first, second)
	require.Len(t, all(t, w.Home("jack").List, 10), 1)
	edit := first
	edit.Data = []byte(`{"message":"better"}`)
	first, _, err = w.Outbox("chris").Update(t.Context(), edit)
	require.NoError(t, err)
	require.Equal(t, edit, w.send(t, "chris", again), "also once it was edited")

	other := activity("chris", 2)
	other.ID = first.ID
	_, _, err = w.Outbox("chris").Publish(t.Context(), other)
	require.ErrorIs(t, err, plaza.ErrConflict)
	got, err := w.Outbox("chris").Get(t.Context(), first.ID)
	require.NoError(t, err)
	require.Equal(t, first, got)

	require.True(t, w.remove(t, "chris", first.ID))
	_, _, err = w.Outbox("chris").Publish(t.Context(), again)
	require.ErrorIs(t, err, plaza.ErrRemoved)
	require.Empty(t, all(t, w.Home("jack").List, 10))
}

func TestAForeignIDIsUniqueInItsOutbox(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.subscribe(t, "jack", "chris")
	chris := w.Outbox("chris")
	a := activity("chris", 10)
	a.ForeignID = "picture:10"
	first, _, err := chris.Publish(t.Context(), a)
	require.NoError(t, err)

	b := activity("chris", 11)
	b.ForeignID = "picture:10"
	got, created, err := chris.Publish(t.Context(), b)
	require.NoError(t, err)
	require.False(t, created)
	require.Equal(t, first, got)
	require.Len(t, all(t, chris.List, 10), 1)
	_, _, err = w.Outbox("ann").Publish(t.Context(), b)
	require.NoError(t, err, "in another outbox it is free")

	edit := first
	edit.ForeignID = "picture:11"
	_, _, err = chris.Update(t.Context(), edit)
	require.ErrorIs(t, err, plaza.ErrConflict)

	removed, err := chris.RemoveForeign(t.Context(), "picture:10")
	require.NoError(t, err)
	require.True(t, removed)
	require.Empty(t, all(t, w.Home("jack").List, 10))
	removed, err = chris.RemoveForeign(t.Context(), "picture:10")
	require.NoError(t, err)
	require.False(t, removed)

	second, _, err := chris.Publish(t.Context(), b)
	require.NoError(t, err, "once removed, it is free again")
	require.NotEqual(t, first.ID, second.ID)
	require.Equal(t, newestFirst([]feed.Activity{second}), all(t, w.Home("jack").List, 10))
	_, _, err = chris.Publish(t.Context(), first)
	require.ErrorIs(t, err, plaza.ErrRemoved)
}

func TestHistoryIsNotDelivered(t *testing.T) {
	t.Parallel()
	meter := dynamotest.NewMeter()
	w := newWorld(t, nil, meter.Wrap)
	w.subscribe(t, "jack", "chris")
	var old []feed.Activity
	for year := 2019; year <= 2024; year++ {
		at := time.Date(year, 3, 1, 12, 0, 0, 0, time.UTC)
		a := addressed("chris", year, "birds")
		var err error
		a.ID, err = ids.Backdate(at, "chris/picture/"+a.Object.ID)
		require.NoError(t, err)
		a.ForeignID = a.Object.String()
		old = append(old, a)
	}
	n, stated := float64(len(old)), costs(t)
	each := stated.Times(n, "Outbox.PublishMany", "each activity of history").
		Plus(stated.Times(n, "Outbox.PublishMany", "each ForeignID")).
		Plus(stated.Times(n, "Outbox.PublishMany", "each To"))
	meter.AtMost(t, "history", each, func() { w.publishMany(t, "chris", old...) })
	for range 2 { // repeats of the import
		stored := w.publishMany(t, "chris", old...)
		require.Equal(t, 2019, stored[0].Time.Year())
		require.Equal(t, stored[3], w.send(t, "chris", old[3]))
	}
	require.Empty(t, w.jobs(t))
	require.Equal(t, newestFirst(old), all(t, w.Outbox("chris").List, 4), "in order")
	require.Equal(t, newestFirst(old), all(t, w.Outbox("birds").List, 4))
	w.subscribe(t, "ann", "chris")
	for _, reader := range []string{"jack", "ann"} {
		require.Empty(t, all(t, w.Home(reader).List, 10))
	}
	for _, row := range w.rows(t) {
		require.False(t, strings.HasPrefix(row.PK, "H#") || strings.HasPrefix(row.PK, "J"), row.PK)
	}
	recent, err := ids.Backdate(time.Now().Add(-89*24*time.Hour), "chris/picture/recent")
	require.NoError(t, err)
	a := activity("chris", 1)
	a.ID = recent
	w.send(t, "chris", a)
	require.Equal(t, []ids.ID{recent}, all(t, w.Home("jack").List, 10))
}

func TestAPanicFailsOnlyItsActivity(t *testing.T) {
	t.Parallel()
	w := newWorld(t, &feed.Options{Consistent: true, About: func(a feed.Activity) feed.Ref {
		if a.Object.ID == "2" {
			panic("boom")
		}
		return feed.Ref{}
	}})
	results, err := w.Outbox("chris").PublishMany(t.Context(), activities("chris", 3))
	var partial *plaza.PartialError
	require.ErrorAs(t, err, &partial)
	require.Equal(t, []error{results[2].Err}, partial.Errs)
	require.Len(t, all(t, w.Outbox("chris").List, 10), 2)

	bad := activity("ann", 2)
	plain := w.process(t, nil)
	plain.send(t, "ann", bad)
	follows, err := w.Home("jack").FollowMany(t.Context(), []string{"ann", "chris"}, nil)
	require.ErrorAs(t, err, &partial)
	require.Equal(t, []error{follows[0].Err}, partial.Errs)
}

func TestAnActivityReachesTheOutboxesItIsAddressedTo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.subscribe(t, "jack", "chris")
	w.subscribe(t, "ann", "birds")
	a := w.send(t, "chris", addressed("chris", 1, "birds", "paris"))
	want := []ids.ID{a.ID}
	for name, list := range map[string]lister{
		"the author's outbox":   w.Outbox("chris").List,
		"a topic's outbox":      w.Outbox("birds").List,
		"a place's outbox":      w.Outbox("paris").List,
		"the author's follower": w.Home("jack").List,
		"the topic's follower":  w.Home("ann").List,
	} {
		require.Equal(t, want, all(t, list, 10), name)
	}
	for name, list := range map[string]lister{
		"the reader's outbox": w.Outbox("jack").List, "the author's home": w.Home("chris").List, "a stranger's home": w.Home("eve").List,
	} {
		require.Empty(t, all(t, list, 10), name)
	}
	w.subscribe(t, "late", "paris")
	require.Equal(t, want, all(t, w.Home("late").List, 10), "copied from the reference")

	got, err := w.Outbox("birds").Get(t.Context(), a.ID)
	require.NoError(t, err)
	require.Equal(t, a, got)

	edit := a
	edit.Data = []byte(`{"message":"better"}`)
	edit, _, err = w.Outbox("chris").Update(t.Context(), edit)
	require.NoError(t, err)
	for _, list := range []lister{w.Outbox("birds").List, w.Home("ann").List} {
		page := pageOf(t, list, cursor.PageRequest{})
		require.Equal(t, []feed.Activity{edit}, page.Items)
	}

	_, _, err = w.Outbox("birds").Update(t.Context(), edit)
	require.ErrorIs(t, err, plaza.ErrInvalid, "it is chris's")
	edit.Owner = ""
	_, _, err = w.Outbox("birds").Update(t.Context(), edit)
	require.ErrorIs(t, err, plaza.ErrNotFound, "it is changed where it was published")
	require.False(t, w.remove(t, "birds", a.ID))

	require.True(t, w.remove(t, "chris", a.ID))
	for _, list := range []lister{w.Outbox("birds").List, w.Home("ann").List, w.Home("jack").List, w.Home("late").List} {
		require.Empty(t, all(t, list, 10))
	}
	_, err = w.Outbox("birds").Get(t.Context(), a.ID)
	require.ErrorIs(t, err, plaza.ErrNotFound)
}

func TestAnActivityFromTwoOutboxesShowsOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.subscribe(t, "jack", "chris")
	w.subscribe(t, "jack", "birds")
	var done []feed.Activity
	for n := range faults.Size(12, 5) {
		done = append(done, w.send(t, "chris", addressed("chris", n, "birds")))
	}
	for limit := 1; limit <= len(done)+1; limit += faults.Size(1, 4) {
		require.Equal(t, newestFirst(done), all(t, w.Home("jack").List, limit), "by %d", limit)
	}
	w.unfollow(t, "jack", "birds", nil)
	require.Equal(t, newestFirst(done), all(t, w.Home("jack").List, 5), "the author still brings it")
	w.unfollow(t, "jack", "chris", nil)
	require.Empty(t, all(t, w.Home("jack").List, 5))
}

func addressed(actor string, n int, to ...string) feed.Activity {
	a := activity(actor, n)
	a.To = to
	return a
}

func TestToCosts2WCUForEachAndBelongsToTheIdentity(t *testing.T) {
	t.Parallel()
	meter := dynamotest.NewMeter()
	w := newWorld(t, nil, meter.Wrap)
	w.send(t, "chris", activity("chris", 0))
	var twenty []string
	for n := range 20 {
		twenty = append(twenty, fmt.Sprint("topic-", n))
	}
	t.Run("costs 2 WCU each, their modes, and a walk over their followers", func(t *testing.T) {
		stated := costs(t)
		want := stated.Of("Outbox.Publish", "the transaction", "the end of the job").Plus(stated.Times(20, "Outbox.Publish", "each To")).
			Plus(stated.Of("Repository.Deliver", "the modes of its sources")).
			Plus(stated.Times(20, "Repository.Deliver", "each source not found Pushed within 30 s")).
			Plus(stated.Times(21, "Repository.Deliver", "each source of an activity"))
		meter.AtMost(t, "publish to 20", want, func() {
			w.send(t, "chris", addressed("chris", 1, twenty...))
		})
	})
	t.Run("belongs to the identity", func(t *testing.T) {
		a := w.send(t, "chris", addressed("chris", 1, "birds"))
		require.Equal(t, a, w.send(t, "chris", a))
		a.To = []string{"paris"}
		_, _, err := w.Outbox("chris").Publish(t.Context(), a)
		require.ErrorIs(t, err, plaza.ErrConflict)
		require.Empty(t, all(t, w.Outbox("paris").List, 10))
	})
}

// The hashes are stored, so that a repeat after an upgrade is one. Cases are only added.
func TestTheHashOfAnActivityStaysTheSame(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	at := time.UnixMilli(1_700_000_000_000).UTC()
	for want, a := range map[string]feed.Activity{
		"5cef7747b469bc3124a76057de58236a": {Actor: feed.Ref{ID: "jack"}, Verb: "like", Time: at},
		"2c6cb6cdd7deaf1905d2825ede434eab": {
			Actor: feed.Ref{Kind: "user", ID: "jack"}, Verb: "post", Object: feed.Ref{Kind: "picture", ID: "10"}, Target: feed.Ref{Kind: "album", ID: "3"},
			ForeignID: "picture:10", Time: at.Add(time.Nanosecond), Data: []byte(`{"a":1}`), To: []string{"birds", "paris"},
		},
	} {
		rows, err := w.Rows(a)
		require.NoError(t, err)
		item, err := dynamo.MarshalItem(rows[0])
		require.NoError(t, err)
		require.Equal(t, want, fmt.Sprintf("%x", item["hash"].(*types.AttributeValueMemberB).Value))
	}
}
