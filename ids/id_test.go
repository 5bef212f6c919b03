package ids_test

import (
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
	"github.com/sony/sonyflake/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
)

const maxID = ids.ID(1<<63 - 1)

var epoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// lines reads an append-only file with one text on each line.
func lines(t testing.TB, name string) []string {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	require.NoError(t, err)
	text := strings.ReplaceAll(string(data), "\r\n", "\n")
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

func anyID() *rapid.Generator[ids.ID] {
	return rapid.Map(rapid.Uint64Max(uint64(maxID)), func(n uint64) ids.ID { return ids.ID(n) })
}

func TestValidTextPrintsTheSame(t *testing.T) {
	for _, line := range lines(t, "valid.txt") {
		id, err := ids.Parse(line)
		if assert.NoError(t, err, line) {
			assert.Equal(t, line, id.String())
		}
	}
}

func TestInvalidTextIsRefused(t *testing.T) {
	for _, line := range lines(t, "invalid.txt") {
		id, err := ids.Parse(line)
		assert.ErrorIs(t, err, ids.ErrInvalid, line)
		assert.ErrorIs(t, err, plaza.ErrInvalid, line)
		assert.Zero(t, id, line)
	}
}

func TestTextOfKnownIDs(t *testing.T) {
	for text, id := range map[string]ids.ID{
		"0000000000000": 0,
		"0000000000010": 32,
		"000000000003F": 111,
		"7ZZZZZZZZZZZZ": maxID,
		// 2025-01-01, sequence 3, machine 5: 31622400000 ms << 22 | 3 << 14 | 5
		"03NSNW8001G05": 31622400000<<22 | 3<<14 | 5,
	} {
		assert.Equal(t, text, id.String())
		parsed, err := ids.Parse(text)
		assert.NoError(t, err)
		assert.Equal(t, id, parsed)
	}
}

func TestTextOrderIsNumericOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := anyID().Draw(t, "a"), anyID().Draw(t, "b")
		if (a < b) != (a.String() < b.String()) {
			t.Fatalf("%d %s, %d %s", a, a, b, b)
		}
		back, err := ids.Parse(a.String())
		if err != nil || back != a {
			t.Fatalf("%d printed %s, parsed %d, %v", a, a, back, err)
		}
	})
}

func TestTimeAgreesWithSonyflake(t *testing.T) {
	flake, err := sonyflake.New(sonyflake.Settings{
		BitsSequence:  8,
		BitsMachineID: 14,
		TimeUnit:      time.Millisecond,
		StartTime:     epoch,
		MachineID:     func() (int, error) { return 0, nil },
	})
	require.NoError(t, err)
	rapid.Check(t, func(t *rapid.T) {
		at := epoch.Add(time.Duration(rapid.Int64Range(0, 1<<41-1).Draw(t, "ms")) * time.Millisecond)
		sequence, machine := rapid.IntRange(0, 255).Draw(t, "sequence"), rapid.IntRange(0, 16383).Draw(t, "machine")
		n, err := flake.Compose(at, sequence, machine)
		if err != nil {
			t.Fatal(err)
		}
		id := ids.ID(n)
		if !id.Time().Equal(at) || !flake.ToTime(n).Equal(id.Time()) {
			t.Fatalf("composed at %v, read %v", at, id.Time())
		}
		if low := ids.At(at); low > id || low.Time() != id.Time() || low != 0 && !(low-1).Time().Before(at) {
			t.Fatalf("%d is not the smallest of the millisecond of %d", low, id)
		}
	})
}

func TestAtClampsToTheRange(t *testing.T) {
	last := maxID.Time()
	for name, c := range map[string]struct {
		at   time.Time
		want ids.ID
	}{
		"zero time":                {time.Time{}, 0},
		"long before":              {time.Unix(math.MinInt64, 0), 0},
		"the nanosecond before":    {epoch.Add(-1), 0},
		"the epoch":                {epoch, 0},
		"inside a millisecond":     {epoch.Add(time.Millisecond + 999*time.Microsecond), 1 << 22},
		"another zone":             {epoch.Add(time.Second).In(time.FixedZone("", 3600)), 1000 << 22},
		"the last millisecond":     {last, maxID &^ (1<<22 - 1)},
		"past the range":           {last.Add(time.Millisecond), maxID},
		"long past, where ms wrap": {time.Unix(math.MaxInt64/1000, 0), maxID},
	} {
		assert.Equal(t, c.want, ids.At(c.at), name)
	}
	assert.Equal(t, 2069, last.Year())
	assert.Equal(t, time.UTC, last.Location())
}

func TestZeroIDIsLeftOutOfJSON(t *testing.T) {
	type doc struct {
		A ids.ID            `json:"a,omitempty"`
		B ids.ID            `json:"b,omitzero"`
		C ids.ID            `json:"c"`
		D map[ids.ID]ids.ID `json:"d,omitempty"`
		E *ids.ID           `json:"e,omitempty"`
	}
	for text, want := range map[string]doc{
		`{"c":""}`: {},
		`{"a":"0000000000001","b":"0000000000002","c":"7ZZZZZZZZZZZZ","d":{"000000000000A":"000000000000B"},"e":"000000000000C"}`: {
			A: 1, B: 2, C: maxID, D: map[ids.ID]ids.ID{10: 11}, E: new(ids.ID),
		},
	} {
		if want.E != nil {
			*want.E = 12
		}
		got, err := json.Marshal(want)
		require.NoError(t, err)
		assert.JSONEq(t, text, string(got))
		var back doc
		require.NoError(t, json.Unmarshal([]byte(text), &back))
		assert.Equal(t, want, back)
	}
}

func TestJSONThatIsNotAnIDIsRefused(t *testing.T) {
	for _, text := range []string{`12`, `1.5`, `true`, `{}`, `[]`, `"12"`, `"8000000000000"`, `"000000000000a"`, `"not there"`} {
		id := ids.ID(7)
		assert.Error(t, json.Unmarshal([]byte(text), &id), text)
		assert.Equal(t, ids.ID(7), id, text)
	}
	var id ids.ID
	assert.ErrorIs(t, json.Unmarshal([]byte(`"12"`), &id), ids.ErrInvalid)

	_, err := (maxID + 1).MarshalText()
	assert.ErrorIs(t, err, ids.ErrInvalid)
	_, err = json.Marshal(ids.ID(math.MaxUint64))
	assert.ErrorIs(t, err, ids.ErrInvalid)
}

func TestDynamoDBFormIsAString(t *testing.T) {
	type item struct {
		ID   ids.ID            `dynamo:"id"`
		None ids.ID            `dynamo:"none"`
		Set  []ids.ID          `dynamo:"set,set"`
		Of   map[ids.ID]ids.ID `dynamo:"of"`
	}
	want := item{ID: 33, Set: []ids.ID{1, 2}, Of: map[ids.ID]ids.ID{3: 4}}
	got, err := dynamo.MarshalItem(want)
	require.NoError(t, err)
	assert.Equal(t, dynamo.Item{
		"id":  &types.AttributeValueMemberS{Value: "0000000000011"},
		"set": &types.AttributeValueMemberSS{Value: []string{"0000000000001", "0000000000002"}},
		"of": &types.AttributeValueMemberM{Value: map[string]types.AttributeValue{
			"0000000000003": &types.AttributeValueMemberS{Value: "0000000000004"},
		}},
	}, got)
	var back item
	require.NoError(t, dynamo.UnmarshalItem(got, &back))
	assert.Equal(t, want, back)
}

func FuzzParse(f *testing.F) {
	for _, name := range []string{"valid.txt", "invalid.txt"} {
		for _, line := range lines(f, name) {
			f.Add(line)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		id, err := ids.Parse(text)
		if err != nil {
			if err != ids.ErrInvalid || id != 0 {
				t.Fatalf("%q gave %d, %v", text, id, err)
			}
			return
		}
		if id > maxID || id.String() != text {
			t.Fatalf("%q parsed as %d, printed %s", text, id, id)
		}
	})
}
