package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
)

// remoteQueue is a queue of SQS that a rule of EventBridge sends to.
type remoteQueue struct {
	client *sqs.Client
	url    string
}

func (q *remoteQueue) receive(ctx context.Context) ([]message, error) {
	out, err := q.client.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{QueueUrl: &q.url, MaxNumberOfMessages: 10, WaitTimeSeconds: 1})
	if err != nil {
		return nil, err
	}
	messages := make([]message, len(out.Messages))
	for i, m := range out.Messages {
		var event struct {
			Detail json.RawMessage `json:"detail"`
		}
		if err := json.Unmarshal([]byte(*m.Body), &event); err != nil {
			event.Detail = []byte(*m.Body) // the processor makes a dead letter of it
		}
		messages[i] = message{data: event.Detail, receipt: *m.ReceiptHandle}
	}
	return messages, nil
}

func (q *remoteQueue) settle(ctx context.Context, messages []message, handled int) error {
	if handled == 0 {
		return nil
	}
	var entries []types.DeleteMessageBatchRequestEntry
	for i := range messages[:handled] {
		id := fmt.Sprint(i)
		entries = append(entries, types.DeleteMessageBatchRequestEntry{Id: &id, ReceiptHandle: &messages[i].receipt})
	}
	out, err := q.client.DeleteMessageBatch(ctx, &sqs.DeleteMessageBatchInput{QueueUrl: &q.url, Entries: entries})
	if err == nil && len(out.Failed) > 0 {
		err = fmt.Errorf("%d messages stay: %s", len(out.Failed), *out.Failed[0].Code) // nothing worse than a repeat
	}
	return err
}
