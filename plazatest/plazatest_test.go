package plazatest_test

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/meter"
	"github.com/plaza-sdk/plaza/plazatest"
	"github.com/plaza-sdk/plaza/tables"
)

var onlyFollow = tables.Names{Follow: "follow"}

func follows(t *testing.T, db *dynamo.DB, table string) *follow.Repository {
	t.Helper()
	gen, err := ids.New(1, nil)
	require.NoError(t, err)
	r, err := follow.New(db, table, gen, nil)
	require.NoError(t, err)
	return r
}

// listed returns the tables of env's database.
func listed(t *testing.T, env *plazatest.Env) []string {
	t.Helper()
	names, err := env.DB.ListTables().All(context.Background())
	require.NoError(t, err)
	return names
}

func TestEveryTableIsThereAndIsGoneAfterwards(t *testing.T) {
	t.Parallel()
	watcher := plazatest.Start(t, &plazatest.Options{Tables: onlyFollow})
	var made tables.Names
	t.Run("meanwhile", func(t *testing.T) {
		env := plazatest.Start(t, nil)
		made = env.Tables
		for _, want := range tables.Of(env.Tables) {
			require.True(t, strings.HasPrefix(want.Name(), "plaza-"+want.Feature+"-"), want.Name())
			about, err := env.DB.Client().DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: aws.String(want.Name())})
			require.NoError(t, err)
			require.Len(t, about.Table.GlobalSecondaryIndexes, len(want.Create.GlobalSecondaryIndexes))
			expiry, err := env.DB.Client().DescribeTimeToLive(t.Context(), &dynamodb.DescribeTimeToLiveInput{TableName: aws.String(want.Name())})
			require.NoError(t, err)
			require.Equal(t, want.TTL != nil, expiry.TimeToLiveDescription.TimeToLiveStatus == types.TimeToLiveStatusEnabled, want.Name())
		}
		require.NoError(t, env.Close(), "also before the test ends")
	})
	fields := reflect.ValueOf(made)
	for i := range fields.NumField() {
		require.NotEmpty(t, fields.Field(i).String(), "a feature without a table")
		require.NotContains(t, listed(t, watcher), fields.Field(i).String())
	}
}

func TestEachHasTablesOfItsOwn(t *testing.T) {
	t.Parallel()
	const envs = 4
	var running sync.WaitGroup
	names := make([]tables.Names, envs)
	for i := range names {
		running.Go(func() { names[i] = plazatest.Start(t, &plazatest.Options{Tables: onlyFollow}).Tables })
	}
	running.Wait()
	seen := map[string]bool{}
	for _, n := range names {
		seen[n.Follow] = true
		require.Equal(t, tables.Names{Follow: n.Follow}, n, "only what was asked for")
	}
	require.Len(t, seen, envs)
}

func TestVerifyPassesAndFailsWithoutExpiry(t *testing.T) {
	t.Parallel()
	env := plazatest.Start(t, &plazatest.Options{Tables: onlyFollow})
	r := follows(t, env.DB, env.Tables.Follow)
	require.NoError(t, r.Verify(t.Context()))
	require.NoError(t, r.Init(t.Context()))
	require.NoError(t, r.Verify(t.Context()))

	past := plazatest.Start(t, &plazatest.Options{Tables: onlyFollow, KeepExpired: true})
	r = follows(t, past.DB, past.Tables.Follow)
	require.ErrorIs(t, r.Verify(t.Context()), plaza.ErrTable)
	expiry, err := past.DB.Client().DescribeTimeToLive(t.Context(), &dynamodb.DescribeTimeToLiveInput{TableName: &past.Tables.Follow})
	require.NoError(t, err)
	require.Equal(t, types.TimeToLiveStatusDisabled, expiry.TimeToLiveDescription.TimeToLiveStatus)
}

// Plain clients meter, and get errors without a complaint about their checksums.
func TestPlainClientsOfTheConfigWork(t *testing.T) {
	t.Parallel()
	env := plazatest.Start(t, &plazatest.Options{Tables: onlyFollow})
	item := map[string]types.AttributeValue{"pk": &types.AttributeValueMemberS{Value: "a"}, "sk": &types.AttributeValueMemberS{Value: "b"}}
	put := &dynamodb.PutItemInput{TableName: &env.Tables.Follow, Item: item, ConditionExpression: aws.String("attribute_not_exists(pk)")}
	for n := range 2 {
		var err error
		cost := env.Cost(func() { _, err = dynamodb.NewFromConfig(env.Config).PutItem(t.Context(), put) })
		require.Equal(t, meter.Cost{Requests: 1, Write: 1}, cost)
		var refused *types.ConditionalCheckFailedException
		require.Equal(t, n == 1, errors.As(err, &refused), "%v", err)
	}
	n, err := dynamo.New(env.Config).Table(env.Tables.Follow).Scan().Count(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, n)
	require.Zero(t, env.Cost(func() {
		_, err = dynamodbstreams.NewFromConfig(env.Config).ListStreams(t.Context(), &dynamodbstreams.ListStreamsInput{})
		require.NoError(t, err)
	}), "streams have other prices")
}

func TestEveryMeterOfTheConfigReadsWhatAWSWouldBill(t *testing.T) {
	t.Parallel()
	env := plazatest.Start(t, &plazatest.Options{Tables: onlyFollow})
	own := meter.New()
	own.Attach(&env.Config)
	r := follows(t, dynamo.New(env.Config), env.Tables.Follow)
	for range 2 { // the second finds the first
		_, _, err := r.Follow(t.Context(), follow.Edge{Follower: "jack", Followee: "chris"})
		require.NoError(t, err)
		_, err = r.Counts(t.Context(), "nobody")
		require.NoError(t, err)
	}
	require.Equal(t, env.Meter.ByOperation(), own.ByOperation())
}

type wrap = func(aws.HTTPClient) aws.HTTPClient

// client is a function that sends a request.
type client func(*http.Request) (*http.Response, error)

func (c client) Do(r *http.Request) (*http.Response, error) { return c(r) }

func TestTheMeterCountsWhatGetsThroughAllWraps(t *testing.T) {
	t.Parallel()
	var order []string
	loses := func(name string, lost int) wrap {
		return func(next aws.HTTPClient) aws.HTTPClient {
			return client(func(r *http.Request) (*http.Response, error) {
				order = append(order, name)
				if lost--; lost >= 0 {
					return nil, errors.New("the request is lost")
				}
				return next.Do(r)
			})
		}
	}
	env := plazatest.Start(t, &plazatest.Options{Tables: onlyFollow, Wrap: []wrap{loses("near", 1), loses("far", 0)}})
	require.Empty(t, order, "tables are made without them")
	cost := env.Cost(func() {
		_, err := env.DB.Table(env.Tables.Follow).Scan().Count(t.Context())
		require.NoError(t, err)
	})
	require.Equal(t, []string{"far", "near", "far", "near"}, order)
	require.Equal(t, meter.Cost{Requests: 1, Read: 0.5}, cost)
}

func TestAStreamBringsBothImages(t *testing.T) {
	t.Parallel()
	env := plazatest.Start(t, &plazatest.Options{Tables: onlyFollow})
	arn, err := env.Stream(t.Context(), env.Tables.Follow)
	require.NoError(t, err)
	about, err := dynamodbstreams.NewFromConfig(env.Config).DescribeStream(t.Context(), &dynamodbstreams.DescribeStreamInput{StreamArn: &arn})
	require.NoError(t, err)
	require.Equal(t, "NEW_AND_OLD_IMAGES", string(about.StreamDescription.StreamViewType))
	_, err = env.Stream(t.Context(), "none")
	require.Error(t, err)
}

func TestTheApplicationsOwnTablesGoToo(t *testing.T) {
	t.Parallel()
	env := plazatest.Start(t, &plazatest.Options{Tables: onlyFollow})
	var own string
	t.Run("meanwhile", func(t *testing.T) {
		inner := plazatest.Start(t, &plazatest.Options{Tables: onlyFollow})
		in := follow.Table("own")
		var err error
		own, err = inner.CreateTable(t.Context(), in)
		require.NoError(t, err)
		require.True(t, strings.HasPrefix(own, "own-"), own)
		require.Equal(t, "own", *in.TableName, "what was given stays as it is")
		require.Contains(t, listed(t, env), own)
	})
	require.NotContains(t, listed(t, env), own)
}

// Not parallel: it counts goroutines.
func TestCloseMayBeRepeatedAndLeavesNothing(t *testing.T) {
	plazatest.Start(t, &plazatest.Options{Tables: onlyFollow}) // DynamoDB Local keeps running
	now := goleak.IgnoreCurrent()
	env, err := plazatest.Open(t.Context(), &plazatest.Options{Tables: tables.Names{Follow: "follow", Feed: "feed"}})
	require.NoError(t, err)
	require.NoError(t, env.DB.Table(env.Tables.Feed).DeleteTable().Run(t.Context()), "a test may delete one")
	require.NoError(t, env.Close())
	require.NoError(t, env.Close())
	goleak.VerifyNone(t, now)
}

func TestAnInvalidTableIsAnErrorAndLeavesNone(t *testing.T) {
	t.Parallel()
	env := plazatest.Start(t, &plazatest.Options{Tables: onlyFollow})
	_, err := plazatest.Open(t.Context(), &plazatest.Options{Tables: tables.Names{Follow: "half-made", Feed: "not a name"}})
	require.ErrorContains(t, err, "not a name")
	require.NotContains(t, strings.Join(listed(t, env), " "), "half-made")

	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = plazatest.Open(ended, &plazatest.Options{Tables: tables.Names{Follow: "cancelled"}})
	require.ErrorIs(t, err, context.Canceled)
	require.NotContains(t, strings.Join(listed(t, env), " "), "cancelled")
}

// failing is a test whose Fatal and Error are seen.
type failing struct {
	testing.TB
	failed []any
}

func (f *failing) Error(args ...any) { f.failed = append(f.failed, args...) }
func (f *failing) Fatal(args ...any) { f.failed = append(f.failed, args...); panic(f) }

func TestStartFailsItsTest(t *testing.T) {
	t.Parallel()
	f := &failing{TB: t}
	require.PanicsWithValue(t, f, func() { plazatest.Start(f, &plazatest.Options{Tables: tables.Names{Follow: "not a name"}}) })
	require.Len(t, f.failed, 1)
}
