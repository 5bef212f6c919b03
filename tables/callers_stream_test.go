package tables_test

import (
	"context"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/stream"
	"github.com/plaza-sdk/plaza/stream/letters"
	"github.com/plaza-sdk/plaza/stream/poller"
	"github.com/plaza-sdk/plaza/tables"
)

func pollers(t *testing.T, w *world, as callers) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	worker := as[tables.Worker]
	e := dynamotest.Engine(t)
	streamOf := func(table string) string {
		described := ok(dynamodb.NewFromConfig(e.Config()).DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &table}))(t)
		return *described.Table.LatestStreamArn
	}
	arn, other := streamOf(w.names.Follow), streamOf(w.names.Leaderboard)
	graph := ok(follow.New(dynamotest.DB(t), w.names.Follow, w, nil))(t)
	all(t, err3(graph.Follow(ctx, follow.Edge{Follower: "polly", Followee: "paul"})))
	p := ok(stream.NewProcessor(stream.Each(func(context.Context, stream.Record) error { cancel(); return nil }, 1), dropped{}, nil))(t)
	of := func(role tables.Role) *poller.Poller {
		return ok(poller.New(as[role].db, as[role].streams(t), poller.Group{Table: w.names.Pollers, Stream: arn, Name: "group"}, p, nil))(t)
	}
	all(t, of(tables.Operator).Init(ctx), of(tables.Worker).Verify(ctx))
	require.ErrorIs(t, of(tables.Worker).Run(ctx), context.Canceled)
	reader := ok(poller.NewReader(worker.streams(t), other, nil))(t)
	all(t, err2(reader.Next(t.Context())))
}

// dropped has no letters.
type dropped struct{}

func (dropped) Put(context.Context, stream.Dead) error { return nil }

func deadLetters(t *testing.T, w *world, as callers) {
	ctx := t.Context()
	of := func(role tables.Role) *letters.Repository {
		return ok(letters.New(as[role].db, w.names.Letters, "board", &letters.Options{Now: w.Now}))(t)
	}
	worker, operator := of(tables.Worker), of(tables.Operator)
	all(t, operator.Init(ctx), worker.Verify(ctx), worker.Put(ctx, stream.Dead{Shard: "shard", Seq: "1", Reason: "broken", At: w.Now()}))
	page, err := operator.List(ctx, first)
	require.NoError(t, err)
	require.Len(t, page.Items, 1)
	all(t, operator.Delete(ctx, page.Items[0]))
}
