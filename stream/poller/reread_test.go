package poller_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/streamtest"
	"github.com/plaza-sdk/plaza/stream"
	"github.com/plaza-sdk/plaza/stream/poller"
)

// streamsClient reads the streams of the engine of this process.
func streamsClient(t testing.TB) *dynamodbstreams.Client {
	t.Helper()
	e := dynamotest.Engine(t)
	return dynamodbstreams.NewFromConfig(e.Config(), func(o *dynamodbstreams.Options) { o.BaseEndpoint = &e.Endpoint })
}

// handled has the sequence numbers that were handled. One fails.
type handled struct {
	seqs []string
	fail string
}

func (h *handled) handle(_ context.Context, r stream.Record) error {
	if r.Seq == h.fail {
		return errRefused
	}
	h.seqs = append(h.seqs, r.Seq)
	return nil
}

// position is where the changes from and to lie in the stream of a table that
// wrote n items, counted from 1.
func position(t *testing.T, n, from, to int) stream.Dead {
	t.Helper()
	name := dynamotest.Table(t, streamtest.Streamed(poller.Table))
	for i := range n {
		item := map[string]string{"pk": fmt.Sprint("item", i+1), "sk": "x"}
		require.NoError(t, dynamotest.DB(t).Table(name).Put(item).Run(t.Context()))
	}
	tail, err := streamtest.New(t.Context(), dynamotest.DB(t), name)
	require.NoError(t, err)
	records, err := tail.Records(t.Context())
	require.NoError(t, err)
	require.Len(t, records, n)
	first := records[from-1]
	d := stream.Dead{Stream: first.Stream, Shard: first.Shard, Seq: first.Seq, Reason: "RetryAttemptsExhausted", Receipt: "of a queue"}
	if to != from {
		d.LastSeq = records[to-1].Seq
	}
	return d
}

func TestAPositionIsReadAgainFromItsStream(t *testing.T) {
	t.Parallel()
	several, one := position(t, 6, 2, 4), position(t, 3, 3, 3)
	image := map[string]types.AttributeValue{"pk": &types.AttributeValueMemberS{Value: "a"}}
	raw, err := stream.Encode(stream.Record{ID: "e1", Stream: several.Stream, Seq: "1", Table: "Main", Kind: stream.Insert, Keys: image, New: image}, 0)
	require.NoError(t, err)
	whole := stream.Dead{Seq: "1", Record: raw}
	h := &handled{fail: several.LastSeq}
	q := &streamtest.Queue{Letters: []stream.Dead{several, whole, one}, AtOnce: 2}
	src, err := poller.Reread(q, streamsClient(t))
	require.NoError(t, err)
	got, err := stream.Redrive(t.Context(), src, stream.Each(h.handle, 1))
	require.NoError(t, err)
	require.Equal(t, stream.Redriven{Handled: 4, Failed: 1}, got)
	require.Equal(t, []string{"1", one.Seq}, q.Deleted, "a position stays until all of its records are handled")
	require.Len(t, h.seqs, 4)
	require.Equal(t, several.Seq, h.seqs[0])

	q = &streamtest.Queue{Letters: []stream.Dead{several}, AtOnce: 1}
	src, err = poller.Reread(q, streamsClient(t))
	require.NoError(t, err)
	letters, err := src.Receive(t.Context())
	require.NoError(t, err)
	require.Len(t, letters, 3)
	for i, d := range letters {
		r, err := stream.DecodeEvent(d.Record)
		require.NoError(t, err)
		require.Equal(t, &types.AttributeValueMemberS{Value: fmt.Sprint("item", i+2)}, r.New["pk"])
		require.Equal(t, several.Stream, r.Stream)
		require.Equal(t, several.Shard, r.Shard)
		require.True(t, strings.Contains(several.Stream, "table/"+r.Table+"/"))
		require.NoError(t, src.Delete(t.Context(), d))
	}
	require.Equal(t, []string{several.Seq}, q.Deleted)
}

func TestAPositionThatTheStreamLacksStays(t *testing.T) {
	t.Parallel()
	d := position(t, 2, 1, 2)
	beyond, nowhere, unnamed := d, d, d
	beyond.LastSeq = "9" + d.LastSeq
	nowhere.Shard = "shardId-00000000000000000000-00000000"
	unnamed.Shard = ""
	q := &streamtest.Queue{Letters: []stream.Dead{beyond, nowhere, unnamed}, AtOnce: 3}
	src, err := poller.Reread(q, streamsClient(t))
	require.NoError(t, err)
	h := &handled{}
	got, err := stream.Redrive(t.Context(), src, stream.Each(h.handle, 1))
	require.NoError(t, err)
	require.Equal(t, stream.Redriven{Positions: 3}, got)
	require.Empty(t, q.Deleted)
	require.Empty(t, h.seqs)
}

func TestRereadPassesOnWhatItsSourceSays(t *testing.T) {
	t.Parallel()
	for field, build := range map[string]func() (stream.DeadSource, error){
		"src":     func() (stream.DeadSource, error) { return poller.Reread(nil, streamsClient(t)) },
		"streams": func() (stream.DeadSource, error) { return poller.Reread(&streamtest.Queue{}, nil) },
	} {
		_, err := build()
		var invalid *plaza.InvalidError
		require.ErrorAs(t, err, &invalid)
		require.Equal(t, field, invalid.Field)
	}
	q := &streamtest.Queue{Letters: []stream.Dead{position(t, 1, 1, 1)}, AtOnce: 1, DeleteErr: errRefused}
	src, err := poller.Reread(q, streamsClient(t))
	require.NoError(t, err)
	_, err = stream.Redrive(t.Context(), src, stream.Each(new(handled).handle, 1))
	require.ErrorIs(t, err, errRefused)

	q.ReceiveErr = errRefused
	_, err = stream.Redrive(t.Context(), src, stream.Each(new(handled).handle, 1))
	require.ErrorIs(t, err, errRefused)
}

// rereadScripted drives the position of a script's two records.
func rereadScripted(t *testing.T, s *script) (stream.Redriven, error) {
	t.Helper()
	s.add("shard-1", "", 2)
	q := &streamtest.Queue{Letters: []stream.Dead{{Stream: s.arn, Shard: "shard-1", Seq: "1001", LastSeq: "1002"}}, AtOnce: 1}
	src, err := poller.Reread(q, s.client())
	require.NoError(t, err)
	got, err := stream.Redrive(t.Context(), src, stream.Each(new(handled).handle, 1))
	require.Empty(t, q.Deleted)
	return got, err
}

func TestARecordOfAPositionThatCannotBeReadStays(t *testing.T) {
	t.Parallel()
	s := newScript()
	s.odd = 1002
	got, err := rereadScripted(t, s)
	require.NoError(t, err)
	require.Equal(t, stream.Redriven{Handled: 1, Unread: 1}, got)
}

func TestATrimmedPositionStaysAndOtherErrorsStop(t *testing.T) {
	t.Parallel()
	for _, op := range []string{"GetShardIterator", "GetRecords"} {
		for code, stops := range map[string]bool{"TrimmedDataAccessException": false, "ResourceNotFoundException": false, "AccessDeniedException": true} {
			s := newScript()
			s.fail = refusing(op, code)
			got, err := rereadScripted(t, s)
			require.Equal(t, stops, err != nil, "%s: %s: %v", op, code, err)
			if !stops {
				require.Equal(t, stream.Redriven{Positions: 1}, got)
			}
		}
	}
}
