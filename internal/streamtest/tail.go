// Package streamtest reads the real stream of a test's table.
package streamtest

import (
	"errors"
	"strconv"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	streamtypes "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/store"
	"github.com/plaza-sdk/plaza/stream"
)

// Streamed is a table's schema with a stream of new and old images.
func Streamed(schema func(name string) *dynamodb.CreateTableInput) func(name string) *dynamodb.CreateTableInput {
	return func(name string) *dynamodb.CreateTableInput {
		in := schema(name)
		in.StreamSpecification = &types.StreamSpecification{
			StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewTypeNewAndOldImages,
		}
		return in
	}
}

// Tail follows the stream of a table with the key pair that every feature has.
type Tail struct {
	table   string
	arn     string
	db      *dynamodb.Client
	streams *dynamodbstreams.Client

	at    map[string]string // the iterators by shard; "" where the shard has ended
	seen  map[string]bool   // sequence numbers
	marks int
}

// New begins at the stream's first record.
func New(t testing.TB, table string) *Tail {
	t.Helper()
	e := dynamotest.Engine(t)
	tail := &Tail{
		table:   table,
		db:      dynamodb.NewFromConfig(e.Config(), e.Options),
		streams: dynamodbstreams.NewFromConfig(e.Config()),
		at:      map[string]string{},
		seen:    map[string]bool{},
	}
	described, err := tail.db.DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: &table})
	if err != nil {
		t.Fatalf("streamtest: %v", err)
	}
	if tail.arn = aws.ToString(described.Table.LatestStreamArn); tail.arn == "" {
		t.Fatalf("streamtest: table %s has no stream", table)
	}
	return tail
}

// markPK is the partition of the items by which a Tail knows how far it has to
// read.
const markPK = "~streamtest"

// Records are those of all writes since the last call. The Tail writes an item of
// its own, and reads until the stream has it.
func (tail *Tail) Records(t testing.TB) (records []stream.Record) {
	t.Helper()
	tail.marks++
	mark := store.Key{PK: markPK, SK: strconv.Itoa(tail.marks)}
	_, err := tail.db.PutItem(t.Context(), &dynamodb.PutItemInput{
		TableName: &tail.table,
		Item: map[string]types.AttributeValue{
			"pk": &types.AttributeValueMemberS{Value: mark.PK}, "sk": &types.AttributeValueMemberS{Value: mark.SK},
		},
	})
	if err != nil {
		t.Fatalf("streamtest: %v", err)
	}
	for {
		for _, shard := range tail.shards(t) {
			for _, r := range tail.read(t, shard) {
				switch key := store.KeyOf(r.Keys); {
				case key == mark:
					return records
				case key.PK != markPK:
					records = append(records, r)
				}
			}
		}
	}
}

func (tail *Tail) shards(t testing.TB) (shards []string) {
	t.Helper()
	in := &dynamodbstreams.DescribeStreamInput{StreamArn: &tail.arn}
	for {
		out, err := tail.streams.DescribeStream(t.Context(), in)
		if err != nil {
			t.Fatalf("streamtest: %v", err)
		}
		for _, shard := range out.StreamDescription.Shards {
			shards = append(shards, aws.ToString(shard.ShardId))
		}
		if in.ExclusiveStartShardId = out.StreamDescription.LastEvaluatedShardId; in.ExclusiveStartShardId == nil {
			return shards
		}
	}
}

// read reads one page. DynamoDB Local answers TrimmedDataAccess where another
// streamed table is younger: then it begins again at the first record.
func (tail *Tail) read(t testing.TB, shard string) (records []stream.Record) {
	t.Helper()
	iterator, begun := tail.at[shard]
	if begun && iterator == "" {
		return nil
	}
	if !begun {
		out, err := tail.streams.GetShardIterator(t.Context(), &dynamodbstreams.GetShardIteratorInput{
			StreamArn: &tail.arn, ShardId: &shard, ShardIteratorType: streamtypes.ShardIteratorTypeTrimHorizon,
		})
		if err != nil {
			t.Fatalf("streamtest: %v", err)
		}
		iterator = aws.ToString(out.ShardIterator)
	}
	out, err := tail.streams.GetRecords(t.Context(), &dynamodbstreams.GetRecordsInput{ShardIterator: &iterator})
	var trimmed *streamtypes.TrimmedDataAccessException
	var expired *streamtypes.ExpiredIteratorException
	if errors.As(err, &trimmed) || errors.As(err, &expired) {
		delete(tail.at, shard)
		return nil
	}
	if err != nil {
		t.Fatalf("streamtest: %v", err)
	}
	tail.at[shard] = aws.ToString(out.NextShardIterator)
	for _, raw := range out.Records {
		if seq := aws.ToString(raw.Dynamodb.SequenceNumber); !tail.seen[seq] {
			tail.seen[seq] = true
			records = append(records, tail.record(t, shard, raw))
		}
	}
	return records
}
