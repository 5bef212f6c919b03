// Package eventbridge is a stream.Sink to a bus of Amazon EventBridge, whose
// rules send each event on by its source and detail-type.
package eventbridge

import (
	"bytes"
	"cmp"
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/eventbridge"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge/types"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/internal/awssink"
	"github.com/plaza-sdk/plaza/stream"
)

// Options of New. The zero value works. The defaults are the service's limits.
type Options struct {
	// Events is how many events one request sends. Defaults to 10.
	Events int

	// Bytes is how large the events of one request are together, as PutEvents
	// counts them. Defaults to 1 MiB.
	Bytes int
}

// Sink puts events on a bus. It is safe for concurrent use.
type Sink struct {
	client *sdk.Client
	bus    string
	opts   Options
}

var _ stream.Sink = (*Sink)(nil)

// New does no I/O. The bus is a name or an ARN; "default" is the account's own.
func New(client *sdk.Client, bus string, opts *Options) (*Sink, error) {
	switch {
	case client == nil:
		return nil, &plaza.InvalidError{Field: "client", Reason: "is nil"}
	case bus == "":
		return nil, &plaza.InvalidError{Field: "bus", Reason: "is empty"}
	}
	s := &Sink{client: client, bus: bus, opts: args.Given(opts)}
	err := cmp.Or(
		args.DefaultAtLeast("Options.Events", &s.opts.Events, 10, 0),
		args.DefaultAtLeast("Options.Bytes", &s.opts.Bytes, 1<<20, 0),
	)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Limit implements stream.Sink.
func (s *Sink) Limit() stream.Limit {
	return stream.Limit{Events: s.opts.Events, Bytes: s.opts.Bytes, Event: s.opts.Bytes, Size: size}
}

// size counts an entry as the service documents it.
func size(e stream.Event) int {
	n := len(e.Source) + len(e.Type) + len(e.Data)
	if !e.At.IsZero() {
		n += 14
	}
	return n
}

// Put sends Data as the detail, Type as the detail-type, and Source and At. It
// does not send ID and Group: if a consumer must recognize repeats, put the ID
// into Data.
//
// Cost: 1 request to EventBridge, which bills each 64 KB of an event as one;
// none if every event is refused before it is sent.
func (s *Sink) Put(ctx context.Context, events []stream.Event) ([]stream.Outcome, error) {
	ctx = plaza.WithOperation(ctx, "stream/eventbridge.Sink.Put")
	what := fmt.Sprintf("eventbridge: put %d events on %q", len(events), s.bus)
	return awssink.Put(ctx, what, events, refuse, func(events []stream.Event) ([]stream.Outcome, error) {
		entries := make([]types.PutEventsRequestEntry, len(events))
		for i, e := range events {
			entries[i] = types.PutEventsRequestEntry{
				EventBusName: &s.bus,
				Source:       &e.Source,
				DetailType:   &e.Type,
				Detail:       aws.String(string(e.Data)),
			}
			if !e.At.IsZero() {
				entries[i].Time = &e.At
			}
		}
		out, err := s.client.PutEvents(ctx, &sdk.PutEventsInput{Entries: entries}, once)
		if err != nil {
			return nil, err
		}
		return outcomes(out, len(events))
	})
}

// once leaves retries to stream.Deliver, which sends only what failed.
func once(o *sdk.Options) { o.RetryMaxAttempts = 1 }

// refuse refuses an event for which the service would refuse its entry, or the whole request.
func refuse(e stream.Event) error {
	switch {
	case e.Source == "":
		return &plaza.InvalidError{Field: "Event.Source", Reason: "is empty"}
	case e.Type == "":
		return &plaza.InvalidError{Field: "Event.Type", Reason: "is empty"}
	}
	if err := awssink.JSON(e.Data); err != nil {
		return err
	}
	if !bytes.HasPrefix(bytes.TrimLeft(e.Data, " \t\r\n"), []byte("{")) {
		return &plaza.InvalidError{Field: "Event.Data", Reason: "is not a JSON object"}
	}
	return nil
}

// permanent has the codes of an entry that the service documents as not to be retried.
var permanent = map[string]bool{
	"AccessDeniedException":               true,
	"InvalidAccountIdException":           true,
	"InvalidArgument":                     true,
	"MalformedDetail":                     true,
	"NotAuthorizedForDetailTypeException": true,
	"NotAuthorizedForSourceException":     true,
	"RedactionFailure":                    true,
}

// outcomes trusts an entry only by its id: an answer that lacks entries, or
// counts more failures than it names, says nothing about any of them.
func outcomes(out *sdk.PutEventsOutput, n int) ([]stream.Outcome, error) {
	if len(out.Entries) != n {
		return nil, fmt.Errorf("%w: %d entries for %d events", stream.ErrOutcomes, len(out.Entries), n)
	}
	made, failed := make([]stream.Outcome, n), 0
	for i, entry := range out.Entries {
		switch code := aws.ToString(entry.ErrorCode); {
		case code != "":
			failed++
			made[i] = awssink.Refused("eventbridge", code, !permanent[code])
		case aws.ToString(entry.EventId) == "":
			failed++
			made[i] = awssink.Unnamed("eventbridge")
		}
	}
	if failed < int(out.FailedEntryCount) {
		return nil, fmt.Errorf("%w: %d entries failed, %d are named", stream.ErrOutcomes, out.FailedEntryCount, failed)
	}
	return made, nil
}
