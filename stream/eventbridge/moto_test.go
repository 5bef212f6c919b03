package eventbridge_test

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	sdk "github.com/aws/aws-sdk-go-v2/service/eventbridge"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge/types"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/awssink/sinktest"
	"github.com/plaza-sdk/plaza/stream"
	"github.com/plaza-sdk/plaza/stream/eventbridge"
)

// received is what a queue behind a rule got.
type received struct {
	ID         string `json:"id"`
	Source     string `json:"source"`
	DetailType string `json:"detail-type"`
	Time       string `json:"time"`
	Detail     struct {
		N int `json:"n"`
	} `json:"detail"`
}

// target is a queue that a rule of the bus sends its source's events to.
func target(t *testing.T, moto sinktest.Moto, client *sdk.Client, bus, source string) (queue string) {
	var made struct{ QueueURL string }
	name := bus + "-" + rand.Text()[:8]
	moto.Call(t, "sqs", "AmazonSQS.CreateQueue", map[string]any{"QueueName": name}, &made)
	pattern, err := json.Marshal(map[string]any{"source": []string{source}})
	require.NoError(t, err)
	text := string(pattern)
	_, err = client.PutRule(t.Context(), &sdk.PutRuleInput{Name: &name, EventBusName: &bus, EventPattern: &text})
	require.NoError(t, err)
	arn := "arn:aws:sqs:us-east-1:123456789012:" + name
	_, err = client.PutTargets(t.Context(), &sdk.PutTargetsInput{Rule: &name, EventBusName: &bus, Targets: []types.Target{{Id: &name, Arn: &arn}}})
	require.NoError(t, err)
	return made.QueueURL
}

func drain(t *testing.T, moto sinktest.Moto, queue string) (got []received) {
	for {
		var answer struct{ Messages []struct{ Body string } }
		moto.Call(t, "sqs", "AmazonSQS.ReceiveMessage", map[string]any{"QueueUrl": queue, "MaxNumberOfMessages": 10}, &answer)
		if len(answer.Messages) == 0 {
			return got
		}
		for _, m := range answer.Messages {
			var event received
			require.NoError(t, json.Unmarshal([]byte(m.Body), &event))
			got = append(got, event)
		}
	}
}

func TestARuleGetsOnlyItsSource(t *testing.T) {
	moto := sinktest.OpenMoto(t)
	client := sdk.NewFromConfig(moto.Config())
	bus := "fanout-" + rand.Text()
	_, err := client.CreateEventBus(t.Context(), &sdk.CreateEventBusInput{Name: &bus})
	require.NoError(t, err)
	board := target(t, moto, client, bus, "update.aws.dynamodb")
	archive := target(t, moto, client, bus, "operations.aws.dynamodb")
	sink, err := eventbridge.New(client, bus, nil)
	require.NoError(t, err)

	at := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	var events []stream.Event
	for i := range 23 {
		source := "update.aws.dynamodb"
		if i%3 == 0 {
			source = "operations.aws.dynamodb"
		}
		events = append(events, stream.Event{ID: fmt.Sprint(i), Source: source, Type: "post", At: at, Data: fmt.Appendf(nil, `{"n":%d}`, i)})
	}
	require.Empty(t, sinktest.Deliver(t, sink, events))
	for queue, want := range map[string]struct {
		source string
		n      int
	}{board: {"update.aws.dynamodb", 15}, archive: {"operations.aws.dynamodb", 8}} {
		got := drain(t, moto, queue)
		seen := map[int]bool{}
		for _, event := range got {
			require.Equal(t, want.source, event.Source)
			require.Equal(t, "post", event.DetailType)
			require.Equal(t, "2026-07-01T12:00:00Z", event.Time)
			require.Equal(t, want.source == "operations.aws.dynamodb", event.Detail.N%3 == 0)
			seen[event.Detail.N] = true
		}
		require.Len(t, seen, want.n)
		require.Len(t, got, want.n)
	}
}
