package hackathon

import (
	"context"
	"errors"
	"maps"
	"reflect"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

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

// toBoard sends only what a board shows, and nothing where that did not change. A
// record without its images may be of anything: the board's consumer refuses it.
func toBoard(r stream.Record) (stream.Event, bool, error) {
	r.Old, r.New = shown(r.Old), shown(r.New)
	if r.Kind == stream.Modify && !r.Truncated && alike(r.Old, r.New) {
		return stream.Event{}, false, nil
	}
	return event(r, UpdateSource)
}

// shown is the part of an item that Projection reads.
func shown(item map[string]types.AttributeValue) map[string]types.AttributeValue {
	if item == nil {
		return nil
	}
	part := map[string]types.AttributeValue{}
	for _, name := range []string{"Id", "metaData", "id", "metadata", "projectScore", "userName", "version"} {
		if v, ok := item[name]; ok {
			part[name] = v
		}
	}
	if meta, ok := item["metaData"].(*types.AttributeValueMemberM); ok {
		named := map[string]types.AttributeValue{}
		if v, ok := meta.Value["hackathonName"]; ok {
			named["hackathonName"] = v
		}
		part["metaData"] = &types.AttributeValueMemberM{Value: named}
	}
	return part
}

// alike reports whether two items differ in their versions at most.
func alike(a, b map[string]types.AttributeValue) bool {
	a, b = maps.Clone(a), maps.Clone(b)
	delete(a, "version")
	delete(b, "version")
	return reflect.DeepEqual(a, b)
}

func toArchive(r stream.Record) (stream.Event, bool, error) { return event(r, OperationsSource) }

func event(r stream.Record, source string) (stream.Event, bool, error) {
	data, err := stream.Encode(r, eventBytes)
	if err != nil {
		return stream.Event{}, false, err
	}
	return stream.Event{Source: source, Type: string(r.Kind), Data: data}, true, nil
}
