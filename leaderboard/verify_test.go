package leaderboard_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/leaderboard"
)

func TestVerifyRefusesATableOfAnotherShape(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		schema func(*dynamodb.CreateTableInput)
		ttl    bool
		want   error
	}{
		"as it should be": {func(*dynamodb.CreateTableInput) {}, true, nil},
		"no expiry":       {func(*dynamodb.CreateTableInput) {}, false, plaza.ErrTable},
		"no index": {func(in *dynamodb.CreateTableInput) {
			in.GlobalSecondaryIndexes, in.AttributeDefinitions = nil, in.AttributeDefinitions[:2]
		}, true, plaza.ErrTable},
		"an index without meta": {func(in *dynamodb.CreateTableInput) {
			in.GlobalSecondaryIndexes[0].Projection.NonKeyAttributes = []string{"name"}
		}, true, plaza.ErrTable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			table := dynamotest.Table(t, func(name string) *dynamodb.CreateTableInput {
				in := leaderboard.Table(name)
				c.schema(in)
				return in
			})
			meter := dynamotest.NewMeter()
			db := dynamotest.DB(t, meter.Wrap)
			if c.ttl {
				_, err := db.Client().UpdateTimeToLive(t.Context(), leaderboard.TTL(table))
				require.NoError(t, err)
			}
			boards, err := leaderboard.New(db, table, &clock{now: noon}, nil)
			require.NoError(t, err)
			require.ErrorIs(t, boards.Verify(t.Context()), c.want)
			if c.want != nil {
				require.ErrorIs(t, boards.Init(t.Context()), c.want)
				return
			}
			meter.AtMost(t, "init", dynamotest.Cost{Requests: 4, Read: 0.5, Write: 1}, func() { require.NoError(t, boards.Init(t.Context())) })
			meter.AtMost(t, "verify", dynamotest.Cost{Requests: 3, Read: 0.5}, func() { require.NoError(t, boards.Verify(t.Context())) })
			require.NoError(t, boards.Init(t.Context()), "again")
			require.NoError(t, errorOf(boards.Define(t.Context(), leaderboard.Board{Name: "b"})))
			world{Repository: boards}.isWhole(t, in("b"))
		})
	}
}
