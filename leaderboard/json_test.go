package leaderboard_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/leaderboard"
)

// A service may answer these values as they are.
func TestReturnedValuesMarshalToClientJSON(t *testing.T) {
	t.Parallel()
	op := ids.At(noon)
	position := leaderboard.Position{Ordinal: 3, Rank: 2, AsOf: noon}
	for name, c := range map[string]struct {
		given any
		read  any // a pointer to decode into
		want  string
	}{
		"a standing": {
			leaderboard.Standing{Position: position, Player: "ann", Name: "Ann", Score: leaderboard.Int(1 << 62), Sub: 7, At: noon, Meta: json.RawMessage(`{"replay":7}`)},
			new(leaderboard.Standing),
			`{"ordinal":3,"rank":2,"asOf":"2026-03-10T12:00:00Z","player":"ann","name":"Ann","score":"4611686018427387904","sub":7,"at":"2026-03-10T12:00:00Z","meta":{"replay":7}}`,
		},
		"a hidden one has no rank": {
			leaderboard.Standing{Player: "ann", Score: leaderboard.Float(0.5), At: noon},
			new(leaderboard.Standing),
			`{"player":"ann","score":"0.5","at":"2026-03-10T12:00:00Z"}`,
		},
		"a position": {position, new(leaderboard.Position), `{"ordinal":3,"rank":2,"asOf":"2026-03-10T12:00:00Z"}`},
		"a folded rank": {
			leaderboard.Position{Ordinal: 3, Rank: 2, AsOf: noon, Folded: true}, new(leaderboard.Position),
			`{"ordinal":3,"rank":2,"asOf":"2026-03-10T12:00:00Z","folded":true}`,
		},
		"an entry": {
			leaderboard.Entry{Board: "b", Period: forever, Score: leaderboard.Int(-1), Name: "Ann", Meta: json.RawMessage(`[1]`), Hidden: true},
			new(leaderboard.Entry),
			`{"board":"b","period":"` + forever + `","score":"-1","name":"Ann","meta":[1],"hidden":true}`,
		},
		"an entry without more": {leaderboard.Entry{Board: "b", Period: forever}, new(leaderboard.Entry), `{"board":"b","period":"` + forever + `","score":"0"}`},
		"a result": {
			leaderboard.Result{Op: op, Period: forever, Old: leaderboard.Float(1), New: leaderboard.Float(2), Existed: true, Improved: true},
			new(leaderboard.Result),
			`{"op":"` + op.String() + `","period":"` + forever + `","old":"1.0","new":"2.0","existed":true,"improved":true}`,
		},
		"a period":                {leaderboard.Period{Name: forever, Start: noon, End: noon.Add(time.Hour)}, new(leaderboard.Period), `{"name":"` + forever + `","start":"2026-03-10T12:00:00Z","end":"2026-03-10T13:00:00Z"}`},
		"a period without an end": {leaderboard.Period{Name: forever, Start: noon}, new(leaderboard.Period), `{"name":"` + forever + `","start":"2026-03-10T12:00:00Z"}`},
		"a drift":                 {leaderboard.Drift{Broken: 1}, new(leaderboard.Drift), `{"broken":1,"lagging":0,"misfolded":0}`},
	} {
		text, err := json.Marshal(c.given)
		require.NoError(t, err, name)
		require.JSONEq(t, c.want, string(text), name)
		require.NoError(t, json.Unmarshal(text, c.read), name)
		again, err := json.Marshal(c.read)
		require.NoError(t, err, name)
		require.Equal(t, string(text), string(again), name)
	}
}
