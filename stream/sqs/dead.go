package sqs

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/internal/awssink"
	"github.com/plaza-sdk/plaza/internal/jsontext"
	"github.com/plaza-sdk/plaza/stream"
)

// DeadLettersOptions of NewDeadLetters. The zero value works.
type DeadLettersOptions struct {
	// Bytes is how large a message is. A letter over it loses images of its record.
	// Defaults to 1 MiB, the service's limit. A queue may be set to less.
	Bytes int

	// Visibility is how long a letter that was received is hidden from other readers. It
	// must be long enough to handle ten letters. Up to 12 hours, in seconds; defaults to
	// 5 minutes.
	Visibility time.Duration

	// Wait is how long Receive waits for the first letter, and so how long it
	// takes to find the queue empty. 1 to 20 seconds; defaults to 5.
	Wait time.Duration

	// Limits bound what is read of the documents that Lambda wrote.
	Limits stream.Limits
}

func (o *DeadLettersOptions) setDefaults() error {
	return cmp.Or(
		args.DefaultAtLeast("Options.Bytes", &o.Bytes, maxBytes, 0),
		args.Default("Options.Visibility", &o.Visibility, 5*time.Minute, time.Second, 12*time.Hour),
		args.Default("Options.Wait", &o.Wait, 5*time.Second, time.Second, 20*time.Second), // a shorter wait may miss messages
	)
}

// DeadLetters keeps dead letters in a standard queue, for as long as the queue
// keeps messages: at most 14 days. It is safe for concurrent use.
type DeadLetters struct {
	client *sdk.Client
	queue  string
	opts   DeadLettersOptions
}

var _ stream.DeadLetters = (*DeadLetters)(nil)

// NewDeadLetters does no I/O. The queue is its URL. It may be the one to which
// Lambda sends failures.
func NewDeadLetters(client *sdk.Client, queue string, opts *DeadLettersOptions) (*DeadLetters, error) {
	if err := check(client, queue); err != nil {
		return nil, err
	}
	d := &DeadLetters{client: client, queue: queue, opts: args.Given(opts)}
	if err := d.opts.setDefaults(); err != nil {
		return nil, err
	}
	return d, nil
}

// Put sends a letter as JSON. If the client repeats a request that was lost, the
// letter is there twice.
//
// Cost: 1 request to SQS, which bills each 64 KB as one.
func (d *DeadLetters) Put(ctx context.Context, letter stream.Dead) error {
	ctx = plaza.WithOperation(ctx, "stream/sqs.DeadLetters.Put")
	body, err := encode(letter, d.opts.Bytes)
	if err != nil {
		return fmt.Errorf("sqs: dead letter of %s: %w", letter.Seq, err)
	}
	_, err = awssink.Call(ctx, "sqs: send the dead letter of "+letter.Seq, func() (*sdk.SendMessageOutput, error) {
		out, err := d.client.SendMessage(ctx, &sdk.SendMessageInput{QueueUrl: &d.queue, MessageBody: &body})
		if err == nil && aws.ToString(out.MessageId) == "" {
			err = stream.ErrOutcomes
		}
		return out, err
	})
	return err
}

// encode writes a letter that fits into a message. It escapes the characters that JSON allows
// and SQS does not.
func encode(letter stream.Dead, most int) (string, error) {
	body, err := text(letter)
	if err != nil || len(body) <= most {
		return body, err
	}
	position := letter
	position.Record = nil
	bare, err := text(position)
	if err != nil {
		return "", err
	}
	if len(bare) > most {
		return "", stream.Permanent(fmt.Errorf("%w: %d bytes without its record, at most %d are allowed", stream.ErrTooLarge, len(bare), most))
	}
	// Escapes and base64 make the text longer than the record by an unknown part.
	for limit := most - len(bare) - len(`,"record":`); len(body) > most; limit /= 2 {
		if body, err = text(letter.Fit(limit)); err != nil {
			return "", err
		}
	}
	return body, nil
}

func text(letter stream.Dead) (string, error) {
	raw, err := json.Marshal(letter)
	if err != nil {
		return "", err
	}
	raw = bytes.ReplaceAll(raw, []byte("\uFFFE"), []byte(`\ufffe`))
	raw = bytes.ReplaceAll(raw, []byte("\uFFFF"), []byte(`\uffff`))
	if !allowed(string(raw)) {
		return "", stream.Permanent(&plaza.InvalidError{Field: "Dead", Reason: "has a character that SQS does not allow"})
	}
	return string(raw), nil
}

// decode reads the letters in a message: one of ours, or those of the records in
// what Lambda sends when it gives up. Anything else is a letter whose record
// Redrive tries to read, such as an event that the consumer of a Sink gave up.
func decode(body string, limits stream.Limits) []stream.Dead {
	var ours struct {
		Reason   *string `json:"reason"`
		Attempts *int    `json:"attempts"`
	}
	if jsontext.Unmarshal([]byte(body), &ours) == nil && ours.Reason != nil && ours.Attempts != nil {
		var letter stream.Dead
		if jsontext.Unmarshal([]byte(body), &letter) == nil {
			return []stream.Dead{letter}
		}
	}
	letters, err := stream.ParseFailure([]byte(body), limits)
	if err != nil || len(letters) == 0 {
		return []stream.Dead{{Reason: "unknown", Record: []byte(body)}}
	}
	return letters
}
