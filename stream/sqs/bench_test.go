package sqs_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/awssink/sinktest"
	"github.com/plaza-sdk/plaza/stream"
	"github.com/plaza-sdk/plaza/stream/sqs"
)

func BenchmarkPut(b *testing.B) {
	sinktest.Benchmark(b, allSent(10), func(cfg aws.Config) (stream.Sink, func([]stream.Event) error) {
		client := sdk.NewFromConfig(cfg)
		sink, err := sqs.New(client, queue, nil)
		require.NoError(b, err)
		return sink, func(events []stream.Event) error {
			in := &sdk.SendMessageBatchInput{QueueUrl: aws.String(queue)}
			for _, e := range events {
				in.Entries = append(in.Entries, types.SendMessageBatchRequestEntry{Id: &e.ID, MessageBody: aws.String(string(e.Data))})
			}
			_, err := client.SendMessageBatch(b.Context(), in)
			return err
		}
	})
}
