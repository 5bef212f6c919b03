// Package firehose is a stream.Sink to a delivery stream of Amazon Data
// Firehose: an archive with one line of JSON for each event.
package firehose

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/firehose"
	"github.com/aws/aws-sdk-go-v2/service/firehose/types"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/internal/awssink"
	"github.com/plaza-sdk/plaza/stream"
)

// Options of New. The zero value works. The defaults are the service's limits.
type Options struct {
	// Events is how many events one request sends. Defaults to 500.
	Events int

	// Bytes is how large the lines of one request are together. Defaults to 4 MiB.
	Bytes int

	// Event is how large one line is, with its newline. Defaults to 1,000 KiB, or
	// to Bytes if that is less.
	Event int
}

// Sink puts events into a delivery stream. It is safe for concurrent use.
type Sink struct {
	client *sdk.Client
	name   string
	opts   Options
}

var _ stream.Sink = (*Sink)(nil)

// New does no I/O. The name is the delivery stream's.
func New(client *sdk.Client, name string, opts *Options) (*Sink, error) {
	switch {
	case client == nil:
		return nil, &plaza.InvalidError{Field: "client", Reason: "is nil"}
	case name == "":
		return nil, &plaza.InvalidError{Field: "name", Reason: "is empty"}
	}
	s := &Sink{client: client, name: name, opts: args.Given(opts)}
	err := cmp.Or(
		args.DefaultAtLeast("Options.Events", &s.opts.Events, 500, 0),
		args.DefaultAtLeast("Options.Bytes", &s.opts.Bytes, 4<<20, 0),
	)
	if err != nil {
		return nil, err
	}
	if err := args.Default("Options.Event", &s.opts.Event, min(1000<<10, s.opts.Bytes), 0, s.opts.Bytes); err != nil {
		return nil, err
	}
	return s, nil
}

// Limit implements stream.Sink.
func (s *Sink) Limit() stream.Limit {
	return stream.Limit{Events: s.opts.Events, Bytes: s.opts.Bytes, Event: s.opts.Event, Size: size}
}

// size returns the bytes of a line, before base64, as the service counts it. It may be too
// high, since line removes the newlines in Data.
func size(e stream.Event) int { return len(e.Data) + 1 }

// Put writes Data on a line of its own, and nothing else of the event. A repeat
// is a second line: if a reader must recognize it, put the ID into Data.
//
// Cost: 1 request to Firehose, which bills each event rounded up to 5 KB; none
// if every event is refused before it is sent.
func (s *Sink) Put(ctx context.Context, events []stream.Event) ([]stream.Outcome, error) {
	ctx = plaza.WithOperation(ctx, "stream/firehose.Sink.Put")
	what := fmt.Sprintf("firehose: put %d events into %q", len(events), s.name)
	return awssink.Put(ctx, what, events, refuse, func(events []stream.Event) ([]stream.Outcome, error) {
		records := make([]types.Record, len(events))
		for i, e := range events {
			text, err := line(e.Data)
			if err != nil {
				return nil, err
			}
			records[i].Data = text
		}
		out, err := s.client.PutRecordBatch(ctx, &sdk.PutRecordBatchInput{DeliveryStreamName: &s.name, Records: records}, once)
		if err != nil {
			return nil, err
		}
		return outcomes(out, len(events))
	})
}

// once leaves retries to stream.Deliver, which sends only what failed.
func once(o *sdk.Options) { o.RetryMaxAttempts = 1 }

func refuse(e stream.Event) error { return awssink.JSON(e.Data) }

// line ends data with the only newline it has. Inside a JSON text newlines are
// space between tokens.
func line(data []byte) ([]byte, error) {
	var b bytes.Buffer
	b.Grow(len(data) + 1)
	if bytes.ContainsAny(data, "\r\n") {
		if err := json.Compact(&b, data); err != nil {
			return nil, err
		}
	} else {
		b.Write(data)
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}

// outcomes trusts a record only by its id: an answer that lacks records, or
// counts more failures than it names, says nothing about any of them. All codes
// of a record are the service's fault.
func outcomes(out *sdk.PutRecordBatchOutput, n int) ([]stream.Outcome, error) {
	if len(out.RequestResponses) != n {
		return nil, fmt.Errorf("%w: %d records for %d events", stream.ErrOutcomes, len(out.RequestResponses), n)
	}
	made, failed := make([]stream.Outcome, n), 0
	for i, record := range out.RequestResponses {
		switch code := aws.ToString(record.ErrorCode); {
		case code != "":
			failed++
			made[i] = awssink.Refused("firehose", code, true)
		case aws.ToString(record.RecordId) == "":
			failed++
			made[i] = awssink.Unnamed("firehose")
		}
	}
	if count := int(aws.ToInt32(out.FailedPutCount)); failed < count {
		return nil, fmt.Errorf("%w: %d records failed, %d are named", stream.ErrOutcomes, count, failed)
	}
	return made, nil
}
