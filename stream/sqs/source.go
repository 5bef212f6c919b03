package sqs

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/awssink"
	"github.com/plaza-sdk/plaza/stream"
)

// Source reads the letters of a queue once, for stream.Redrive. What it leaves is hidden until
// Visibility has passed; then another Source receives it. It remembers every message that it
// leaves, in about 1 KB each. It is safe for concurrent use.
type Source struct {
	from *DeadLetters

	mu       sync.Mutex
	messages map[string]*message // by id
}

var _ stream.DeadSource = (*Source)(nil)

// message is one that was received. It is deleted with the last of its letters.
type message struct {
	handle string
	left   map[int]bool // its letters that were not deleted
}

// Source returns a Source that has received nothing yet.
func (d *DeadLetters) Source() *Source {
	return &Source{from: d, messages: map[string]*message{}}
}

// Receive returns the letters of up to ten messages, none when no message came
// in Wait. A standard queue keeps no order: letters are sorted within one answer
// alone.
//
// Cost: 1 request to SQS; 1 more for each answer that has only messages that
// came before.
func (s *Source) Receive(ctx context.Context) ([]stream.Dead, error) {
	ctx = plaza.WithOperation(ctx, "stream/sqs.Source.Receive")
	for {
		out, err := awssink.Call(ctx, "sqs: receive dead letters", func() (*sdk.ReceiveMessageOutput, error) {
			return s.from.client.ReceiveMessage(ctx, &sdk.ReceiveMessageInput{
				QueueUrl:                    &s.from.queue,
				MaxNumberOfMessages:         10,
				VisibilityTimeout:           int32(s.from.opts.Visibility / time.Second),
				WaitTimeSeconds:             int32(s.from.opts.Wait / time.Second),
				MessageSystemAttributeNames: []types.MessageSystemAttributeName{types.MessageSystemAttributeNameSentTimestamp},
			})
		})
		if err != nil {
			return nil, err
		}
		letters := s.lettersOf(out.Messages)
		if len(letters) > 0 || len(out.Messages) == 0 {
			return letters, nil
		}
	}
}

// lettersOf returns the letters of the messages that came for the first time.
func (s *Source) lettersOf(messages []types.Message) []stream.Dead {
	slices.SortStableFunc(messages, func(a, b types.Message) int { return cmp.Compare(sentAt(a), sentAt(b)) })
	s.mu.Lock()
	defer s.mu.Unlock()
	var letters []stream.Dead
	for _, m := range messages {
		id, handle := aws.ToString(m.MessageId), aws.ToString(m.ReceiptHandle)
		if known, ok := s.messages[id]; ok {
			known.handle = handle // only the last one is sure to delete the message
			continue
		}
		received := &message{handle: handle, left: map[int]bool{}}
		s.messages[id] = received
		for i, letter := range decode(aws.ToString(m.Body), s.from.opts.Limits) {
			letter.Receipt = strconv.Itoa(i) + " " + id
			received.left[i] = true
			letters = append(letters, letter)
		}
	}
	return letters
}

// sentAt returns when SQS got the message, in milliseconds.
func sentAt(m types.Message) int64 {
	ms, _ := strconv.ParseInt(m.Attributes[string(types.MessageSystemAttributeNameSentTimestamp)], 10, 64)
	return ms
}

// Delete removes a letter that Receive returned. A document of Lambda holds many
// letters: it stays until all of them are deleted.
//
// Cost: 1 request to SQS; none while other letters of its message are left.
func (s *Source) Delete(ctx context.Context, letter stream.Dead) error {
	ctx = plaza.WithOperation(ctx, "stream/sqs.Source.Delete")
	handle, last, err := s.deleted(letter.Receipt)
	if err != nil || !last {
		return err
	}
	_, err = awssink.Call(ctx, "sqs: delete the dead letter of "+letter.Seq, func() (*sdk.DeleteMessageOutput, error) {
		return s.from.client.DeleteMessage(ctx, &sdk.DeleteMessageInput{QueueUrl: &s.from.queue, ReceiptHandle: &handle})
	})
	return err
}

// deleted notes that a letter was deleted. The last letter of a message deletes the message. So
// does a repeat of that call, since its request may have failed.
func (s *Source) deleted(receipt string) (handle string, last bool, err error) {
	number, id, _ := strings.Cut(receipt, " ")
	s.mu.Lock()
	defer s.mu.Unlock()
	m, ok := s.messages[id]
	i, bad := strconv.Atoi(number)
	if !ok || bad != nil {
		return "", false, &plaza.InvalidError{Field: "Dead.Receipt", Reason: "is not of this Source"}
	}
	delete(m.left, i)
	return m.handle, len(m.left) == 0, nil
}
