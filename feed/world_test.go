package feed_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
)

var machines atomic.Uint32

// generator returns a generator with its own machine number.
func generator(t testing.TB) *ids.Generator {
	t.Helper()
	gen, err := ids.New(uint16(machines.Add(1)), nil)
	require.NoError(t, err)
	return gen
}

// world is a follow and a feed repository over new tables.
type world struct {
	*feed.Repository
	follows     *follow.Repository
	db          *dynamo.DB
	gen         ids.Source
	feedTable   string
	followTable string
}

// newWorld reads strongly consistently if no opts are given.
func newWorld(t testing.TB, opts *feed.Options, wrap ...func(aws.HTTPClient) aws.HTTPClient) world {
	t.Helper()
	w := world{
		feedTable:   dynamotest.Table(t, feed.Table),
		followTable: dynamotest.Table(t, follow.Table),
	}
	if opts == nil {
		opts = &feed.Options{Consistent: true}
	}
	return w.process(t, opts, wrap...)
}

// process is another process on the tables of w. Unless CI is set, it has one shard of jobs.
func (w world) process(t testing.TB, opts *feed.Options, wrap ...func(aws.HTTPClient) aws.HTTPClient) world {
	t.Helper()
	w.db, w.gen = dynamotest.DB(t, wrap...), generator(t)
	return w.open(t, opts)
}

func (w world) open(t testing.TB, opts *feed.Options) world {
	t.Helper()
	var err error
	w.follows, err = follow.New(w.db, w.followTable, w.gen, nil)
	require.NoError(t, err)
	return w.over(t, w.follows, opts)
}

// over is w on another graph.
func (w world) over(t testing.TB, graph feed.Graph, opts *feed.Options) world {
	t.Helper()
	var err error
	w.Repository, err = feed.New(w.db, w.feedTable, w.gen, graph, sharded(opts))
	require.NoError(t, err)
	return w
}

// sharded has one shard of jobs, unless CI is set or it has a number.
func sharded(opts *feed.Options) *feed.Options {
	var given feed.Options
	if opts != nil {
		given = *opts
	}
	given.JobShards = cmp.Or(given.JobShards, faults.Size(4, 1)) // other tests have jobs in several
	return &given
}

// activity is the n-th activity of actor.
func activity(actor string, n int) feed.Activity {
	return feed.Activity{
		Actor:  feed.Ref{ID: actor},
		Verb:   "add",
		Object: feed.Ref{Kind: "picture", ID: fmt.Sprint(n)},
		Data:   []byte(fmt.Sprintf(`{"message":"picture %d"}`, n)),
	}
}

// publish publishes n activities of actor. They have ids, so that it can repeat
// a publish that fails.
func (w world) publish(t testing.TB, actor string, n int) []feed.Activity {
	t.Helper()
	done := make([]feed.Activity, n)
	for i := range done {
		done[i] = w.send(t, actor, activity(actor, i+1))
	}
	return done
}

// publishMany publishes activities as an import does.
func (w world) publishMany(t testing.TB, owner string, as ...feed.Activity) []feed.Activity {
	t.Helper()
	results, err := w.Outbox(owner).PublishMany(t.Context(), as)
	require.NoError(t, err)
	return values(results)
}

// values are those of results.
func values[T any](results []plaza.Result[T]) []T {
	all := make([]T, len(results))
	for i, result := range results {
		all[i] = result.Value
	}
	return all
}

// lay stores activities of somebody whom nobody follows as PublishMany does, but without
// foreign ids and references, and at a tenth of the requests.
func (w world) lay(t testing.TB, owner string, as []feed.Activity) []feed.Activity {
	t.Helper()
	for i := range as {
		as[i].Owner, as[i].To = owner, nil
	}
	return w.layEach(t, as)
}

// layEach is lay for activities of several owners, with references.
func (w world) layEach(t testing.TB, as []feed.Activity) []feed.Activity {
	t.Helper()
	var items []any
	for i := range as {
		a := &as[i]
		if a.ID == 0 {
			a.ID = w.mint(t)
		}
		if a.ForeignID = ""; a.Time.IsZero() {
			a.Time = a.ID.Time()
		}
		rows, err := w.Rows(*a)
		require.NoError(t, err)
		items = append(items, rows...)
	}
	w.putItems(t, items)
	return as
}

// putItems writes items into the feed table.
func (w world) putItems(t testing.TB, items []any) {
	t.Helper()
	if len(items) == 0 {
		return
	}
	_, err := dynamotest.DB(t).Table(w.feedTable).Batch().Write().Put(items...).Run(t.Context())
	require.NoError(t, err)
}

// layHome lays activities of owner, and entries in jack's home as by an edge of his.
func (w world) layHome(t testing.TB, owner string, as []feed.Activity) []feed.Activity {
	t.Helper()
	as = w.lay(t, owner, as)
	entries := make([]entry, len(as))
	for i, a := range as {
		entries[i] = entryOf(a, owner, 1)
	}
	w.putEntries(t, entries)
	return as
}

// tombstone is the row that Remove leaves of an activity.
func (w world) tombstone(a feed.Activity) any {
	return dynamo.Item{"pk": text("O#" + a.Owner), "sk": text(a.ID.String()), "removed": text(a.ID.String())}
}

// send publishes an activity.
func (w world) send(t testing.TB, owner string, a feed.Activity) feed.Activity {
	t.Helper()
	a, _, err := w.Outbox(owner).Publish(t.Context(), a)
	require.NoError(t, err)
	return a
}

func (w world) remove(t testing.TB, owner string, id ids.ID) (changed bool) {
	t.Helper()
	changed, err := w.Outbox(owner).Remove(t.Context(), id)
	require.NoError(t, err)
	return changed
}

var keep = &feed.UnfollowOptions{KeepHistory: true}

func (w world) unfollow(t testing.TB, reader, source string, opts *feed.UnfollowOptions) (changed bool) {
	t.Helper()
	changed, err := w.Home(reader).Unfollow(t.Context(), source, opts)
	require.NoError(t, err)
	return changed
}

func (w world) deliver(t testing.TB) (delivered int) {
	t.Helper()
	delivered, err := w.Deliver(t.Context())
	require.NoError(t, err)
	return delivered
}

func (w world) mint(t testing.TB) ids.ID {
	return retried(t, func() (ids.ID, error) { return w.gen.Next(t.Context()) })
}

// stored drops created from the results of a publish.
func stored(a feed.Activity, _ bool, err error) (feed.Activity, error) { return a, err }

type lister func(context.Context, cursor.PageRequest) (cursor.Page[feed.Activity], error)

func pageOf[T any](t testing.TB, list func(context.Context, cursor.PageRequest) (cursor.Page[T], error), req cursor.PageRequest) cursor.Page[T] {
	t.Helper()
	page, err := list(t.Context(), req)
	require.NoError(t, err)
	return page
}

// all reads a list to its end, limit at a time, and returns the ids.
func all(t testing.TB, list lister, limit int) []ids.ID {
	t.Helper()
	var got []ids.ID
	req := cursor.PageRequest{Limit: limit}
	for {
		page := pageOf(t, list, req)
		for _, a := range page.Items {
			got = append(got, a.ID)
		}
		if page.Next == "" {
			return got
		}
		req.Cursor = page.Next
	}
}

// newestFirst returns the ids of activities in the order of a list.
func newestFirst(as []feed.Activity) []ids.ID {
	var got []ids.ID
	for _, a := range slices.Backward(as) {
		got = append(got, a.ID)
	}
	return got
}

func (w world) subscribe(t testing.TB, reader, source string) {
	t.Helper()
	_, err := w.Home(reader).Follow(t.Context(), source, nil)
	require.NoError(t, err)
}

// later is another process whose clock is a day ahead.
func (w world) later(t testing.TB, wrap ...func(aws.HTTPClient) aws.HTTPClient) world {
	t.Helper()
	return w.process(t, &feed.Options{Consistent: true, Now: func() time.Time { return time.Now().Add(24 * time.Hour) }}, wrap...)
}

// followedBy adds n followers, "reader-0" and so on.
func (w world) followedBy(t testing.TB, followee string, n int) {
	t.Helper()
	var group errgroup.Group
	group.SetLimit(16)
	for i := range n {
		group.Go(func() error {
			_, _, err := w.follows.Follow(t.Context(), followEdge(reader(i), followee))
			return err
		})
	}
	require.NoError(t, group.Wait())
}

// imported is followedBy for many followers, at half the cost.
func (w world) imported(t testing.TB, followee string, n int) {
	t.Helper()
	_, err := w.follows.Import(t.Context(), followee, func(yield func(follow.Edge, error) bool) {
		for i := range n {
			if !yield(followEdge(reader(i), followee), nil) {
				return
			}
		}
	}, nil)
	require.NoError(t, err)
}

func followEdge(follower, followee string) follow.Edge {
	return follow.Edge{Follower: follower, Followee: followee}
}

// otherSchema is a table with another key schema.
func otherSchema(name string) *dynamodb.CreateTableInput {
	schema := feed.Table(name)
	schema.AttributeDefinitions = schema.AttributeDefinitions[:1]
	schema.KeySchema = schema.KeySchema[:1]
	schema.AttributeDefinitions[0].AttributeName = aws.String("id")
	schema.KeySchema[0].AttributeName = aws.String("id")
	return schema
}

// reader is the i-th follower of followedBy.
func reader(i int) string { return fmt.Sprintf("reader-%d", i) }
