package stream_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/stream"
)

// letterOf is the letter of a record whose handler failed.
func letterOf(t testing.TB, r stream.Record) stream.Dead {
	t.Helper()
	raw, err := stream.Encode(r, 0)
	require.NoError(t, err)
	return stream.Dead{Stream: r.Stream, Shard: r.Shard, Seq: r.Seq, Reason: "broken", Attempts: 3, At: r.At, Record: raw}
}

func TestALettersTextStays(t *testing.T) {
	d := stream.Dead{
		Stream: arn, Shard: "shardId-1", Seq: "7", LastSeq: "9", KeyHash: "ab", Reason: "panic", Attempts: 3,
		At: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Record: []byte(`{"v":1}`), Receipt: "of a queue",
	}
	raw, err := json.Marshal(d)
	require.NoError(t, err)
	want := `{"stream":"` + arn + `","shard":"shardId-1","seq":"7","lastSeq":"9","keyHash":"ab","reason":"panic",` +
		`"attempts":3,"at":"2026-01-02T03:04:05Z","record":{"v":1}}`
	require.Equal(t, want, string(raw))
	requireLetterComesBack(t, stream.Dead{})
	for _, record := range []string{"x", `"x"`, "{", "null", `{"a":"\ud800"}`, "\xff{}", `{"a":"` + strings.Repeat("\u2028<", 3) + `"}`, "[1]"} {
		requireLetterComesBack(t, stream.Dead{Seq: "1", Record: []byte(record)})
	}
	var again stream.Dead
	require.NoError(t, json.Unmarshal([]byte(`{"seq":"1","record":null}`), &again))
	require.Empty(t, again.Record)
	require.Error(t, json.Unmarshal([]byte(`{"record":"*"}`), &again))
	require.Error(t, json.Unmarshal([]byte(`{"seq":1}`), &again))
	require.ErrorIs(t, json.Unmarshal([]byte(`{"seq":"\ud800"}`), &again), plaza.ErrInvalid)
}

func TestFitKeepsWhatFits(t *testing.T) {
	r := change("a", 1, 2)
	r.New["body"] = text(strings.Repeat("n", 1000))
	r.Old["body"] = text(strings.Repeat("o", 1000))
	d := letterOf(t, r)
	require.Equal(t, d, d.Fit(len(d.Record)))
	for limit, want := range map[int][2]bool{2000: {false, true}, 500: {false, false}} {
		got, err := stream.DecodeEvent(d.Fit(limit).Record)
		require.NoError(t, err)
		require.Equal(t, want, [2]bool{got.Old != nil, got.New != nil})
		require.True(t, got.Truncated)
	}
	for _, limit := range []int{100, 0, -1} {
		require.Empty(t, d.Fit(limit).Record, "a position is left")
		require.Equal(t, d.Seq, d.Fit(limit).Seq)
	}
	d.Record = []byte(strings.Repeat("x", 100))
	require.Empty(t, d.Fit(99).Record, "what cannot be read cannot be cut")
}
