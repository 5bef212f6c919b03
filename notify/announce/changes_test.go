package announce_test

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/streamtest"
	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/notify/announce"
	"github.com/plaza-sdk/plaza/stream"
)

func TestEachWriteReportsItsChanges(t *testing.T) {
	t.Parallel()
	streamtest.UnderFaults(t, func(t *testing.T, wrap func(aws.HTTPClient) aws.HTTPClient) {
		slow := &during{op: "PutItem"}
		w := world{table: dynamotest.Table(t, streamtest.Streamed(notify.Table)), clock: &clock{}}.process(t, nil, wrap, slow.wrap)
		changes := streamtest.Watch(t, w.table, announce.Changes)
		sees := func(what string, want ...announce.Change) {
			t.Helper()
			got := changes.Next(t)
			for i := range got {
				require.False(t, got[i].At.IsZero())
				got[i].At = time.Time{}
			}
			require.ElementsMatch(t, want, got, what)
		}
		given := w.message("Hello")
		given.Audience = "a#b"
		a := w.announce(t, given)
		sees("Announce", announce.Change{Kind: announce.Announced, Announcement: a})
		require.NoError(t, errOf3(w.Announce(t.Context(), a)))
		sees("a repeat")

		own := given
		own.ID = ids.At(today) + 1
		own = w.announce(t, own)
		sees("an ID of one's own", announce.Change{Kind: announce.Announced, Announcement: own})

		slow.f = func() { w.forward(lead); slow.f = nil }
		moved := w.announce(t, given)
		got := changes.Next(t)
		require.Len(t, got, 2, "of a slow write")
		require.Equal(t, moved, got[1].Announcement)

		a.Title = "Hi"
		a = w.edit(t, a, true)
		sees("Edit", announce.Change{Kind: announce.Edited, Announcement: a})
		w.edit(t, a, false)
		sees("a repeat of Edit")

		w.withdraw(t, a)
		a.Withdrawn = w.Now()
		sees("Withdraw", announce.Change{Kind: announce.Withdrawn, Announcement: a})
		require.NoError(t, errOf(w.Withdraw(t.Context(), a.Audience, a.ID)))
		require.NoError(t, errOf(w.Withdraw(t.Context(), a.Audience, a.ID+1)))
		sees("a repeat, and of nothing")

		require.NoError(t, w.Erase(t.Context(), "a#b"))
		sees("Erase", announce.Change{Kind: announce.Erased, Announcement: a},
			announce.Change{Kind: announce.Erased, Announcement: own}, announce.Change{Kind: announce.Erased, Announcement: moved})

		b := w.bell(t)
		b.notify(t, "ann")
		sees("another part of the table")
	})
}

// TestChangesOfImpossibleRecordsAreErrors has the keys of no announcement, and damage.
func TestChangesOfImpossibleRecordsAreErrors(t *testing.T) {
	t.Parallel()
	text := func(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }
	id := ids.At(today).String()
	whole := func(pk, sk string) dynamo.Item {
		return dynamo.Item{
			"pk": text(pk), "sk": text(sk), "op": text(id), "title": text("Hello"),
			"until": &types.AttributeValueMemberN{Value: "1"}, "ttl": &types.AttributeValueMemberN{Value: "1"},
		}
	}
	changes := func(item dynamo.Item) ([]announce.Change, error) {
		return announce.Changes(stream.Record{
			Kind: stream.Insert, Table: "t", New: item, Keys: dynamo.Item{"pk": item["pk"], "sk": item["sk"]},
		})
	}
	got, err := changes(whole("A#everyone#0", id))
	require.NoError(t, err)
	require.Equal(t, "everyone", got[0].Announcement.Audience)
	for _, key := range [][2]string{{"A#everyone", id}, {"A#everyone#1", id}, {"A##0", id}, {"A#everyone#0", "x"}, {"A#a#b#0", id}, {"A", id}} {
		_, err := changes(whole(key[0], key[1]))
		require.ErrorIs(t, err, plaza.ErrCorrupt, key)
	}
	got, err = changes(whole("N#everyone#0", id))
	require.NoError(t, err)
	require.Empty(t, got)

	streamtest.Junk(t, 1, faults.Size(2000, 200), streamtest.Shapes{
		PKs: []string{"A#everyone#0", "A#everyone", "N#ann", "A#0"}, SKs: []string{id, "x", "0000000000000"},
		Attributes: []string{"op", "title", "text", "refs", "data", "from", "until", "withdrawn", "moved", "ttl", "edit", "editBefore"},
		Values:     []string{id, "page:1", "{}"},
	}, func(r stream.Record) error { return errOf(announce.Changes(r)) })
}
