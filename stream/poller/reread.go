package poller

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	streamtypes "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/stream"
)

// Reread makes a DeadSource for stream.Redrive that reads the records of src's positions from their
// stream again. That includes records between them that a filter of Lambda left out. A position is
// deleted once all of its records were handled. If the stream no longer has them, it stays a position.
// The DeadSource is not safe for concurrent use.
func Reread(src stream.DeadSource, streams *dynamodbstreams.Client) (stream.DeadSource, error) {
	switch {
	case src == nil:
		return nil, &plaza.InvalidError{Field: "src", Reason: "is nil"}
	case streams == nil:
		return nil, &plaza.InvalidError{Field: "streams", Reason: "is nil"}
	}
	return &rereader{src: src, streams: streams, left: map[string]*rereadPosition{}}, nil
}

type rereader struct {
	src     stream.DeadSource
	streams *dynamodbstreams.Client
	left    map[string]*rereadPosition // by the receipt of each of their letters
	given   int
}

// rereadPosition is a position and how many of its records are not handled yet.
type rereadPosition struct {
	letter stream.Dead
	left   int
}

// Receive returns the letters of src, and those of its positions' records.
//
// Cost: as src's, and 2 requests of the stream for each position and 1,000 records.
func (r *rereader) Receive(ctx context.Context) ([]stream.Dead, error) {
	letters, err := r.src.Receive(ctx)
	if err != nil {
		return nil, err
	}
	var out []stream.Dead
	for _, letter := range letters {
		if len(letter.Record) > 0 {
			out = append(out, letter)
			continue
		}
		items, err := r.read(ctx, letter)
		if err != nil {
			return nil, fmt.Errorf("poller: read record %s of shard %s again: %w", letter.Seq, letter.Shard, err)
		}
		if len(items) == 0 {
			out = append(out, letter)
			continue
		}
		position := &rereadPosition{letter, len(items)}
		for _, item := range items {
			again := item.Dead(letter.Reason, letter.Attempts)
			if item.Err != nil {
				again.Record = []byte("{}") // it cannot be read this time either
			}
			r.given++
			again.Receipt = "reread " + strconv.Itoa(r.given)
			r.left[again.Receipt] = position
			out = append(out, again)
		}
	}
	return out, nil
}

// Delete deletes a letter, and a position with its last record.
//
// Cost: as src's.
func (r *rereader) Delete(ctx context.Context, d stream.Dead) error {
	position, ok := r.left[d.Receipt]
	if !ok {
		return r.src.Delete(ctx, d)
	}
	if position.left == 1 {
		if err := r.src.Delete(ctx, position.letter); err != nil {
			return err
		}
	}
	position.left--
	delete(r.left, d.Receipt)
	return nil
}

const (
	// emptyAnswers is how many answers without records may follow one another before
	// a position counts as gone.
	emptyAnswers = 10

	mostRecords = 10_000 // that Lambda gives to a function at once
)

// read reads the records of a position, none if the stream does not have all of
// them.
func (r *rereader) read(ctx context.Context, d stream.Dead) ([]stream.Item, error) {
	table, ok := stream.TableOf(d.Stream)
	if !ok || d.Shard == "" || d.Seq == "" {
		return nil, nil
	}
	last := d.LastSeq
	if last == "" {
		last = d.Seq
	}
	at, err := r.streams.GetShardIterator(ctx, &dynamodbstreams.GetShardIteratorInput{
		StreamArn: &d.Stream, ShardId: &d.Shard, SequenceNumber: &d.Seq,
		ShardIteratorType: streamtypes.ShardIteratorTypeAtSequenceNumber,
	})
	if gone(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var items []stream.Item
	empty := 0
	for next := at.ShardIterator; next != nil && empty < emptyAnswers; {
		got, err := r.streams.GetRecords(ctx, &dynamodbstreams.GetRecordsInput{ShardIterator: next})
		if gone(err) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		empty++
		for _, raw := range got.Records {
			empty = 0
			record, err := stream.FromSDK(raw)
			if isAfter(record.Seq, last) {
				return nil, nil
			}
			record.Stream, record.Shard, record.Table = d.Stream, d.Shard, table
			if items = append(items, stream.Item{Seq: record.Seq, Record: record, Err: err}); len(items) > mostRecords {
				return nil, nil
			}
			if record.Seq == last {
				return items, nil
			}
		}
		next = got.NextShardIterator
	}
	return nil, nil
}

// isAfter reports whether a sequence number is greater than another.
func isAfter(seq, other string) bool {
	seq, other = strings.TrimLeft(seq, "0"), strings.TrimLeft(other, "0")
	return cmp.Or(cmp.Compare(len(seq), len(other)), cmp.Compare(seq, other)) > 0
}

// gone reports whether the stream does not have a position any more.
func gone(err error) bool {
	var trimmed *streamtypes.TrimmedDataAccessException
	var missing *streamtypes.ResourceNotFoundException
	return errors.As(err, &trimmed) || errors.As(err, &missing)
}
