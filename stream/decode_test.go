package stream_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/stream"
)

// Each valid line is a record of a Lambda event. Decode reads the same in it as
// encoding/json does.
func TestValidRecordsAreRead(t *testing.T) {
	for n, line := range lines(t, "lambda/valid.ndjson") {
		items, err := stream.Decode(event(line), stream.Limits{})
		require.NoError(t, err, "line %d", n+1)
		require.Len(t, items, 1)
		require.NoError(t, items[0].Err, "line %d", n+1)
		require.Equal(t, items[0].Record.Seq, items[0].Seq)
		requireSame(t, line, items[0].Record)
	}
}

// requireSame compares a record with the JSON that Lambda sent.
func requireSame(t *testing.T, raw string, r stream.Record) {
	t.Helper()
	var want struct {
		EventID, EventName, EventSourceARN string
		Dynamodb                           struct {
			SequenceNumber           string
			Keys, NewImage, OldImage json.RawMessage
		}
	}
	require.NoError(t, json.Unmarshal([]byte(raw), &want))
	assert.Equal(t, want.EventID, r.ID)
	assert.Equal(t, want.EventName, string(r.Kind))
	assert.Equal(t, want.EventSourceARN, r.Stream)
	assert.Equal(t, want.Dynamodb.SequenceNumber, r.Seq)
	assert.Contains(t, want.EventSourceARN, ":table/"+r.Table+"/stream/")
	assert.Equal(t, strings.Contains(raw, `"principalId":"dynamodb.amazonaws.com"`), r.ByTTL)
	assert.Equal(t, int64(1479499740), r.At.Unix())

	encoded, err := stream.Encode(r, 0)
	require.NoError(t, err, "what is read can be written")
	var got struct{ Keys, New, Old json.RawMessage }
	require.NoError(t, json.Unmarshal(encoded, &got))
	for _, image := range []struct{ want, got json.RawMessage }{
		{want.Dynamodb.Keys, got.Keys}, {want.Dynamodb.NewImage, got.New}, {want.Dynamodb.OldImage, got.Old},
	} {
		if len(image.want) == 0 || string(image.want) == "null" {
			assert.Empty(t, image.got)
			continue
		}
		assert.JSONEq(t, string(image.want), string(image.got))
	}
}

// A bad record between two good ones is an error of its own, with its JSON and
// what can be read of its name.
func TestABadRecordIsNotTheEventsEnd(t *testing.T) {
	good := lines(t, "lambda/valid.ndjson")[0]
	for n, line := range lines(t, "lambda/invalid.ndjson") {
		items, err := stream.Decode(event(good, line, good), stream.Limits{})
		if !assert.NoError(t, err, "line %d: %.300s", n+1, line) || !assert.Len(t, items, 3) {
			continue
		}
		bad := items[1]
		assert.ErrorIs(t, bad.Err, stream.ErrRecord, "line %d: %.300s", n+1, line)
		assert.Equal(t, line, string(bad.Raw))
		assert.Nil(t, bad.Record.Keys, "what cannot be trusted is not there")
		assert.Nil(t, bad.Record.New)
		if strings.Contains(line, `"SequenceNumber":"111"`) {
			assert.Equal(t, "111", bad.Seq, "line %d", n+1)
			assert.Equal(t, "111", bad.Record.Seq)
		}
		assert.NoError(t, items[0].Err)
		assert.NoError(t, items[2].Err)
	}
}

func TestTextThatIsNotUTF8IsRefused(t *testing.T) {
	good := lines(t, "lambda/valid.ndjson")[0]
	for _, bad := range []string{"\xff", "a\xffb", `\n` + "\xc3", "\xed\xa0\x80"} {
		for _, attribute := range []string{`{"S":"` + bad + `"}`, `{"M":{"` + bad + `":{"S":"x"}}}`, `{"SS":["` + bad + `"]}`} {
			items, err := stream.Decode(event(strings.Replace(good, `{"N":"2"}`, attribute, 1), good), stream.Limits{})
			require.NoError(t, err)
			require.ErrorIs(t, items[0].Err, stream.ErrRecord, "%q", attribute)
			require.Equal(t, "111", items[0].Seq)
			require.NoError(t, items[1].Err)
		}
	}
}

func TestAStreamWithoutBothImagesIsErrView(t *testing.T) {
	for _, line := range lines(t, "lambda/view.ndjson") {
		items, err := stream.Decode(event(line), stream.Limits{})
		require.NoError(t, err)
		require.ErrorIs(t, items[0].Err, stream.ErrView)
		require.ErrorIs(t, items[0].Err, plaza.ErrTable)
		require.Equal(t, "111", items[0].Seq)
	}
}

func TestAnEventThatCannotBeReadIsAnError(t *testing.T) {
	for n, line := range lines(t, "lambda/broken.txt") {
		items, err := stream.Decode([]byte(line), stream.Limits{})
		assert.ErrorIs(t, err, stream.ErrEvent, "line %d: %.300s", n+1, line)
		assert.Empty(t, items)
	}
}

// The errors go to logs and dead letters.
func TestErrorsHoldNoDataOfTheItem(t *testing.T) {
	good := lines(t, "lambda/valid.ndjson")[0]
	for _, bad := range []string{`{"N":"SECRET"}`, `{"SECRET":"x"}`, `{"S":"SECRET`, `{"M":{"SECRET":{}}}`, `{"M":{"SECRET":{"S":"1"},"SECRET":{"S":"2"}}}`} {
		raw := event(strings.Replace(good, `{"N":"2"}`, bad, 1))
		items, err := stream.Decode(raw, stream.Limits{})
		if err == nil {
			err = items[0].Err
		}
		require.Error(t, err)
		require.NotContains(t, err.Error(), "SECRET")
	}
}

func TestLimitsBoundAnEvent(t *testing.T) {
	good := lines(t, "lambda/valid.ndjson")[0]
	raw := event(good)
	_, err := stream.Decode(raw, stream.Limits{Bytes: len(raw)})
	require.NoError(t, err)
	_, err = stream.Decode(raw, stream.Limits{Bytes: len(raw) - 1})
	require.ErrorIs(t, err, stream.ErrEvent)
	_, err = stream.Decode(make([]byte, 6<<20+1), stream.Limits{})
	require.ErrorIs(t, err, stream.ErrEvent)

	_, err = stream.Decode(event(good, good), stream.Limits{Records: 2})
	require.NoError(t, err)
	_, err = stream.Decode(event(good, good, good), stream.Limits{Records: 2})
	require.ErrorIs(t, err, stream.ErrEvent)
	_, err = stream.Decode([]byte(`{"Records":[1`+strings.Repeat(",1", 10_000)+`]}`), stream.Limits{})
	require.ErrorIs(t, err, stream.ErrEvent)

	nested := event(strings.Replace(good, `{"N":"2"}`, `{"L":[{"L":[]}]}`, 1))
	items, err := stream.Decode(nested, stream.Limits{Depth: 2})
	require.NoError(t, err)
	require.NoError(t, items[0].Err)
	items, err = stream.Decode(nested, stream.Limits{Depth: 1})
	require.NoError(t, err)
	require.ErrorIs(t, items[0].Err, stream.ErrRecord)
}

// Neither depth nor size ends the process, and neither takes long.
func TestHugeEventsAreReadOrRefused(t *testing.T) {
	good := lines(t, "lambda/valid.ndjson")[0]
	for name, attribute := range map[string]string{
		"10,000 lists":    strings.Repeat(`{"L":[`, 10_000) + `{"S":"x"}` + strings.Repeat(`]}`, 10_000),
		"10,000 maps":     strings.Repeat(`{"M":{"m":`, 10_000) + `{"S":"x"}` + strings.Repeat(`}}`, 10_000),
		"a million lists": strings.Repeat(`[`, 1_000_000) + strings.Repeat(`]`, 1_000_000),
	} {
		items, err := stream.Decode(event(strings.Replace(good, `{"N":"2"}`, attribute, 1), good), stream.Limits{})
		require.NoError(t, err, name)
		require.ErrorIs(t, items[0].Err, stream.ErrRecord, name)
		require.Equal(t, "111", items[0].Seq, name)
		require.NoError(t, items[1].Err, name)
	}

	deep := []byte(strings.Repeat(`{"a":`, 1_000_000))
	_, err := stream.Decode(deep, stream.Limits{})
	require.ErrorIs(t, err, stream.ErrEvent)

	large := strings.Replace(good, `{"N":"2"}`, `{"S":"`+strings.Repeat("x", 2<<20)+`"}`, 1)
	items, err := stream.Decode(event(large), stream.Limits{})
	require.NoError(t, err)
	require.NoError(t, items[0].Err)

	many := make([]string, 2<<20/len(good))
	for i := range many {
		many[i] = strings.Replace(good, `"111"`, fmt.Sprintf(`"%d"`, i), 1)
	}
	items, err = stream.Decode(event(many...), stream.Limits{})
	require.NoError(t, err)
	require.Len(t, items, len(many))
	for i, item := range items {
		require.Equal(t, fmt.Sprint(i), item.Seq)
		require.NoError(t, item.Err)
	}
}
