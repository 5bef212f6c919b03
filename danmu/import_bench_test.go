package danmu_test

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/danmu/format"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
)

// BenchmarkImport reports as first-of-bare and second-of-bare how fast Import
// takes a file, and the same file again, against a loop of BatchWriteItem that
// writes the same items, in rounds by maxTries.
func BenchmarkImport(b *testing.B) {
	var comments []danmu.Comment
	for c, err := range realFile(b, "artplayer-16348.json", format.ArtPlayer) {
		require.NoError(b, err)
		comments = append(comments, c)
	}
	sample := newStage(b)
	_, err := sample.Import(b.Context(), "film", sequence(comments...), nil)
	require.NoError(b, err)
	var items []dynamo.Item
	require.NoError(b, sample.raw(b).Scan().Filter("begins_with(pk, ?)", "D#").All(b.Context(), &items))
	require.Len(b, items, len(comments))

	var bare, first, second time.Duration
	for b.Loop() {
		s := newStage(b)
		imports := func() {
			_, err := s.Import(b.Context(), "film", sequence(comments...), nil)
			require.NoError(b, err)
		}
		bare += timed(func() { writeBare(b, items) })
		first += timed(imports)
		second += timed(imports)
	}
	b.ReportMetric(bare.Seconds()/first.Seconds(), "first-of-bare")
	b.ReportMetric(bare.Seconds()/second.Seconds(), "second-of-bare")
	b.ReportMetric(float64(b.N*len(comments))/first.Seconds(), "comments/s")
}

func timed(f func()) time.Duration {
	start := time.Now()
	f()
	return time.Since(start)
}

func writeBare(b *testing.B, items []dynamo.Item) {
	client := dynamotest.DB(b).Client()
	table := dynamotest.Table(b, danmu.Table)
	group, ctx := errgroup.WithContext(b.Context())
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
