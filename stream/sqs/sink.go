// Package sqs is a stream.Sink to a standard queue of Amazon SQS, and keeps dead
// letters in one. It refuses FIFO queues.
package sqs

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/internal/awssink"
	"github.com/plaza-sdk/plaza/stream"
)

// Options of New. The zero value works. The defaults are the service's limits.
type Options struct {
	// Events is how many events one request sends. Defaults to 10.
	Events int

	// Bytes is how large the messages of one request are together, and one alone,
	// with their attributes. Defaults to 1 MiB. A queue may be set to less.
	Bytes int
}

// Sink sends events to a queue. It is safe for concurrent use.
type Sink struct {
	client *sdk.Client
	queue  string
	opts   Options
}

var _ stream.Sink = (*Sink)(nil)

// New does no I/O. The queue is its URL.
func New(client *sdk.Client, queue string, opts *Options) (*Sink, error) {
	if err := check(client, queue); err != nil {
		return nil, err
	}
	s := &Sink{client: client, queue: queue, opts: args.Given(opts)}
	err := cmp.Or(
		args.DefaultAtLeast("Options.Events", &s.opts.Events, 10, 0),
		args.DefaultAtLeast("Options.Bytes", &s.opts.Bytes, maxBytes, 0),
	)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// maxBytes is the limit of a message and of a request.
const maxBytes = 1 << 20

func check(client *sdk.Client, queue string) error {
	switch {
	case client == nil:
		return &plaza.InvalidError{Field: "client", Reason: "is nil"}
	case queue == "":
		return &plaza.InvalidError{Field: "queue", Reason: "is empty"}
	case strings.HasSuffix(queue, ".fifo"):
		return &plaza.InvalidError{Field: "queue", Reason: "is a FIFO queue"}
	}
	return nil
}

// Limit implements stream.Sink.
func (s *Sink) Limit() stream.Limit {
	return stream.Limit{Events: s.opts.Events, Bytes: s.opts.Bytes, Event: s.opts.Bytes, Size: size}
}

// size returns the bytes of the body and the attributes, whose names and types count too.
func size(e stream.Event) int {
	n := len(e.Data)
	for _, a := range attributes(e) {
		n += len(a.name) + len(textType) + len(a.value)
	}
	return n
}

const textType = "String"

type attribute struct{ name, value string }

// attributes returns those that have a value: SQS refuses empty ones.
func attributes(e stream.Event) []attribute {
	var found []attribute
	for _, a := range []attribute{{"id", e.ID}, {"source", e.Source}, {"type", e.Type}} {
		if a.value != "" {
			found = append(found, a)
		}
	}
	return found
}

// Put sends Data as the body, and ID, Source and Type as the message's
// attributes id, source and type. It does not send Group and At: a standard
// queue keeps no order.
//
// Cost: 1 request to SQS, which bills each 64 KB as one; none if every event is
// refused before it is sent.
func (s *Sink) Put(ctx context.Context, events []stream.Event) ([]stream.Outcome, error) {
	ctx = plaza.WithOperation(ctx, "stream/sqs.Sink.Put")
	what := fmt.Sprintf("sqs: send %d messages", len(events))
	return awssink.Put(ctx, what, events, refuse, func(events []stream.Event) ([]stream.Outcome, error) {
		entries := make([]types.SendMessageBatchRequestEntry, len(events))
		for i, e := range events {
			entries[i] = types.SendMessageBatchRequestEntry{
				Id:                aws.String(strconv.Itoa(i)),
				MessageBody:       aws.String(string(e.Data)),
				MessageAttributes: map[string]types.MessageAttributeValue{},
			}
			for _, a := range attributes(e) {
				entries[i].MessageAttributes[a.name] = types.MessageAttributeValue{DataType: aws.String(textType), StringValue: &a.value}
			}
		}
		out, err := s.client.SendMessageBatch(ctx, &sdk.SendMessageBatchInput{QueueUrl: &s.queue, Entries: entries}, once)
		if err != nil {
			return nil, err
		}
		return outcomes(out, len(events)), nil
	})
}

// once leaves retries to stream.Deliver, which sends only what failed.
func once(o *sdk.Options) { o.RetryMaxAttempts = 1 }

// refuse refuses an event for which the service would refuse the whole request.
func refuse(e stream.Event) error {
	if len(e.Data) == 0 {
		return &plaza.InvalidError{Field: "Event.Data", Reason: "is empty"}
	}
	for _, part := range []struct{ field, text string }{
		{"Data", string(e.Data)}, {"ID", e.ID}, {"Source", e.Source}, {"Type", e.Type},
	} {
		if !allowed(part.text) {
			return &plaza.InvalidError{Field: "Event." + part.field, Reason: "has a character that SQS does not allow"}
		}
	}
	return nil
}

// allowed reports whether text is UTF-8 of the characters of XML 1.0.
func allowed(text string) bool {
	for _, r := range text {
		switch {
		case r < ' ' && r != '\t' && r != '\n' && r != '\r', r == '\uFFFE', r == '\uFFFF':
			return false
		}
	}
	return utf8.ValidString(text)
}

// outcomes trusts only an event's own id: an event that the answer does not name is sent again,
// and so is one that it names as both sent and failed.
func outcomes(out *sdk.SendMessageBatchOutput, n int) []stream.Outcome {
	made := make([]stream.Outcome, n)
	for i := range made {
		made[i] = awssink.Unnamed("sqs")
	}
	sent := make([]bool, n)
	for _, entry := range out.Successful {
		if i, ok := index(entry.Id, n); ok {
			made[i], sent[i] = stream.Outcome{}, true
		}
	}
	for _, entry := range out.Failed {
		if i, ok := index(entry.Id, n); ok {
			code := aws.ToString(entry.Code)
			made[i] = awssink.Refused("sqs", code, !entry.SenderFault || sent[i] || awssink.Throttled(code))
		}
	}
	return made
}

// index is the event that an entry's id names.
func index(id *string, n int) (int, bool) {
	i, err := strconv.Atoi(aws.ToString(id))
	return i, err == nil && i >= 0 && i < n && strconv.Itoa(i) == *id
}
