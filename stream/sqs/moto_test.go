package sqs_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/awssink/sinktest"
	"github.com/plaza-sdk/plaza/stream"
	"github.com/plaza-sdk/plaza/stream/sqs"
)

func newQueue(t *testing.T, client *sdk.Client) string {
	t.Helper()
	made, err := client.CreateQueue(t.Context(), &sdk.CreateQueueInput{QueueName: aws.String("queue-" + rand.Text())})
	require.NoError(t, err)
	return *made.QueueUrl
}

func TestEventsArriveInAQueue(t *testing.T) {
	client := sdk.NewFromConfig(sinktest.OpenMoto(t).Config())
	url := newQueue(t, client)
	sink, err := sqs.New(client, url, nil)
	require.NoError(t, err)
	events := make([]stream.Event, 23)
	for i := range events {
		events[i] = stream.Event{ID: fmt.Sprint("id", i), Type: "post", Data: fmt.Appendf(nil, `{"n":%d,"text":"日本 😀"}`, i)}
	}
	require.Empty(t, sinktest.Deliver(t, sink, events))
	got := map[string]string{}
	for len(got) < len(events) {
		out, err := client.ReceiveMessage(t.Context(), &sdk.ReceiveMessageInput{
			QueueUrl: &url, MaxNumberOfMessages: 10, WaitTimeSeconds: 1, MessageAttributeNames: []string{"All"},
		})
		require.NoError(t, err)
		require.NotEmpty(t, out.Messages)
		for _, m := range out.Messages {
			require.Equal(t, "post", *m.MessageAttributes["type"].StringValue)
			got[*m.MessageAttributes["id"].StringValue] = *m.Body
		}
	}
	for _, e := range events {
		require.Equal(t, string(e.Data), got[e.ID])
	}
}

// Twelve letters: those of two items fail at first and are left for the next
// Source, once they are visible again.
func TestLettersAreDrivenAgainUntilTheyAreHandled(t *testing.T) {
	client := sdk.NewFromConfig(sinktest.OpenMoto(t).Config())
	letters, err := sqs.NewDeadLetters(client, newQueue(t, client), &sqs.DeadLettersOptions{Visibility: time.Second, Wait: time.Second})
	require.NoError(t, err)
	for i := range 12 {
		require.NoError(t, letters.Put(t.Context(), letter(t, change(fmt.Sprint("item", i), i+1, "日本 \uFFFE"))))
	}
	broken, applied := map[string]bool{"3": true, "9": true}, map[string]int{}
	batch := func(_ context.Context, records []stream.Record) []error {
		errs := make([]error, len(records))
		for i, r := range records {
			if broken[r.Seq] {
				errs[i] = errors.New("still broken")
				continue
			}
			applied[r.Seq]++
		}
		return errs
	}
	total, err := stream.Redrive(t.Context(), letters.Source(), batch)
	require.NoError(t, err)
	require.Equal(t, stream.Redriven{Handled: 10, Failed: 2}, total)
	broken = nil
	for range 60 { // they are hidden for a second, and each run waits one for the end
		_, err := stream.Redrive(t.Context(), letters.Source(), batch)
		require.NoError(t, err)
		if len(applied) == 12 {
			break
		}
	}
	require.Len(t, applied, 12)
	for seq, times := range applied {
		require.Equal(t, 1, times, seq)
	}
	total, err = stream.Redrive(t.Context(), letters.Source(), batch)
	require.NoError(t, err)
	require.Zero(t, total)
}
