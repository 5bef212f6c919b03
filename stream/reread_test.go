package stream_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/streamtest"
	"github.com/plaza-sdk/plaza/stream"
)

// streamsClient reads the streams of the engine of this process.
func streamsClient(t testing.TB) *dynamodbstreams.Client {
	t.Helper()
	e := dynamotest.Engine(t)
	return dynamodbstreams.NewFromConfig(e.Config(), func(o *dynamodbstreams.Options) { o.BaseEndpoint = &e.Endpoint })
}

// position is where the changes from and to lie in the stream of a table that
// wrote n items, counted from 1.
func position(t *testing.T, n, from, to int) stream.Dead {
	t.Helper()
	name := dynamotest.Table(t, streamtest.Streamed(stream.Table))
	for i := range n {
		item := attributes{"pk": text(fmt.Sprint("item", i+1)), "sk": text("x")}
		require.NoError(t, dynamotest.DB(t).Table(name).Put(item).Run(t.Context()))
	}
	records, err := recordsOf(t, name)
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
	h := &handled{fail: failing(several.LastSeq)}
	q := &queue{letters: []stream.Dead{several, letterOf(t, change("a", 1, 1)), one}, atOnce: 2}
	src, err := stream.Reread(q, streamsClient(t))
	require.NoError(t, err)
	got, err := stream.Redrive(t.Context(), src, stream.Each(h.handle, 1))
	require.NoError(t, err)
	require.Equal(t, stream.Redriven{Handled: 4, Failed: 1}, got)
	require.Equal(t, []string{"1", one.Seq}, q.deleted, "a position stays until all of its records are handled")
	require.Len(t, h.all, 4)
	require.Equal(t, several.Seq, h.all[0])

	q = &queue{letters: []stream.Dead{several}, atOnce: 1}
	src, err = stream.Reread(q, streamsClient(t))
	require.NoError(t, err)
	letters, err := src.Receive(t.Context())
	require.NoError(t, err)
	require.Len(t, letters, 3)
	for i, d := range letters {
		r, err := stream.DecodeEvent(d.Record)
		require.NoError(t, err)
		require.Equal(t, text(fmt.Sprint("item", i+2)), r.New["pk"])
		require.Equal(t, several.Stream, r.Stream)
		require.Equal(t, several.Shard, r.Shard)
		require.True(t, strings.Contains(several.Stream, "table/"+r.Table+"/"))
		require.NoError(t, src.Delete(t.Context(), d))
	}
	require.Equal(t, []string{several.Seq}, q.deleted)
}

func TestAPositionThatTheStreamLacksStays(t *testing.T) {
	t.Parallel()
	d := position(t, 2, 1, 2)
	beyond, nowhere, unnamed := d, d, d
	beyond.LastSeq = "9" + d.LastSeq
	nowhere.Shard = "shardId-00000000000000000000-00000000"
	unnamed.Shard = ""
	q := &queue{letters: []stream.Dead{beyond, nowhere, unnamed}, atOnce: 3}
	src, err := stream.Reread(q, streamsClient(t))
	require.NoError(t, err)
	h := &handled{}
	got, err := stream.Redrive(t.Context(), src, stream.Each(h.handle, 1))
	require.NoError(t, err)
	require.Equal(t, stream.Redriven{Positions: 3}, got)
	require.Empty(t, q.deleted)
	require.Empty(t, h.all)
}

func TestRereadPassesOnWhatItsSourceSays(t *testing.T) {
	t.Parallel()
	for field, build := range map[string]func() (stream.DeadSource, error){
		"src":     func() (stream.DeadSource, error) { return stream.Reread(nil, streamsClient(t)) },
		"streams": func() (stream.DeadSource, error) { return stream.Reread(&queue{}, nil) },
	} {
		_, err := build()
		var invalid *plaza.InvalidError
		require.ErrorAs(t, err, &invalid)
		require.Equal(t, field, invalid.Field)
	}
	q := &queue{letters: []stream.Dead{position(t, 1, 1, 1)}, atOnce: 1, undelete: true}
	src, err := stream.Reread(q, streamsClient(t))
	require.NoError(t, err)
	_, err = stream.Redrive(t.Context(), src, stream.Each((&handled{}).handle, 1))
	require.ErrorIs(t, err, errDown)

	q.down = true
	_, err = stream.Redrive(t.Context(), src, stream.Each((&handled{}).handle, 1))
	require.ErrorIs(t, err, errDown)
}

// rereadScripted drives the position of a script's two records.
func rereadScripted(t *testing.T, s *script) (stream.Redriven, error) {
	t.Helper()
	s.add("shard-1", "", 2)
	q := &queue{letters: []stream.Dead{{Stream: s.arn, Shard: "shard-1", Seq: "1001", LastSeq: "1002"}}, atOnce: 1}
	src, err := stream.Reread(q, s.client())
	require.NoError(t, err)
	got, err := stream.Redrive(t.Context(), src, stream.Each((&handled{}).handle, 1))
	require.Empty(t, q.deleted)
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
