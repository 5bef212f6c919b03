package poller_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/engine"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/stream"
	"github.com/plaza-sdk/plaza/stream/poller"
)

// controlled is an engine whose streams roll over and age when a test says so.
var controlled = sync.OnceValues(func() (*engine.Engine, error) {
	return engine.Start(context.Background(), &engine.Options{Control: true})
})

// realStream is a world whose stream is DynamoDB Local's. No other test sees it.
type realStream struct {
	*world
	client *dynamodb.Client
	values []string // of the records that were handled
}

const source = "source"

func onRealStream(t *testing.T, f func(t *testing.T, r *realStream)) {
	t.Helper()
	t.Parallel()
	if !faults.Full() {
		t.Skip("it needs a JDK and an engine of its own; by default scripted streams do the same")
	}
	e, err := controlled()
	require.NoError(t, err)
	transport := &http.Transport{MaxIdleConnsPerHost: 32}
	t.Cleanup(transport.CloseIdleConnections)
	meter := dynamotest.NewMeter()
	send := dynamotest.Outside(t, meter.Wrap)
	synctest.Test(t, func(t *testing.T) {
		cfg := e.Config()
		cfg.Credentials = credentials.NewStaticCredentialsProvider(rand.Text(), "plaza", "")
		base := send(&http.Client{Transport: transport})
		r := &realStream{world: &world{
			script: newScript(), t: t, table: "leases", meter: meter,
			handled: map[string][]string{}, busy: map[string]string{},
		}}
		r.dial = func(wrap ...func(aws.HTTPClient) aws.HTTPClient) *dynamo.DB {
			c := base
			for _, w := range wrap {
				c = w(c)
			}
			return dynamo.New(cfg, func(o *dynamodb.Options) { o.HTTPClient = c })
		}
		r.streams = func() *dynamodbstreams.Client {
			return dynamodbstreams.NewFromConfig(cfg, func(o *dynamodbstreams.Options) { o.HTTPClient = base })
		}
		r.db = r.dial()
		r.client = dynamodb.NewFromConfig(cfg, func(o *dynamodb.Options) { o.HTTPClient = base })
		r.handle = func(_ context.Context, _ string, rec stream.Record) error {
			r.log.Lock()
			defer r.log.Unlock()
			r.values = append(r.values, rec.New["n"].(*types.AttributeValueMemberN).Value)
			return nil
		}
		_, err := r.client.CreateTable(t.Context(), poller.Table("leases"))
		require.NoError(t, err)
		in := poller.Table(source)
		in.StreamSpecification = &types.StreamSpecification{StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewTypeNewAndOldImages}
		out, err := r.client.CreateTable(t.Context(), in)
		require.NoError(t, err)
		r.arn = *out.TableDescription.LatestStreamArn
		f(t, r)
	})
}

// put writes one item n times, with the values after last.
func (r *realStream) put(last, n int) {
	r.t.Helper()
	for i := range n {
		_, err := r.client.PutItem(r.t.Context(), &dynamodb.PutItemInput{TableName: aws.String(source), Item: map[string]types.AttributeValue{
			"pk": &types.AttributeValueMemberS{Value: "pk"}, "sk": &types.AttributeValueMemberS{Value: "sk"},
			"n": &types.AttributeValueMemberN{Value: strconv.Itoa(last + i + 1)},
		}})
		require.NoError(r.t, err)
	}
}

func (r *realStream) rollover() {
	r.t.Helper()
	require.NoError(r.t, engine.Rollover(r.t.Context(), r.client))
}

func (r *realStream) age(hours int) {
	r.t.Helper()
	require.NoError(r.t, engine.Age(r.t.Context(), r.client, hours))
}

// reaches waits until the values from first to last were handled.
func (r *realStream) reaches(last int) {
	r.t.Helper()
	r.until(fmt.Sprintf("%d is handled", last), func() bool {
		r.log.Lock()
		defer r.log.Unlock()
		return slices.Contains(r.values, strconv.Itoa(last))
	})
}

func upTo(first, last int) (values []string) {
	for n := first; n <= last; n++ {
		values = append(values, strconv.Itoa(n))
	}
	return values
}

func TestARealStreamIsFollowedOverItsRollovers(t *testing.T) {
	onRealStream(t, func(t *testing.T, r *realStream) {
		r.put(0, 10)
		p := r.start("ann", nil)
		r.reaches(10)
		for last := 10; last < 40; last += 10 {
			r.rollover()
			r.put(last, 10)
			r.reaches(last + 10)
		}
		r.age(1) // iterators expire
		r.put(40, 10)
		r.reaches(50)
		require.ErrorIs(t, p.stop(), context.Canceled)
		require.Equal(t, upTo(1, 50), r.values)
		leases, _ := r.stored()
		require.Len(t, leases, 4)
	})
}

func TestARealStreamsTrimmedCheckpointIsAGap(t *testing.T) {
	onRealStream(t, func(t *testing.T, r *realStream) {
		r.put(0, 10)
		p := r.start("ann", nil)
		r.reaches(10)
		require.ErrorIs(t, p.stop(), context.Canceled)
		r.put(10, 10)
		r.age(25)
		r.put(20, 10)
		p = r.start("bob", nil)
		require.ErrorIs(t, p.wait(), stream.ErrGap)
		require.Equal(t, upTo(1, 10), r.values)
	})
}

func TestARealStreamsNewGroupBeginsWithTheOldestRecord(t *testing.T) {
	onRealStream(t, func(t *testing.T, r *realStream) {
		r.put(0, 10)
		r.age(25)
		r.put(10, 10)
		p := r.start("ann", nil)
		r.reaches(20)
		require.ErrorIs(t, p.stop(), context.Canceled)
		require.Equal(t, upTo(11, 20), r.values)
	})
}

func TestARealStreamThatIsSwitchedOffIsDrained(t *testing.T) {
	onRealStream(t, func(t *testing.T, r *realStream) {
		r.put(0, 10)
		r.rollover()
		r.put(10, 10)
		_, err := r.client.UpdateTable(t.Context(), &dynamodb.UpdateTableInput{
			TableName: aws.String(source), StreamSpecification: &types.StreamSpecification{StreamEnabled: aws.Bool(false)},
		})
		require.NoError(t, err)
		begun := time.Now()
		p := r.start("ann", nil)
		require.NoError(t, p.wait())
		require.Less(t, time.Since(begun), time.Minute)
		require.Equal(t, upTo(1, 20), r.values)
	})
}

func TestAReaderFollowsARealStreamFromNowOn(t *testing.T) {
	onRealStream(t, func(t *testing.T, r *realStream) {
		r.put(0, 10)
		r.rollover()
		reader, err := poller.NewReader(r.streams(), r.arn, nil)
		require.NoError(t, err)
		var values []string
		next := func() {
			round, err := reader.Next(t.Context())
			require.NoError(t, err)
			for _, item := range round.Items {
				require.NoError(t, item.Err)
				values = append(values, item.Record.New["n"].(*types.AttributeValueMemberN).Value)
			}
		}
		next()
		for last := 10; last < 40; last += 10 {
			r.put(last, 5)
			r.rollover()
			r.put(last+5, 5)
			for len(values) < last {
				next()
			}
		}
		require.Equal(t, upTo(11, 40), values)
	})
}
