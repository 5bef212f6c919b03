package feed_test

import (
	"context"
	"fmt"
	"log"
	"maps"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/streamtest"
	"github.com/plaza-sdk/plaza/stream"
)

// A handler of the table's stream keeps a search index: an activity is found under
// its owner and its id.
func ExampleChanges() {
	ctx := context.Background()
	tables := openTables(ctx)
	chris := tables.feeds(nil).Outbox("chris")
	a, _, err := chris.Publish(ctx, feed.Activity{Actor: feed.Ref{ID: "chris"}, Verb: "add", Object: feed.Ref{Kind: "picture", ID: "10"}})
	if err != nil {
		log.Fatal(err)
	}
	a.Verb = "share"
	if _, _, err := chris.Update(ctx, a); err != nil {
		log.Fatal(err)
	}
	if _, err := chris.Remove(ctx, a.ID); err != nil {
		log.Fatal(err)
	}

	handler := func(_ context.Context, r stream.Record) error {
		changes, err := feed.Changes(r)
		for _, c := range changes {
			fmt.Println(c.Kind, c.Owner, c.Activity.Verb, c.Activity.Object)
		}
		return err
	}
	if err := streamtest.Each(ctx, tables.db, tables.feed, handler); err != nil {
		log.Fatal(err)
	}
	// Output:
	// published chris add picture:10
	// updated chris share picture:10
	// removed chris share picture:10
}

type changes = streamtest.Changes[feed.Change]

// newStreamed is newWorld whose table of activities has a stream. The faults are
// the feed's, and begin with each call.
func newStreamed(t *testing.T, opts *feed.Options, wrap ...func(aws.HTTPClient) aws.HTTPClient) (world, *changes) {
	t.Helper()
	w := world{
		feedTable:   dynamotest.Table(t, streamtest.Streamed(feed.Table)),
		followTable: dynamotest.Table(t, follow.Table),
	}
	return w.process(t, opts, wrap...), streamtest.Watch(t, w.feedTable, feed.Changes)
}

func TestEachWriteReportsItsChanges(t *testing.T) {
	t.Parallel()
	streamtest.UnderFaults(t, func(t *testing.T, wrap func(aws.HTTPClient) aws.HTTPClient) {
		w, changes := newStreamed(t, &feed.Options{Consistent: true, InlineFollowers: 1}, wrap)
		ctx, outbox := t.Context(), w.Outbox("chris#1")
		sees := func(what string, want ...feed.Change) {
			t.Helper()
			got := changes.Next(t)
			for i := range got {
				require.False(t, got[i].At.IsZero())
				require.Equal(t, got[i].At.Truncate(time.Second), got[i].At)
				got[i].At = time.Time{}
			}
			require.ElementsMatch(t, want, got, what)
		}
		change := func(kind feed.ChangeKind, a feed.Activity) feed.Change {
			return feed.Change{Kind: kind, Owner: "chris#1", Activity: a}
		}
		w.subscribe(t, "jack", "chris#1")
		w.subscribe(t, "zoe", "chris#1")
		w.subscribe(t, "ann", "topic")
		sees("Follow")

		given := activity("chris", 1)
		given.To, given.ForeignID = []string{"topic", "place"}, "picture:1"
		given.Time = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
		given.ID = w.mint(t)
		a, created, err := outbox.Publish(ctx, given)
		require.NoError(t, err)
		require.True(t, created)
		sees("Publish to two more outboxes", change(feed.Published, a))
		_, created, err = outbox.Publish(ctx, given)
		require.NoError(t, err)
		require.False(t, created)
		other := given
		other.ID = 0
		_, created, err = outbox.Publish(ctx, other)
		require.NoError(t, err)
		require.False(t, created)
		sees("a repeat, and another with its foreign id")
		_, err = w.later(t).Deliver(ctx)
		require.NoError(t, err)
		sees("Deliver")

		history := activity("chris", 2)
		history.ID = ids.At(time.Date(2009, 1, 1, 0, 0, 0, 0, time.UTC)) + 7
		results, err := outbox.PublishMany(ctx, []feed.Activity{history, activity("chris", 3)})
		require.NoError(t, err)
		many := values(results)
		sees("PublishMany, with history", change(feed.Published, many[0]), change(feed.Published, many[1]))

		edited := a
		edited.Data, edited.Target, edited.Time = []byte(`{"message":"other"}`), feed.Ref{Kind: "album", ID: "7"}, time.Time{}
		edited, _, err = outbox.Update(ctx, edited)
		require.NoError(t, err)
		sees("Update", change(feed.Updated, edited))
		_, _, err = outbox.Update(ctx, edited)
		require.NoError(t, err)
		sees("an Update that changes nothing")

		_, err = outbox.Remove(ctx, edited.ID)
		require.NoError(t, err)
		sees("Remove", change(feed.Removed, edited))
		_, err = outbox.Remove(ctx, edited.ID)
		require.NoError(t, err)
		_, _, err = outbox.Publish(ctx, given)
		require.ErrorIs(t, err, plaza.ErrRemoved)
		_, err = outbox.Remove(ctx, given.ID+1)
		require.NoError(t, err)
		sees("another Remove, a late Publish, Remove of nothing")

		again, _, err := outbox.Publish(ctx, other) // its foreign id is free again
		require.NoError(t, err)
		sees("Publish under a foreign id that is free", change(feed.Published, again))
		_, err = outbox.RemoveForeign(ctx, "picture:1")
		require.NoError(t, err)
		sees("RemoveForeign", change(feed.Removed, again))

		_, err = w.Home("jack").Unfollow(ctx, "chris#1", nil)
		require.NoError(t, err)
		_, err = w.Home("zoe").Trim(ctx, many[1].ID)
		require.NoError(t, err)
		sees("Unfollow and Trim")
		require.NoError(t, w.Erase(ctx, "chris#1"))
		sees("Erase", change(feed.Erased, many[0]), change(feed.Erased, many[1]))
		require.NoError(t, w.Erase(ctx, "chris#1"))
		require.NoError(t, w.Erase(ctx, "topic"))
		sees("another Erase, and that of an outbox with references")
	})
}

func TestChangesAreReadFromTheImages(t *testing.T) {
	t.Parallel()
	const id = "32SBCWQRR0001"
	text := func(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }
	type attributes = map[string]types.AttributeValue
	item := func(more attributes) attributes {
		item := attributes{"pk": text("O#chris"), "sk": text(id)}
		maps.Copy(item, more)
		return item
	}
	living := item(attributes{"verb": text("add"), "actor": text("chris")})
	tombstone := item(attributes{"removed": text(id)})
	for name, c := range map[string]struct {
		record stream.Record
		want   []feed.ChangeKind
		err    error
	}{
		"it appears":                {stream.Record{Kind: stream.Insert, New: living}, []feed.ChangeKind{feed.Published}, nil},
		"where a tombstone was":     {stream.Record{Kind: stream.Modify, Old: tombstone, New: living}, []feed.ChangeKind{feed.Published}, nil},
		"it goes":                   {stream.Record{Kind: stream.Remove, Old: living}, []feed.ChangeKind{feed.Erased}, nil},
		"it is buried":              {stream.Record{Kind: stream.Modify, Old: living, New: tombstone}, []feed.ChangeKind{feed.Removed}, nil},
		"a tombstone goes":          {stream.Record{Kind: stream.Remove, Old: tombstone}, nil, nil},
		"a tombstone expires":       {stream.Record{Kind: stream.Remove, Old: tombstone, ByTTL: true}, nil, nil},
		"a living one expires":      {stream.Record{Kind: stream.Remove, Old: living, ByTTL: true}, nil, nil},
		"a reference appears":       {stream.Record{Kind: stream.Insert, New: item(attributes{"owner": text("ann")})}, nil, nil},
		"a tombstone alone":         {stream.Record{Kind: stream.Insert, New: tombstone}, nil, nil},
		"it has no verb":            {stream.Record{Kind: stream.Insert, New: item(nil)}, nil, plaza.ErrCorrupt},
		"it had no verb":            {stream.Record{Kind: stream.Remove, Old: item(nil)}, nil, plaza.ErrCorrupt},
		"its images were dropped":   {stream.Record{Kind: stream.Insert, Truncated: true}, nil, stream.ErrTruncated},
		"the stream has keys alone": {stream.Record{Kind: stream.Insert}, nil, stream.ErrView},
		"the stream has new images": {stream.Record{Kind: stream.Modify, New: living}, nil, stream.ErrView},
		"the stream has old images": {stream.Record{Kind: stream.Modify, Old: living}, nil, stream.ErrView},
	} {
		c.record.Keys = item(nil)
		got, err := feed.Changes(c.record)
		require.ErrorIs(t, err, c.err, name)
		var kinds []feed.ChangeKind
		for _, change := range got {
			kinds = append(kinds, change.Kind)
		}
		require.Equal(t, c.want, kinds, name)
	}
}

// Neither a switch nor a damaged one is a change of an activity.
func TestASwitchIsNotAChange(t *testing.T) {
	t.Parallel()
	w, changes := newStreamed(t, &feed.Options{Consistent: true})
	w.subscribe(t, "jack", "chris")
	a := w.publish(t, "chris", 1)[0]
	changes.Next(t)
	w.switched(t, "chris", true)
	w.switched(t, "chris", false)
	for _, mode := range []types.AttributeValue{text("x"), number("1"), text("pushed")} {
		w.damage(t, "O#chris", "~", map[string]types.AttributeValue{"mode": mode, "verb": number("1")})
	}
	require.Empty(t, changes.Next(t))
	require.NoError(t, w.Erase(t.Context(), "chris"))
	got := changes.Next(t)
	require.Len(t, got, 1)
	require.Equal(t, a.ID, got[0].Activity.ID)
}

func FuzzChanges(f *testing.F) {
	for seed := range uint64(8) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		streamtest.Junk(t, seed, 200, streamtest.Shapes{
			PKs:        []string{"O#chris", "O", "O#", "O#a#b", "H#chris", "X#chris", "J#0", "~"},
			SKs:        []string{"32SBCWQRR0001", "", "x", "~", "32SBCWQRR0001#a#b"},
			Attributes: []string{"actor", "verb", "object", "target", "foreignId", "time", "data", "hash", "to", "removed", "edit", "owner", "ttl"},
			Values:     []string{"32SBCWQRR0001", "chris", "user:chris", `{"a":1}`, "0000000000000"},
		}, func(r stream.Record) error {
			_, err := feed.Changes(r)
			return err
		})
	})
}
