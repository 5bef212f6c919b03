package leaderboard_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/fold"
	"github.com/plaza-sdk/plaza/internal/streamtest"
	"github.com/plaza-sdk/plaza/leaderboard"
	"github.com/plaza-sdk/plaza/stream"
)

// newFolded is newWorld whose table has a stream.
func newFolded(t testing.TB, opts *leaderboard.Options) world {
	t.Helper()
	w := world{table: dynamotest.Table(t, streamtest.Streamed(leaderboard.Table)), clock: &clock{now: noon}}
	return w.process(t, opts)
}

// folder makes a folder of its own process. Wrap is between it and the table, and the first
// of streams between it and the stream.
func (w world) folder(t testing.TB, opts leaderboard.FolderOptions, streams wrapper, wrap ...wrapper) *leaderboard.Folder {
	t.Helper()
	described, err := dynamotest.DB(t).Client().DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: &w.table})
	require.NoError(t, err)
	o := dynamotest.DB(t).Client().(*dynamodb.Client).Options()
	if streams == nil {
		streams = func(c aws.HTTPClient) aws.HTTPClient { return c }
	}
	reader, err := stream.NewReader(dynamodbstreams.New(dynamodbstreams.Options{
		BaseEndpoint: o.BaseEndpoint, Region: o.Region, Credentials: o.Credentials, HTTPClient: streams(o.HTTPClient),
	}), *described.Table.LatestStreamArn, &stream.ReaderOptions{Idle: 5 * time.Millisecond, List: 100 * time.Millisecond, Now: opts.Now})
	require.NoError(t, err)
	opts.Every, opts.Settle = time.Nanosecond, max(opts.Settle, time.Nanosecond)
	f, err := leaderboard.NewFolder(w.process(t, nil, wrap...).Repository, reader, &opts)
	require.NoError(t, err)
	return f
}

// folded is what is published of a period: how many keys are before each leaf.
type folded struct {
	AsOf  time.Time `dynamo:"asOf"`
	Gen   uint64    `dynamo:"gen"`
	Fold  int64     `dynamo:"fold"`
	Data  []byte    `dynamo:"data"`
	Large bool      `dynamo:"large"`
	TTL   int64     `dynamo:"ttl"`

	*fold.Root `dynamo:"-"`
	leaves     []fold.Leaf
}

func (w world) published(t tester, board, period string) folded {
	t.Helper()
	pk := "R#" + board + "#" + period
	var f folded
	table := dynamotest.DB(t.(testing.TB)).Table(w.table)
	require.NoError(t, table.Get("pk", pk).Range("sk", dynamo.Equal, "ROOT").Consistent(true).One(t.Context(), &f))
	if f.Large {
		return f
	}
	var err error
	f.Root, err = fold.ParseRoot(f.Data)
	require.NoError(t, err)
	if len(f.Blocks()) == 0 {
		f.leaves, err = f.Leaves(0, nil)
		require.NoError(t, err)
	}
	for i, id := range f.Blocks() {
		var item struct {
			Data []byte `dynamo:"data"`
			TTL  int64  `dynamo:"ttl"`
		}
		sk := fmt.Sprintf("S#%020d#%020d", id.Gen, id.N)
		require.NoError(t, table.Get("pk", pk).Range("sk", dynamo.Equal, sk).Consistent(true).One(t.Context(), &item), "a root's blocks are stored")
		require.Equal(t, f.TTL, item.TTL)
		b, err := fold.ParseBlock(item.Data)
		require.NoError(t, err)
		leaves, err := f.Leaves(i, b)
		require.NoError(t, err)
		f.leaves = append(f.leaves, leaves...)
	}
	return f
}

// agrees compares what is published of a period with its entries in the index.
func (w world) agrees(t tester, board, period string, shards int) folded {
	t.Helper()
	var all [][]byte
	for shard := range shards {
		for _, r := range w.rows(t, w.raw(t.(testing.TB)), fmt.Sprintf("%s#%s#%d", board, period, shard)) {
			all = append(all, r.Key)
		}
	}
	slices.SortFunc(all, bytes.Compare)
	f := w.published(t, board, period)
	require.EqualValues(t, len(all), f.Len(), "%s %s", board, period)
	for _, leaf := range f.leaves {
		above, _ := slices.BinarySearchFunc(all, leaf.From, bytes.Compare)
		require.EqualValues(t, above, leaf.Above, "%s %s", board, period)
	}
	return f
}
