// Package streamtest reads the real stream of a test's table.
package streamtest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	streamtypes "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
	"github.com/guregu/dynamo/v2"

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
	twice bool              // a record that the stream delivers again counts
}

// New begins at the stream's first record.
func New(ctx context.Context, db *dynamo.DB, table string) (*Tail, error) {
	client, ok := db.Client().(*dynamodb.Client)
	if !ok {
		return nil, errors.New("streamtest: db has another client")
	}
	o := client.Options()
	tail := &Tail{
		table: table,
		db:    client,
		streams: dynamodbstreams.New(dynamodbstreams.Options{
			BaseEndpoint: o.BaseEndpoint, Region: o.Region, Credentials: o.Credentials, HTTPClient: o.HTTPClient,
		}),
		at:   map[string]string{},
		seen: map[string]bool{},
	}
	described, err := tail.db.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &table})
	if err != nil {
		return nil, fmt.Errorf("streamtest: %w", err)
	}
	if tail.arn = aws.ToString(described.Table.LatestStreamArn); tail.arn == "" {
		return nil, fmt.Errorf("streamtest: table %s has no stream", table)
	}
	return tail, nil
}

// markPK is the partition of the items by which a Tail knows how far it has to
// read.
const markPK = "~streamtest"

// Records are those of all writes since the last call. The Tail writes an item of
// its own, and reads until the stream has it.
func (tail *Tail) Records(ctx context.Context) (records []stream.Record, err error) {
	mark := store.Key{PK: markPK, SK: rand.Text()}
	_, err = tail.db.PutItem(ctx, &dynamodb.PutItemInput{
		TableName: &tail.table,
		Item: map[string]types.AttributeValue{
			"pk": &types.AttributeValueMemberS{Value: mark.PK}, "sk": &types.AttributeValueMemberS{Value: mark.SK},
		},
	})
	for err == nil {
		var shards []string
		if shards, err = tail.shards(ctx); err != nil {
			break
		}
		for _, shard := range shards {
			page, err := tail.read(ctx, shard)
			if err != nil {
				return nil, fmt.Errorf("streamtest: %w", err)
			}
			for _, r := range page {
				switch key := store.KeyOf(r.Keys); {
				case key == mark:
					return records, nil
				case key.PK != markPK:
					records = append(records, r)
				}
			}
		}
	}
	return nil, fmt.Errorf("streamtest: %w", err)
}

func (tail *Tail) shards(ctx context.Context) (shards []string, err error) {
	in := &dynamodbstreams.DescribeStreamInput{StreamArn: &tail.arn}
	for {
		out, err := tail.streams.DescribeStream(ctx, in)
		if err != nil {
			return nil, err
		}
		for _, shard := range out.StreamDescription.Shards {
			shards = append(shards, aws.ToString(shard.ShardId))
		}
		if in.ExclusiveStartShardId = out.StreamDescription.LastEvaluatedShardId; in.ExclusiveStartShardId == nil {
			return shards, nil
		}
	}
}

// read reads one page. DynamoDB Local answers TrimmedDataAccess if another streamed
// table is younger: then read begins again at the first record. DynamoDB Local also
// reports each of several concurrent deletes of one item, all but one without an
// image; DynamoDB does not.
func (tail *Tail) read(ctx context.Context, shard string) (records []stream.Record, err error) {
	iterator, begun := tail.at[shard]
	if begun && iterator == "" {
		return nil, nil
	}
	if !begun {
		out, err := tail.streams.GetShardIterator(ctx, &dynamodbstreams.GetShardIteratorInput{
			StreamArn: &tail.arn, ShardId: &shard, ShardIteratorType: streamtypes.ShardIteratorTypeTrimHorizon,
		})
		if err != nil {
			return nil, err
		}
		iterator = aws.ToString(out.ShardIterator)
	}
	out, err := tail.streams.GetRecords(ctx, &dynamodbstreams.GetRecordsInput{ShardIterator: &iterator})
	var trimmed *streamtypes.TrimmedDataAccessException
	var expired *streamtypes.ExpiredIteratorException
	if errors.As(err, &trimmed) || errors.As(err, &expired) {
		delete(tail.at, shard)
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	tail.at[shard] = aws.ToString(out.NextShardIterator)
	for _, raw := range out.Records {
		if raw.EventName == streamtypes.OperationTypeRemove && raw.Dynamodb.OldImage == nil {
			continue
		}
		if seq := aws.ToString(raw.Dynamodb.SequenceNumber); !tail.seen[seq] || tail.twice {
			tail.seen[seq] = true
			r, err := stream.FromSDK(raw)
			if err != nil {
				return nil, err
			}
			r.Stream, r.Shard, r.Table = tail.arn, shard, tail.table
			records = append(records, r)
		}
	}
	return records, nil
}
