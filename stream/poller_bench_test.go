package stream_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	streamtypes "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/stream"
)

const backlog = 100_000

// A backlog through a poller, and through the SDK alone. The stream is scripted,
// the leases are real.
func BenchmarkBacklog(b *testing.B) {
	s := newScript()
	s.add("shard-1", "", backlog).closed = true
	s.status = "DISABLED"

	b.Run("poller", func(b *testing.B) {
		table := dynamotest.Table(b, stream.Table)
		for i := range b.N {
			n := 0
			handle := func(context.Context, stream.Record) error { n++; return nil }
			processor, err := stream.NewProcessor(stream.Each(handle, 1), dead{&world{}}, nil)
			require.NoError(b, err)
			poller, err := stream.NewPoller(dynamotest.DB(b), s.client(), stream.PollerGroup{Table: table, Stream: s.arn, Name: fmt.Sprint("group-", i)}, processor, nil)
			require.NoError(b, err)
			require.NoError(b, poller.Run(b.Context()))
			require.Equal(b, backlog, n)
		}
		b.ReportMetric(float64(b.N)*backlog/b.Elapsed().Seconds(), "records/s")
	})
	b.Run("sdk", func(b *testing.B) {
		client := s.client()
		for range b.N {
			it, err := client.GetShardIterator(b.Context(), &dynamodbstreams.GetShardIteratorInput{
				StreamArn: &s.arn, ShardId: aws.String("shard-1"), ShardIteratorType: streamtypes.ShardIteratorTypeTrimHorizon,
			})
			require.NoError(b, err)
			n := 0
			for next := it.ShardIterator; next != nil; {
				out, err := client.GetRecords(b.Context(), &dynamodbstreams.GetRecordsInput{ShardIterator: next})
				require.NoError(b, err)
				n, next = n+len(out.Records), out.NextShardIterator
			}
			require.Equal(b, backlog, n)
		}
		b.ReportMetric(float64(b.N)*backlog/b.Elapsed().Seconds(), "records/s")
	})
}
