package eventbridge_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/eventbridge"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge/types"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/awssink/sinktest"
	"github.com/plaza-sdk/plaza/stream"
	"github.com/plaza-sdk/plaza/stream/eventbridge"
)

func BenchmarkPut(b *testing.B) {
	sinktest.Benchmark(b, answer(10, nil), func(cfg aws.Config) (stream.Sink, func([]stream.Event) error) {
		client := sdk.NewFromConfig(cfg)
		sink, err := eventbridge.New(client, "fanoutBus", nil)
		require.NoError(b, err)
		return sink, func(events []stream.Event) error {
			in := &sdk.PutEventsInput{}
			for _, e := range events {
				in.Entries = append(in.Entries, types.PutEventsRequestEntry{
					EventBusName: aws.String("fanoutBus"), Source: &e.Source, DetailType: &e.Type, Detail: aws.String(string(e.Data)), Time: &e.At,
				})
			}
			_, err := client.PutEvents(b.Context(), in)
			return err
		}
	})
}
