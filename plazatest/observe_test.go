package plazatest_test

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/meter"
	"github.com/plaza-sdk/plaza/plazatest"
)

type clickKey struct{}

// clicks keeps the calls by the click that their context names.
type clicks struct {
	mu    sync.Mutex
	calls map[string][]meter.Call
}

func (c *clicks) observe(ctx context.Context, call meter.Call) {
	c.mu.Lock()
	defer c.mu.Unlock()
	name, _ := ctx.Value(clickKey{}).(string)
	c.calls[name] = append(c.calls[name], call)
}

func (c *clicks) cost(name string) (sum meter.Cost) {
	for _, call := range c.calls[name] {
		sum = sum.Plus(call.Cost)
	}
	return sum
}

func TestAnObserverSeesWhatAWSWouldBillForEachContext(t *testing.T) {
	t.Parallel()
	seen := &clicks{calls: map[string][]meter.Call{}}
	env := plazatest.Start(t, &plazatest.Options{Tables: onlyFollow, Observe: seen.observe})
	require.Empty(t, seen.calls, "its own requests are nobody's")
	r := follows(t, env.DB, env.Tables.Follow)
	var running sync.WaitGroup
	for _, user := range []string{"jack", "zoe"} {
		running.Go(func() {
			_, _, err := r.Follow(context.WithValue(t.Context(), clickKey{}, user), follow.Edge{Follower: user, Followee: "of " + user})
			if err != nil {
				t.Error(err)
			}
		})
	}
	running.Wait()
	for _, user := range []string{"jack", "zoe"} {
		require.Len(t, seen.calls[user], 1)
		call := seen.calls[user][0]
		require.Positive(t, call.Duration)
		call.Duration = 0
		require.Equal(t, meter.Call{
			Operation: "follow.Repository.Follow", Action: "TransactWriteItems", Table: env.Tables.Follow,
			Cost: meter.Cost{Requests: 1, Write: 10},
		}, call, "as its comment states")
	}
	require.Equal(t, env.Meter.Total(), seen.cost("jack").Plus(seen.cost("zoe")))

	_, err := r.Counts(context.WithValue(t.Context(), clickKey{}, "counts"), "jack")
	require.NoError(t, err)
	require.Equal(t, meter.Cost{Requests: 1, Read: 0.5}, seen.cost("counts"))
}

func TestAnObserverSeesWhyARequestFailed(t *testing.T) {
	t.Parallel()
	seen := &clicks{calls: map[string][]meter.Call{}}
	var lost error
	lossy := func(next aws.HTTPClient) aws.HTTPClient {
		return client(func(r *http.Request) (*http.Response, error) {
			if lost != nil {
				return nil, lost
			}
			return next.Do(r)
		})
	}
	env := plazatest.Start(t, &plazatest.Options{Tables: onlyFollow, Observe: seen.observe, Wrap: []wrap{lossy}})
	item := map[string]types.AttributeValue{"pk": &types.AttributeValueMemberS{Value: "a"}, "sk": &types.AttributeValueMemberS{Value: "b"}}
	put := &dynamodb.PutItemInput{TableName: &env.Tables.Follow, Item: item, ConditionExpression: aws.String("attribute_exists(pk)")}
	_, err := env.DB.Client().PutItem(t.Context(), put)
	require.Error(t, err)
	require.Len(t, seen.calls[""], 1)
	var refused smithy.APIError
	require.ErrorAs(t, seen.calls[""][0].Err, &refused)
	require.Equal(t, "ConditionalCheckFailedException", refused.ErrorCode())
	require.Equal(t, meter.Cost{Requests: 1, Write: 1}, seen.calls[""][0].Cost)

	_, err = env.DB.Client().DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: &env.Tables.Follow})
	require.NoError(t, err)
	require.Equal(t, meter.Cost{Requests: 1}, seen.calls[""][1].Cost)
	require.NoError(t, seen.calls[""][1].Err)

	lost = errors.New("the network is gone")
	_, err = env.DB.Client().PutItem(t.Context(), put)
	require.ErrorIs(t, err, lost)
	require.Len(t, seen.calls[""], 2, "it did not reach DynamoDB")
}

func TestUnpricedRequestsCountWithoutUnits(t *testing.T) {
	t.Parallel()
	seen := &clicks{calls: map[string][]meter.Call{}}
	env := plazatest.Start(t, &plazatest.Options{
		Tables: onlyFollow, Observe: seen.observe,
		Price: func(ctx context.Context) bool { return ctx.Value(clickKey{}) != "seed" },
	})
	r := follows(t, env.DB, env.Tables.Follow)
	for _, name := range []string{"seed", "click"} {
		_, _, err := r.Follow(context.WithValue(t.Context(), clickKey{}, name), follow.Edge{Follower: name, Followee: "chris"})
		require.NoError(t, err)
	}
	require.Equal(t, meter.Cost{Requests: 1}, seen.cost("seed"))
	require.Equal(t, meter.Cost{Requests: 1, Write: 10}, seen.cost("click"))
	require.Equal(t, meter.Cost{Requests: 2, Write: 10}, env.Meter.Total())
}
