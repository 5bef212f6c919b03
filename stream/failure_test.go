package stream_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/stream"
)

func isOneOf(err error, targets ...error) bool {
	return slices.ContainsFunc(targets, func(target error) bool { return errors.Is(err, target) })
}

// The documents are those of AWS's documentation and of what others received.
func TestFailuresOfAWSAreLetters(t *testing.T) {
	files := lines(t, "failure/valid.ndjson")
	parse := func(line int) []stream.Dead {
		letters, err := stream.ParseFailure([]byte(files[line-1]), stream.Limits{})
		require.NoError(t, err, "line %d", line)
		for _, d := range letters {
			requireLetterComesBack(t, d)
		}
		return letters
	}
	position := stream.Dead{
		Stream: "arn:aws:dynamodb:us-east-2:123456789012:table/mytable/stream/2019-11-14T00:04:06.388",
		Shard:  "shardId-00000001573689847184-864758bb", Seq: "800000000003126276362",
		Reason: "RetryAttemptsExhausted", Attempts: 1, At: time.Date(2019, 11, 14, 0, 13, 19, 0, time.UTC),
	}
	require.Equal(t, []stream.Dead{position}, parse(1))
	several := position
	several.LastSeq = "800000000003126276372"
	require.Equal(t, []stream.Dead{several}, parse(2), "several records")
	piped := position
	piped.Attempts = 0
	require.Equal(t, []stream.Dead{piped}, parse(3), "of a pipe")

	whole := parse(4)
	require.Len(t, whole, 2, "from a bucket")
	for i, seq := range []string{"111", "112"} {
		require.Equal(t, arn, whole[i].Stream)
		require.Equal(t, position.Shard, whole[i].Shard)
		require.Equal(t, seq, whole[i].Seq)
		require.Equal(t, "RetryAttemptsExhausted", whole[i].Reason)
		require.NotEmpty(t, whole[i].KeyHash)
		r, err := stream.DecodeEvent(whole[i].Record)
		require.NoError(t, err)
		require.Equal(t, number("2"), r.New["v"])
	}
	require.Len(t, parse(5), 1)

	for _, line := range []int{6, 7, 9, 10} { // of a bus, a record, and both as the dead-letter queue of a function has them
		got := parse(line)
		require.Len(t, got, 1)
		want := stream.Dead{Stream: arn, Seq: "111", Reason: "RetriesExhausted", Attempts: 3, At: time.Unix(1479499740, 0).UTC()}
		if line > 8 {
			want.Reason, want.Attempts = "unknown", 0
		}
		r, err := stream.DecodeEvent(got[0].Record)
		require.NoError(t, err)
		require.Equal(t, attributes{"Id": text("a")}, r.Keys)
		want.KeyHash, want.Record = got[0].KeyHash, got[0].Record
		require.Equal(t, want, got[0], "line %d", line)
	}
	mixed := parse(8)
	require.Len(t, mixed, 2, "an event of a stream")
	require.Empty(t, mixed[1].KeyHash)
	require.NotEmpty(t, mixed[1].Record, "the record that cannot be read is kept as it is")
	require.Len(t, parse(11), 1)
	require.Equal(t, "unknown", parse(12)[0].Reason, "a condition is one word")
}

func TestADocumentThatIsNotAFailureIsAnError(t *testing.T) {
	for n, line := range lines(t, "failure/invalid.ndjson") {
		letters, err := stream.ParseFailure([]byte(line), stream.Limits{})
		assert.True(t, isOneOf(err, stream.ErrEvent, stream.ErrRecord), "line %d: %v", n+1, err)
		assert.Empty(t, letters)
	}
	_, err := stream.ParseFailure(make([]byte, 100), stream.Limits{Bytes: 49})
	require.ErrorIs(t, err, stream.ErrEvent)
}

// requireLetterComesBack says that a letter survives a queue.
func requireLetterComesBack(t *testing.T, d stream.Dead) {
	t.Helper()
	raw, err := json.Marshal(d)
	require.NoError(t, err)
	var again stream.Dead
	require.NoError(t, json.Unmarshal(raw, &again))
	if json.Valid(d.Record) {
		require.Equal(t, exactly(t, d.Record), exactly(t, again.Record))
		again.Record = d.Record
	}
	require.Equal(t, d, again)
}

// exactly is the value of a JSON text, whose numbers may be beyond a float64.
func exactly(t *testing.T, text []byte) (value any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	require.NoError(t, d.Decode(&value))
	return value
}
