package otel_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/aws/smithy-go/middleware"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/awssink/sinktest"
	"github.com/plaza-sdk/plaza/meter"
	"github.com/plaza-sdk/plaza/otel"
)

const oneRead = `{"ConsumedCapacity":{"TableName":"t","CapacityUnits":0.5}}`

var key = map[string]types.AttributeValue{"pk": &types.AttributeValueMemberS{Value: "a"}}

func getItem(ctx context.Context, cfg aws.Config) error {
	_, err := dynamodb.NewFromConfig(cfg).GetItem(ctx, &dynamodb.GetItemInput{TableName: aws.String("t"), Key: key})
	return err
}

// scripted answers with these in turn, and then with success.
func scripted(answers ...sinktest.Answer) aws.Config {
	asked := 0
	return sinktest.NewScript(func(sinktest.Request) sinktest.Answer {
		asked++
		if asked > len(answers) {
			return sinktest.Answer{Body: oneRead}
		}
		return answers[asked-1]
	}).Config()
}

func refusal(code string) sinktest.Answer { return sinktest.Refusal(http.StatusBadRequest, code) }

// canceled is a transaction that was cancelled for these reasons.
func canceled(codes string) sinktest.Answer {
	return sinktest.Answer{Status: http.StatusBadRequest, Body: `{"__type":"com.amazonaws.dynamodb.v20120810#TransactionCanceledException","CancellationReasons":[` + codes + `]}`}
}

func TestACallOfTheSDKIsASpanWithItsRetries(t *testing.T) {
	t.Parallel()
	const (
		code    = "db.response.status_code="
		failure = "error.type="
	)
	throttled, fault := refusal("ThrottlingException"), sinktest.Refusal(http.StatusInternalServerError, "InternalServerError")
	lost := sinktest.Answer{Err: temporary{errors.New("connection reset")}}
	for name, c := range map[string]struct {
		answers []sinktest.Answer
		results []string // of the attempts
	}{
		"at once":            {nil, []string{""}},
		"throttled once":     {[]sinktest.Answer{throttled}, []string{failure + "ThrottlingException", ""}},
		"faults of theirs":   {[]sinktest.Answer{fault, fault}, []string{failure + "InternalServerError", failure + "InternalServerError", ""}},
		"no answer, to none": {[]sinktest.Answer{lost, lost, lost}, []string{failure + "no_answer", failure + "no_answer", failure + "no_answer"}},
		"no such table":      {[]sinktest.Answer{refusal("ResourceNotFoundException")}, []string{failure + "ResourceNotFoundException"}},
		"a condition":        {[]sinktest.Answer{refusal("ConditionalCheckFailedException")}, []string{code + "ConditionalCheckFailedException"}},
		"a condition in a transaction": {
			[]sinktest.Answer{canceled(`{"Code":"None"},{"Code":"ConditionalCheckFailed"}`)}, []string{code + "ConditionalCheckFailed"},
		},
		"a condition and a conflict in a transaction": {
			[]sinktest.Answer{canceled(`{"Code":"ConditionalCheckFailed"},{"Code":"TransactionConflict"}`)}, []string{failure + "TransactionConflict"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, costs := newWorld(t, otel.Options{}), meter.New()
			cfg := w.attach(scripted(c.answers...))
			costs.Attach(&cfg)
			err := getItem(plaza.WithOperation(t.Context(), "feed.Home.List"), cfg)
			last := c.results[len(c.results)-1]
			require.Equal(t, last == "", err == nil)

			of := []string{"db.collection.name=t", "db.operation.name=GetItem", "plaza.operation=feed.Home.List"}
			counts := map[string]float64{}
			failures := 0
			for _, result := range c.results {
				counts[joined(result, of...)]++
				if strings.HasPrefix(result, failure) {
					failures++
				}
			}
			require.Equal(t, counts, w.counts(t, "plaza.requests"))
			whole := joined(last, append(of, "db.system.name=aws.dynamodb")...)
			require.Equal(t, map[string]float64{whole: 1}, w.counts(t, "db.client.operation.duration"))

			spans := w.spans.GetSpans()
			require.Len(t, spans, 1)
			span, cost := spans[0], costs.Total()
			require.Equal(t, "GetItem feed.Home.List", span.Name)
			require.Equal(t, trace.SpanKindClient, span.SpanKind)
			require.Equal(t, joined(whole, fmt.Sprint("plaza.attempts=", len(c.results)),
				fmt.Sprint("plaza.units.read=", cost.Read), fmt.Sprint("plaza.units.write=", cost.Write)), attributes(span.Attributes))
			require.Equal(t, strings.HasPrefix(last, failure), span.Status.Code == codes.Error)
			require.Len(t, span.Events, failures)
			require.Equal(t, failures > 0 || last != "", w.log.Len() > 0 || strings.HasPrefix(last, code), "the log has what failed")
		})
	}
}

// temporary is an error after which the SDK tries again.
type temporary struct{ error }

func (temporary) ConnectionReset() bool { return true }
func (temporary) RetryableError() bool  { return true }

func TestWhatIsNotSentIsASpanAndNoRequest(t *testing.T) {
	t.Parallel()
	w := newWorld(t, otel.Options{})
	cfg := w.attach(scripted())
	cfg.Credentials = aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{}, errors.New("none")
	})
	require.Error(t, getItem(t.Context(), cfg))
	require.Empty(t, w.counts(t, "plaza.requests"))
	require.Equal(t, "GetItem", w.spans.GetSpans()[0].Name, "outside of Plaza's calls")
	require.Contains(t, attributes(w.spans.GetSpans()[0].Attributes), "error.type=unsent")
}

func TestACallersEndIsNoTimeout(t *testing.T) {
	t.Parallel()
	for want, end := range map[string]func(context.Context) (context.Context, context.CancelFunc){
		"canceled": context.WithCancel,
		"timeout":  func(ctx context.Context) (context.Context, context.CancelFunc) { return context.WithTimeout(ctx, 0) },
	} {
		ctx, cancel := end(t.Context())
		cancel()
		w := newWorld(t, otel.Options{})
		require.Error(t, getItem(ctx, w.attach(scripted())))
		require.Contains(t, attributes(w.spans.GetSpans()[0].Attributes), "error.type="+want)
	}
}

func TestItemsThatABatchLeavesOutAreCounted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, otel.Options{})
	cfg := w.attach(sinktest.NewScript(func(r sinktest.Request) sinktest.Answer {
		if r.Op == "BatchGetItem" {
			return sinktest.Answer{Body: `{"Responses":{},"UnprocessedKeys":{"t":{"Keys":[{"pk":{"S":"a"}},{"pk":{"S":"b"}}]}}}`}
		}
		return sinktest.Answer{Body: `{"UnprocessedItems":{"t":[{"DeleteRequest":{"Key":{"pk":{"S":"a"}}}}]}}`}
	}).Config())
	client := dynamodb.NewFromConfig(cfg)
	_, err := client.BatchGetItem(t.Context(), &dynamodb.BatchGetItemInput{
		RequestItems: map[string]types.KeysAndAttributes{"t": {Keys: []map[string]types.AttributeValue{key}}},
	})
	require.NoError(t, err)
	_, err = client.BatchWriteItem(t.Context(), &dynamodb.BatchWriteItemInput{
		RequestItems: map[string][]types.WriteRequest{"t": {{DeleteRequest: &types.DeleteRequest{Key: key}}}},
	})
	require.NoError(t, err)
	require.Equal(t, map[string]float64{"BatchGetItem": 2, "BatchWriteItem": 1}, w.sum(t, "plaza.unprocessed", "db.operation.name"))
}

func TestOtherServicesAreNotObserved(t *testing.T) {
	t.Parallel()
	w := newWorld(t, otel.Options{})
	cfg := w.attach(sinktest.NewScript(func(sinktest.Request) sinktest.Answer { return sinktest.Answer{Body: `{"Streams":[]}`} }).Config())
	_, err := dynamodbstreams.NewFromConfig(cfg).ListStreams(t.Context(), &dynamodbstreams.ListStreamsInput{})
	require.NoError(t, err)
	require.Empty(t, w.spans.GetSpans())
	require.Empty(t, w.counts(t, "plaza.requests"))
}

func TestTwoObserversEachSeeAll(t *testing.T) {
	t.Parallel()
	a, b := newWorld(t, otel.Options{}), newWorld(t, otel.Options{Prices: meter.Prices{Read: 2e6}})
	require.NoError(t, getItem(t.Context(), b.attach(a.attach(scripted()))))
	for w, dollars := range map[*world]float64{&a: 0.5 * meter.USEast1().Read / 1e6, &b: 1} {
		require.Equal(t, map[string]float64{"t": dollars}, w.sum(t, "plaza.dollars", "db.collection.name"))
		require.Contains(t, attributes(w.spans.GetSpans()[0].Attributes), "plaza.attempts=1 plaza.operation= plaza.units.read=0.5")
	}
	require.Equal(t, a.spans.GetSpans()[0].SpanContext.SpanID(), b.spans.GetSpans()[0].Parent.SpanID())
}

// A copy of a Config shares the memory of its options.
func TestAConfigsCopiesStayAsTheyAre(t *testing.T) {
	t.Parallel()
	w := newWorld(t, otel.Options{})
	cfg := scripted()
	cfg.APIOptions = make([]func(*middleware.Stack) error, 0, 4)
	other := cfg
	other.APIOptions = append(other.APIOptions, func(*middleware.Stack) error { return nil })
	w.attach(cfg)
	require.NoError(t, getItem(t.Context(), other))
	require.Empty(t, w.spans.GetSpans())
}

func TestTheGlobalProvidersAreTheDefault(t *testing.T) {
	t.Parallel()
	o, err := otel.New(nil)
	require.NoError(t, err)
	cfg := scripted()
	o.Attach(&cfg)
	require.NoError(t, getItem(t.Context(), cfg))
}
