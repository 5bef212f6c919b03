package follow_test

import (
	"bufio"
	"compress/gzip"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
)

// BenchmarkImport compares Import with a loop of BatchWriteItem that writes the same
// items, in alternating rounds. of-bare is Import's speed divided by the loop's.
func BenchmarkImport(b *testing.B) {
	edges := wikiVote(b)[:20_000]
	sample := newWorld(b, nil)
	_, err := sample.Import(b.Context(), "sample", sequence(edges), nil)
	require.NoError(b, err)
	var items []dynamo.Item
	require.NoError(b, dynamotest.DB(b).Table(sample.table).Scan().Filter("begins_with(pk, ?) OR begins_with(pk, ?) OR begins_with(pk, ?)", "E#", "F#", "R#").All(b.Context(), &items))
	require.Len(b, items, 3*len(edges))

	var bare, ours time.Duration
	for b.Loop() {
		bare += timed(func() { writeBare(b, items) })
		ours += timed(func() {
			w := newWorld(b, nil)
			_, err := w.Import(b.Context(), "bench", sequence(edges), nil)
			require.NoError(b, err)
		})
	}
	b.ReportMetric(bare.Seconds()/ours.Seconds(), "of-bare")
	b.ReportMetric(float64(b.N*len(edges))/ours.Seconds(), "edges/s")
}

func timed(f func()) time.Duration {
	start := time.Now()
	f()
	return time.Since(start)
}

func writeBare(b *testing.B, items []dynamo.Item) {
	client := dynamotest.DB(b).Client()
	table := dynamotest.Table(b, follow.Table)
	group, ctx := errgroup.WithContext(context.Background())
	group.SetLimit(8)
	for start := 0; start < len(items); start += 25 {
		group.Go(func() error {
			var batch []types.WriteRequest
			for _, item := range items[start:min(start+25, len(items))] {
				batch = append(batch, types.WriteRequest{PutRequest: &types.PutRequest{Item: item}})
			}
			out, err := client.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{
				RequestItems: map[string][]types.WriteRequest{table: batch},
			})
			if err == nil && len(out.UnprocessedItems) > 0 {
				b.Error("unprocessed items")
			}
			return err
		})
	}
	require.NoError(b, group.Wait())
}

// wikiVote reads the real graph, or skips the test without it.
func wikiVote(t testing.TB) []follow.Edge {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "..", "shared", "data", "graph", "wiki-vote.txt.gz"))
	if os.IsNotExist(err) {
		t.Skip("no ../shared/data/graph/wiki-vote.txt.gz beside the checkout")
	}
	require.NoError(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	require.NoError(t, err)
	var edges []follow.Edge
	for lines := bufio.NewScanner(z); lines.Scan(); {
		if fields := strings.Fields(lines.Text()); len(fields) == 2 && fields[0] != "#" {
			edges = append(edges, follow.Edge{Follower: fields[0], Followee: fields[1]})
		}
	}
	return edges
}
