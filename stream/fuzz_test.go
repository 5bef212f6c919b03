package stream_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/stream"
)

// FuzzLambdaEvent reads any bytes: an event is an error, or each of its records
// is, or can be written and read again. Any input that is read is JSON.
func FuzzLambdaEvent(f *testing.F) {
	for _, file := range []string{"lambda/valid.ndjson", "lambda/invalid.ndjson", "lambda/view.ndjson"} {
		for _, line := range lines(f, file) {
			f.Add(event(line))
		}
	}
	for _, line := range lines(f, "lambda/broken.txt") {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		items, err := stream.Decode(raw, stream.Limits{})
		if err != nil {
			require.ErrorIs(t, err, stream.ErrEvent)
			require.Empty(t, items)
			return
		}
		read := true
		for _, item := range items {
			if item.Err != nil {
				read = false
				require.NotEmpty(t, item.Raw)
				continue
			}
			require.Equal(t, item.Seq, item.Record.Seq)
			requireComesBack(t, item.Record)
		}
		if read && len(items) > 0 {
			// Where nothing was skipped as bad, the strict reader accepts no more than
			// encoding/json does. The parts that it skips may hold bad strings.
			var event struct{ Records []json.RawMessage }
			if json.Valid(raw) {
				require.NoError(t, json.Unmarshal(raw, &event))
				require.Len(t, event.Records, len(items))
			}
		}
	})
}

// FuzzEncodedRecord reads any bytes as a record of a bus.
func FuzzEncodedRecord(f *testing.F) {
	for _, file := range []string{"encoded/valid.ndjson", "encoded/invalid.ndjson"} {
		for _, line := range lines(f, file) {
			f.Add([]byte(line))
		}
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		r, err := stream.DecodeEvent(raw)
		if err != nil {
			require.ErrorIs(t, err, stream.ErrRecord)
			return
		}
		requireComesBack(t, r)
	})
}

// FuzzFailure reads any bytes as the document of a failure.
func FuzzFailure(f *testing.F) {
	for _, line := range append(lines(f, "failure/valid.ndjson"), lines(f, "failure/invalid.ndjson")...) {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		letters, err := stream.ParseFailure(raw, stream.Limits{})
		if err != nil {
			require.True(t, isOneOf(err, stream.ErrEvent, stream.ErrRecord))
			require.Empty(t, letters)
		}
		for _, d := range letters {
			requireLetterComesBack(t, d)
		}
	})
}

func requireComesBack(t *testing.T, r stream.Record) {
	t.Helper()
	raw, err := stream.Encode(r, 0)
	require.NoError(t, err)
	require.True(t, json.Valid(raw))
	again, err := stream.DecodeEvent(raw)
	require.NoError(t, err)
	require.Equal(t, r, again)
}
