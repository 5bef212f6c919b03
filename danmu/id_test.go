package danmu_test

import (
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/danmu"
)

// lines reads an append-only file with one text per line.
func lines(t testing.TB, name string) []string {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	require.NoError(t, err)
	text := strings.ReplaceAll(string(data), "\r\n", "\n")
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

func TestOnlyValidIDsAreParsed(t *testing.T) {
	for _, line := range lines(t, "valid.txt") {
		id, err := danmu.ParseID(line)
		require.NoError(t, err, line)
		require.Equal(t, line, id.String())
	}
	for _, line := range lines(t, "invalid.txt") {
		id, err := danmu.ParseID(line)
		require.ErrorIs(t, err, danmu.ErrInvalidID, line)
		require.Zero(t, id, line)
	}
}

func TestProgressOfKnownIDs(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"00000000000000000000": 0,
		"0002E3R0000B8000000W": 9999 * time.Millisecond,
		"0002E400000B8000000W": 10 * time.Second,
		"00AZJ00AKJF4SA600054": 24 * time.Minute,
		"ZZZZZZZZZZZZZZZZZZZA": danmu.MaxProgress,
	} {
		id, err := danmu.ParseID(text)
		if assert.NoError(t, err, text) {
			assert.Equal(t, want, id.Progress())
		}
	}
}

// parsed returns a valid ID.
func parsed(t testing.TB) danmu.ID {
	t.Helper()
	id, err := danmu.ParseID(lines(t, "valid.txt")[1])
	require.NoError(t, err)
	return id
}

func TestZeroIDIsLeftOutOfJSON(t *testing.T) {
	type doc struct {
		A danmu.ID            `json:"a,omitzero"`
		B danmu.ID            `json:"b"`
		C map[danmu.ID]string `json:"c,omitempty"`
	}
	id := parsed(t)
	for text, want := range map[string]doc{
		`{"b":""}`: {},
		`{"a":"` + id.String() + `","b":"","c":{"` + id.String() + `":"x"}}`: {A: id, C: map[danmu.ID]string{id: "x"}},
	} {
		got, err := json.Marshal(want)
		require.NoError(t, err)
		assert.JSONEq(t, text, string(got))
		var back doc
		require.NoError(t, json.Unmarshal([]byte(text), &back))
		assert.Equal(t, want, back)
	}
	for _, text := range []string{`12`, `true`, `{}`, `"12"`, `"` + strings.ToLower(id.String()) + `"`} {
		got := id
		assert.Error(t, json.Unmarshal([]byte(text), &got), text)
		assert.Equal(t, id, got, text)
	}
}

func TestDynamoDBFormOfAnIDIsAString(t *testing.T) {
	type item struct {
		ID   danmu.ID `dynamo:"id"`
		None danmu.ID `dynamo:"none"`
	}
	want := item{ID: parsed(t)}
	got, err := dynamo.MarshalItem(want)
	require.NoError(t, err)
	assert.Equal(t, dynamo.Item{"id": &types.AttributeValueMemberS{Value: want.ID.String()}}, got)
	var back item
	require.NoError(t, dynamo.UnmarshalItem(got, &back))
	assert.Equal(t, want, back)
}

func FuzzParseID(f *testing.F) {
	for _, name := range []string{"valid.txt", "invalid.txt"} {
		for _, line := range lines(f, name) {
			f.Add(line)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		id, err := danmu.ParseID(text)
		if err != nil {
			if err != danmu.ErrInvalidID || id != (danmu.ID{}) {
				t.Fatalf("%q gave %v, %v", text, id, err)
			}
			return
		}
		if id.String() != text || id.Progress() < 0 || id.Progress() > danmu.MaxProgress {
			t.Fatalf("%q parsed as %v at %v", text, id, id.Progress())
		}
	})
}

func TestSecondsAreRounded(t *testing.T) {
	for _, s := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), -0.001, -0.0004, 4294967.296, math.MaxFloat64} {
		_, err := danmu.Seconds(s)
		require.Equal(t, "Progress", field(t, err), s)
	}
	for s, want := range map[float64]time.Duration{
		0: 0, 2.99e-5: 0, 0.0005: time.Millisecond, 20.0004: 20 * time.Second, 1439.9996: 24 * time.Minute, 4294967.295: danmu.MaxProgress,
	} {
		got, err := danmu.Seconds(s)
		require.NoError(t, err)
		require.Equal(t, want, got, s)
	}
}
