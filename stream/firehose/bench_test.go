package firehose_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/firehose"
	"github.com/aws/aws-sdk-go-v2/service/firehose/types"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/awssink/sinktest"
	"github.com/plaza-sdk/plaza/stream"
	"github.com/plaza-sdk/plaza/stream/firehose"
)

func BenchmarkPut(b *testing.B) {
	sinktest.Benchmark(b, answer(500, nil), func(cfg aws.Config) (stream.Sink, func([]stream.Event) error) {
		client := sdk.NewFromConfig(cfg)
		sink, err := firehose.New(client, "archive", nil)
		require.NoError(b, err)
		return sink, func(events []stream.Event) error {
			in := &sdk.PutRecordBatchInput{DeliveryStreamName: aws.String("archive")}
			for _, e := range events {
				in.Records = append(in.Records, types.Record{Data: e.Data})
			}
			_, err := client.PutRecordBatch(b.Context(), in)
			return err
		}
	})
}
