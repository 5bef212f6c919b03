package operations_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/internal/calls/callstest"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/streamtest"
	"github.com/plaza-sdk/plaza/stream"
)

func streamSteps(t *testing.T) []step {
	db, gen := open(t)
	source := dynamotest.Table(t, streamtest.Streamed(follow.Table))
	described, err := dynamotest.DB(t).Client().DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: &source})
	require.NoError(t, err)
	arn := *described.Table.LatestStreamArn
	follows, err := follow.New(db, source, gen, nil)
	require.NoError(t, err)
	_, _, err = follows.Follow(t.Context(), follow.Edge{Follower: "ann", Followee: "ben"})
	require.NoError(t, err)

	streams := dynamodbstreams.NewFromConfig(dynamotest.Engine(t).Config(), func(o *dynamodbstreams.Options) {
		o.HTTPClient = callstest.Client(t, http.DefaultClient)
	})
	letters, err := stream.NewDeadTable(db, table(t, stream.DeadSchema, stream.DeadTTL), "steps", nil)
	require.NoError(t, err)
	handled := make(chan struct{}, 100)
	handle := func(context.Context, stream.Record) error {
		handled <- struct{}{}
		return nil
	}
	processor, err := stream.NewProcessor(stream.Each(handle, 1), letters, nil)
	require.NoError(t, err)
	poller, err := stream.NewPoller(db, dynamotest.Table(t, stream.Table), streams, arn, "steps", processor, nil)
	require.NoError(t, err)
	reader, err := stream.NewReader(streams, arn, nil)
	require.NoError(t, err)
	var letter stream.Dead
	return []step{
		{"DeadTable.Init", letters.Init},
		{"DeadTable.Verify", letters.Verify},
		{"DeadTable.Put", func(ctx context.Context) error {
			return letters.Put(ctx, stream.Dead{Stream: arn, Seq: "1", Reason: "broken", Attempts: 1, Record: []byte("{}")})
		}},
		{"DeadTable.List", func(ctx context.Context) error {
			found, err := letters.List(ctx, page)
			if err == nil {
				letter = found.Items[0]
			}
			return err
		}},
		{"DeadTable.Delete", func(ctx context.Context) error { return letters.Delete(ctx, letter) }},
		{"Poller.Init", poller.Init},
		{"Poller.Verify", poller.Verify},
		{"Poller.Run", func(ctx context.Context) error {
			ctx, stop := context.WithCancel(ctx)
			go func() {
				<-handled
				stop()
			}()
			require.ErrorIs(t, poller.Run(ctx), context.Canceled)
			return nil
		}},
		{"Reader.Next", func(ctx context.Context) error { return failed(reader.Next(ctx)) }},
	}
}
