package leaderboard_test

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/fold"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/streamtest"
	"github.com/plaza-sdk/plaza/leaderboard"
	"github.com/plaza-sdk/plaza/stream/poller"
)

// newFolded is newWorld whose table has a stream.
func newFolded(t testing.TB, opts *leaderboard.Options) world {
	t.Helper()
	return newOwn(t, streamtest.Streamed(leaderboard.Table)).process(t, opts)
}

// newOwn is newWorld in a database of its own, for a table that has a stream or will.
func newOwn(t testing.TB, schema func(string) *dynamodb.CreateTableInput) world {
	t.Helper()
	own := dynamotest.Own()
	w := world{table: dynamotest.Table(t, schema, own), clock: &clock{now: noon}, send: own}
	return w.process(t, nil)
}

// folder makes a folder of a process of its own. Streams is between it and the stream, and
// wrap between it and the table.
func (w world) folder(t testing.TB, opts leaderboard.FolderOptions, streams wrapper, wrap ...wrapper) *leaderboard.Folder {
	t.Helper()
	reader := w.reader(t, streams, &poller.ReaderOptions{Idle: 5 * time.Millisecond, List: time.Nanosecond, Now: opts.Now})
	opts.Every, opts.Settle = time.Nanosecond, max(opts.Settle, time.Nanosecond)
	f, err := leaderboard.NewFolder(w.process(t, nil, wrap...).Repository, reader, &opts)
	require.NoError(t, err)
	return f
}

// catchUp lets the folder publish what was written.
func catchUp(t testing.TB, f *leaderboard.Folder) {
	t.Helper()
	require.NoError(t, f.CatchUp(t.Context()))
}

// reader reads the table's stream. Streams, which may be nil, is between the two.
func (w world) reader(t testing.TB, streams wrapper, opts *poller.ReaderOptions) *poller.Reader {
	t.Helper()
	client := w.db(t).Client().(*dynamodb.Client)
	described, err := client.DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: &w.table})
	require.NoError(t, err)
	o := client.Options()
	if streams == nil {
		streams = func(c aws.HTTPClient) aws.HTTPClient { return c }
	}
	reader, err := poller.NewReader(dynamodbstreams.New(dynamodbstreams.Options{
		BaseEndpoint: o.BaseEndpoint, Region: o.Region, Credentials: o.Credentials, HTTPClient: streams(o.HTTPClient),
	}), *described.Table.LatestStreamArn, opts)
	require.NoError(t, err)
	return reader
}

// fill puts entries into the index of a board that never resets, each under its own key.
func (w world) fill(t testing.TB, board string, from, to int, meta string) {
	t.Helper()
	var items []any
	for i := from; i < to; i++ {
		items = append(items, filled(board, i, meta))
	}
	w.put(t, items...)
}

// filled is the i-th entry of fill.
func filled(board string, i int, meta string) any {
	player := fmt.Sprint("filled", i)
	return struct {
		row
		Meta string `dynamo:"meta,omitempty"`
	}{row{
		PK: keys.Join("P", player), SK: keys.Join("LB", board, forever),
		Part: keys.Join(board, forever, "0"), Key: fmt.Appendf(nil, "%024d%s", i, player),
	}, meta}
}

// page is so large that a request returns 250 entries that have it.
var page = strings.Repeat("m", 4000)

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

func (w world) published(t testing.TB, board, period string) folded {
	t.Helper()
	pk := keys.Join("R", board, period)
	var f folded
	table := w.raw(t)
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

// keys are those of a period's index.
func (w world) keys(t testing.TB, board, period string, shards int) (all [][]byte) {
	t.Helper()
	for _, r := range w.rowsOf(t, board, period, shards) {
		all = append(all, r.Key)
	}
	return all
}

// maxTested is how many shards a tested board has at most.
const maxTested = 3

// agrees compares what is published of a period with its index.
func (w world) agrees(t testing.TB, board, period string, shards int) folded {
	t.Helper()
	return w.agreesWith(t, w.keys(t, board, period, shards), board, period)
}

// agreesWith compares what is published of a period with its keys.
func (w world) agreesWith(t testing.TB, all [][]byte, board, period string) folded {
	t.Helper()
	f := w.published(t, board, period)
	require.EqualValues(t, len(all), f.Len(), "%s %s", board, period)
	for _, leaf := range f.leaves {
		above, _ := slices.BinarySearchFunc(all, leaf.From, bytes.Compare)
		require.EqualValues(t, above, leaf.Above, "%s %s", board, period)
	}
	return f
}

// holds compares what a folder has in memory of a period with its index.
func (w world) holds(t testing.TB, f *leaderboard.Folder, board, period string) {
	t.Helper()
	holdsExactly(t, f, w.keys(t, board, period, maxTested), board, period)
}

// holdsExactly compares what a folder has in memory of a period with its keys.
func holdsExactly(t testing.TB, f *leaderboard.Folder, all [][]byte, board, period string) {
	t.Helper()
	for i, key := range all {
		require.Equal(t, i, f.Above(board, period, key))
		require.Equal(t, i+1, f.Above(board, period, append(slices.Clone(key), 0)), "the key itself")
	}
	require.Equal(t, len(all), f.Above(board, period, bytes.Repeat([]byte{0xff}, 1024)))
}

// doer is a client that is a function.
type doer func(*http.Request) (*http.Response, error)

func (d doer) Do(r *http.Request) (*http.Response, error) { return d(r) }

// on calls do before each request of op.
func on(op string, do func()) wrapper {
	return func(next aws.HTTPClient) aws.HTTPClient {
		return doer(func(r *http.Request) (*http.Response, error) {
			if strings.HasSuffix(r.Header.Get("X-Amz-Target"), "."+op) {
				do()
			}
			return next.Do(r)
		})
	}
}

// before calls do before the first request of op.
func before(op string, do func()) wrapper { return on(op, sync.OnceFunc(do)) }

// count is how many items a partition has.
func (w world) count(t testing.TB, pk string) int {
	t.Helper()
	n, err := w.raw(t).Get("pk", pk).Consistent(true).Count(t.Context())
	require.NoError(t, err)
	return n
}
