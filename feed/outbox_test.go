package feed_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
)

func TestGetManyReturnsStandingActivities(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	own := w.publish(t, "birds", 3)
	addressed := w.publishMany(t, "chris", activities("chris", 5)...)
	gone := []ids.ID{own[2].ID, addressed[4].ID}
	w.remove(t, "birds", gone[0])
	w.remove(t, "chris", gone[1])
	elsewhere := addressed[1].ID // an id that birds does not have

	got, err := w.Outbox("birds").GetMany(t.Context(), append(gone, own[0].ID, elsewhere, addressed[0].ID, own[1].ID, own[0].ID))
	require.NoError(t, err)
	require.Equal(t, map[ids.ID]feed.Activity{
		own[0].ID: own[0], own[1].ID: own[1], addressed[0].ID: addressed[0],
	}, got)
}

func TestGetManyCostsOneReadAndOneForReferences(t *testing.T) {
	t.Parallel()
	meter := dynamotest.NewMeter()
	w := newWorld(t, &feed.Options{}, meter.Wrap)
	as := make([]feed.Activity, 100)
	for i := range as {
		as[i] = kilobyte(i)
		as[i].Owner, as[i].To = "chris", []string{"birds"}
	}
	w.layEach(t, as)
	for owner, want := range map[string]dynamotest.Cost{
		"chris": costs(t).Of("Outbox.GetMany", "100 activities"),
		"birds": costs(t).Of("Outbox.GetMany", "100 activities from other outboxes"),
	} {
		meter.AtMost(t, fmt.Sprint("get 100 of ", owner), want, func() {
			got, err := w.Outbox(owner).GetMany(t.Context(), newestFirst(as))
			require.NoError(t, err)
			require.Len(t, got, 100)
		})
	}
	meter.AtMost(t, "get none", dynamotest.Cost{}, func() {
		got, err := w.Outbox("chris").GetMany(t.Context(), nil)
		require.NoError(t, err)
		require.Empty(t, got)
	})
}
