package poller

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	streamtypes "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
	"github.com/aws/smithy-go"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/internal/store"
	"github.com/plaza-sdk/plaza/stream"
)

const (
	describeEvery = 100 * time.Millisecond // AWS allows ten a second
	describeTries = 5
	answerWait    = 10 * time.Second
	emptyReads    = 3 // in a row, after which an endless shard counts as ended
)

// Why a shard could not be read at a position.
var (
	errTrimmed = errors.New("poller: position is older than the shard's first record")
	errExpired = errors.New("poller: iterator expired")
	errVanish  = errors.New("poller: shard is gone")
	errEmpty   = errors.New("poller: the answer lacks what was asked for") // not DynamoDB's
)

// source reads one stream. It sends each request once: the SDK's retries would
// keep a lease's holder from noticing that its time is over.
type source struct {
	client *dynamodbstreams.Client
	arn    string
	table  string // the stream's table

	mu        sync.Mutex
	described time.Time // when DescribeStream may be called next
}

func newSource(client *dynamodbstreams.Client, arn string) (*source, error) {
	if client == nil {
		return nil, &plaza.InvalidError{Field: "streams", Reason: "is nil"}
	}
	table, ok := stream.TableOf(arn)
	if !ok {
		return nil, &plaza.InvalidError{Field: "arn", Reason: "is not a stream's ARN"}
	}
	return &source{client: client, arn: arn, table: table}, nil
}

// shard is a shard as a stream lists it.
type shard struct {
	id     string
	parent string // it may be gone
}

// listing is the shards that a stream had at one time.
type listing struct {
	shards  []shard // older ones first
	known   map[string]bool
	parents map[string]bool // shards whose children are listed
	closed  map[string]bool // shards that have all their records
	retired bool            // the stream is disabled, so nothing will be added
}

// endless reports whether a shard has children but is not closed. Perhaps no answer will
// say that it has ended. The one of a closed shard does, after any number of empty answers.
func (l *listing) endless(shard string) bool { return l.parents[shard] && !l.closed[shard] }

// list reads all pages of shards.
func (s *source) list(ctx context.Context) (*listing, error) {
	l := &listing{known: map[string]bool{}, parents: map[string]bool{}, closed: map[string]bool{}}
	in := &dynamodbstreams.DescribeStreamInput{StreamArn: &s.arn}
	for {
		out, err := s.describe(ctx, in)
		if err != nil {
			return nil, err
		}
		d := out.StreamDescription
		if d.StreamViewType != "" && d.StreamViewType != streamtypes.StreamViewTypeNewAndOldImages {
			return nil, fmt.Errorf("stream %s: %w: it has %s", s.arn, stream.ErrView, d.StreamViewType)
		}
		for _, found := range d.Shards {
			sh := shard{id: aws.ToString(found.ShardId), parent: aws.ToString(found.ParentShardId)}
			if l.known[sh.id] {
				continue
			}
			l.shards = append(l.shards, sh)
			l.known[sh.id] = true
			l.parents[sh.parent] = true
			l.closed[sh.id] = found.SequenceNumberRange != nil && found.SequenceNumberRange.EndingSequenceNumber != nil
		}
		l.retired = d.StreamStatus == streamtypes.StreamStatusDisabled
		last := aws.ToString(d.LastEvaluatedShardId)
		if last == "" || last == aws.ToString(in.ExclusiveStartShardId) {
			return l, nil
		}
		in.ExclusiveStartShardId = &last
	}
}

// describe reads one page. It waits its turn, and retries errors that may pass.
func (s *source) describe(ctx context.Context, in *dynamodbstreams.DescribeStreamInput) (out *dynamodbstreams.DescribeStreamOutput, err error) {
	for try := range describeTries {
		if err := wait(ctx, s.turn(try)); err != nil {
			return nil, err
		}
		asked, cancel := context.WithTimeout(ctx, answerWait)
		out, err = s.client.DescribeStream(asked, in, once)
		cancel()
		if err == nil && out.StreamDescription == nil {
			err = errEmpty
		}
		if err == nil {
			return out, nil
		}
		if err = classify(err); ctx.Err() != nil || errors.Is(err, plaza.ErrTable) || errors.Is(err, errVanish) {
			break
		}
		var api smithy.APIError
		if errors.As(err, &api) && api.ErrorCode() == "ValidationException" {
			err = fmt.Errorf("%w: %w", plaza.ErrTable, err)
			break
		}
	}
	return nil, fmt.Errorf("stream %s: listing shards: %w", s.arn, err)
}

// turn is how long to wait until DescribeStream may be called.
func (s *source) turn(try int) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	at := now
	if try > 0 {
		at = now.Add(backoff(try))
	}
	if at.Before(s.described) {
		at = s.described
	}
	s.described = at.Add(describeEvery)
	return at.Sub(now)
}

// Where a shard is read from.
const (
	horizon = streamtypes.ShardIteratorTypeTrimHorizon
	latest  = streamtypes.ShardIteratorTypeLatest
	after   = streamtypes.ShardIteratorTypeAfterSequenceNumber
)

// iterator returns a position in a shard: after seq or, if that is empty, where from
// says.
func (s *source) iterator(ctx context.Context, shard, seq string, from streamtypes.ShardIteratorType) (string, error) {
	in := &dynamodbstreams.GetShardIteratorInput{StreamArn: &s.arn, ShardId: &shard, ShardIteratorType: from}
	if seq != "" {
		in.ShardIteratorType, in.SequenceNumber = after, &seq
	}
	ctx, cancel := context.WithTimeout(ctx, answerWait)
	defer cancel()
	out, err := s.client.GetShardIterator(ctx, in, once)
	if err == nil && out.ShardIterator == nil {
		err = errEmpty
	}
	if err != nil {
		return "", fmt.Errorf("stream %s: shard %s: %w", s.arn, shard, classify(err))
	}
	return *out.ShardIterator, nil
}

// read reads what a shard has at a position. next is "" at the shard's end.
func (s *source) read(ctx context.Context, shard, at string) (items []stream.Item, next string, err error) {
	ctx, cancel := context.WithTimeout(ctx, answerWait)
	defer cancel()
	out, err := s.client.GetRecords(ctx, &dynamodbstreams.GetRecordsInput{ShardIterator: &at}, once)
	if err == nil && out.Records == nil { // otherwise it would be the shard's end
		err = errEmpty
	}
	if err != nil {
		return nil, "", fmt.Errorf("stream %s: shard %s: %w", s.arn, shard, classify(err))
	}
	items = make([]stream.Item, 0, len(out.Records))
	for _, r := range out.Records {
		items = append(items, s.item(shard, r))
	}
	return items, aws.ToString(out.NextShardIterator), nil
}

func (s *source) item(shard string, r streamtypes.Record) stream.Item {
	record, err := stream.FromSDK(r)
	record.Stream, record.Shard, record.Table = s.arn, shard, s.table
	return stream.Item{Seq: record.Seq, Record: record, Err: err}
}

func once(o *dynamodbstreams.Options) { o.Retryer = aws.NopRetryer{} }

// classify wraps the error of a request in the one that callers test for.
func classify(err error) error {
	var (
		trimmed *streamtypes.TrimmedDataAccessException
		expired *streamtypes.ExpiredIteratorException
		vanish  *streamtypes.ResourceNotFoundException
		api     smithy.APIError
	)
	switch {
	case errors.As(err, &trimmed):
		return fmt.Errorf("%w: %w", errTrimmed, err)
	case errors.As(err, &expired):
		return fmt.Errorf("%w: %w", errExpired, err)
	case errors.As(err, &vanish):
		return fmt.Errorf("%w: %w", errVanish, err)
	case errors.As(err, &api) && api.ErrorCode() == "AccessDeniedException":
		return fmt.Errorf("%w: %w", plaza.ErrTable, err)
	case errors.As(err, &api) && !retryable(err):
		return err // which another attempt may still pass: a key that expired, for example
	}
	if store.Unsent(err) {
		return fmt.Errorf("%w: %w", plaza.ErrUnavailable, err)
	}
	return fmt.Errorf("%w: %w", plaza.ErrBusy, err)
}

func retryable(err error) bool {
	return retry.IsErrorRetryables(retry.DefaultRetryables).IsErrorRetryable(err).Bool()
}

const (
	firstBackoff = 100 * time.Millisecond
	maxBackoff   = 5 * time.Second
)

// backoff is how long to wait after that many failures in a row, at least one.
func backoff(failures int) time.Duration {
	longest := min(firstBackoff<<min(failures-1, 10), maxBackoff)
	return longest/2 + rand.N(longest/2)
}

// wait waits for d, if that is positive, and returns the context's error if that ends first.
func wait(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	return parallel.Sleep(ctx, d)
}
