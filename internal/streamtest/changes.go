package streamtest

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	streamtypes "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"github.com/plaza-sdk/plaza/stream"
)

// Changes are the typed changes of a table.
type Changes[C any] struct {
	tail *Tail
	of   func(stream.Record) ([]C, error)
}

// Watch begins at the first record of a table's stream. Of is a feature's Changes.
func Watch[C any](t testing.TB, table string, of func(stream.Record) ([]C, error)) *Changes[C] {
	t.Helper()
	return &Changes[C]{New(t, table), of}
}

// Next are the changes since the last call. A record that Of refuses fails the
// test.
func (c *Changes[C]) Next(t testing.TB) (changes []C) {
	t.Helper()
	for _, r := range c.tail.Records(t) {
		some, err := c.of(r)
		if err != nil {
			t.Fatalf("streamtest: %v", err)
		}
		changes = append(changes, some...)
	}
	return changes
}

func (tail *Tail) record(t testing.TB, shard string, raw streamtypes.Record) stream.Record {
	t.Helper()
	r := stream.Record{
		ID: aws.ToString(raw.EventID), Stream: tail.arn, Shard: shard, Table: tail.table,
		Seq: aws.ToString(raw.Dynamodb.SequenceNumber), Kind: stream.Kind(raw.EventName),
		At: aws.ToTime(raw.Dynamodb.ApproximateCreationDateTime),
	}
	var err error
	for _, image := range []struct {
		to   *map[string]types.AttributeValue
		from map[string]streamtypes.AttributeValue
	}{{&r.Keys, raw.Dynamodb.Keys}, {&r.Old, raw.Dynamodb.OldImage}, {&r.New, raw.Dynamodb.NewImage}} {
		if image.from == nil {
			continue
		}
		if *image.to, err = attributevalue.FromDynamoDBStreamsMap(image.from); err != nil {
			t.Fatalf("streamtest: %v", err)
		}
	}
	return r
}
