package hackathon

import (
	"context"
	"errors"
	"reflect"

	"github.com/plaza-sdk/plaza/stream"
)

// The sources of events, by which the rules of a bus send them on.
const (
	UpdateSource     = "update.aws.dynamodb"     // to the board
	OperationsSource = "operations.aws.dynamodb" // to the archive
)

// eventBytes leaves a bus that takes 1 MiB room for what it puts around an event.
const eventBytes = 1<<20 - 4<<10

// Fanout makes a Batch that sends each change to the archive, and those that a board
// shows to the board too. The Data of an event is the record as stream.Encode writes
// it. A record that keeps failing becomes a dead letter; driven again, it is sent to
// both.
func Fanout(sink stream.Sink, policy stream.Policy, dead stream.DeadLetters) stream.Batch {
	board := stream.To(sink, toBoard, policy, dead)
	archive := stream.To(sink, toArchive, policy, dead)
	return func(ctx context.Context, records []stream.Record) []error {
		errs := board(ctx, records)
		for i, err := range archive(ctx, records) {
			if errs[i] == nil || err != nil && errors.Is(errs[i], stream.ErrHeld) {
				errs[i] = err
			}
		}
		return errs
	}
}

// toBoard has no event for a change of what no board shows. Without its images, a
// record may be of anything: the board's consumer refuses it.
func toBoard(r stream.Record) (stream.Event, bool, error) {
	if r.Kind == stream.Modify && !r.Truncated {
		same := true
		for _, name := range []string{"metaData", "projectScore", "userName"} {
			same = same && reflect.DeepEqual(r.Old[name], r.New[name])
		}
		if same {
			return stream.Event{}, false, nil
		}
	}
	return event(r, UpdateSource)
}

func toArchive(r stream.Record) (stream.Event, bool, error) { return event(r, OperationsSource) }

func event(r stream.Record, source string) (stream.Event, bool, error) {
	data, err := stream.Encode(r, eventBytes)
	if err != nil {
		return stream.Event{}, false, err
	}
	return stream.Event{Source: source, Type: string(r.Kind), Data: data}, true, nil
}
