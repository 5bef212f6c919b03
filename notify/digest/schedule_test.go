package digest_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/notify/digest"
)

func TestABadScheduleNamesItsField(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		digest.Schedule
		field string
	}{
		"a nanosecond":         {digest.Schedule{Every: 1}, "Every"},
		"less than a minute":   {digest.Schedule{Every: 59 * time.Second}, "Every"},
		"a negative time":      {digest.Schedule{Every: -time.Hour}, "Every"},
		"more than a day":      {digest.Schedule{Every: 24*time.Hour + time.Second}, "Every"},
		"a part of a second":   {digest.Schedule{Every: time.Minute + time.Millisecond}, "Every"},
		"after less than now":  {digest.Schedule{Every: time.Hour, After: -time.Second}, "After"},
		"after over a week":    {digest.Schedule{Every: time.Hour, After: 7*24*time.Hour + time.Second}, "After"},
		"after half a second":  {digest.Schedule{Every: time.Hour, After: 500 * time.Millisecond}, "After"},
		"after no schedule":    {digest.Schedule{After: time.Hour}, "After"},
		"after quiet hours":    {digest.Schedule{After: time.Hour, Quiet: digest.Quiet{From: "22:00", To: "07:00"}}, "After"},
		"two schedules":        {digest.Schedule{Every: time.Hour, Daily: "08:00"}, "Daily"},
		"two others":           {digest.Schedule{Weekly: "08:00", Daily: "08:00"}, "Weekly"},
		"no time":              {digest.Schedule{Daily: "8:00"}, "Daily"},
		"no time of any day":   {digest.Schedule{Daily: "24:00"}, "Daily"},
		"cron":                 {digest.Schedule{Daily: "* * * *"}, "Daily"},
		"a line more":          {digest.Schedule{Weekly: "08:00\n"}, "Weekly"},
		"no day":               {digest.Schedule{Weekly: "08:00", Day: 7}, "Day"},
		"a negative day":       {digest.Schedule{Weekly: "08:00", Day: -1}, "Day"},
		"a day of a daily one": {digest.Schedule{Daily: "08:00", Day: time.Monday}, "Day"},
		"no such zone":         {digest.Schedule{Daily: "08:00", Zone: "Mars/Olympus_Mons"}, "Zone"},
		"a path":               {digest.Schedule{Every: time.Hour, Zone: "../../etc/passwd"}, "Zone"},
		"the machine's zone":   {digest.Schedule{Daily: "08:00", Zone: "Local"}, "Zone"},
		"quiet all day":        {digest.Schedule{Daily: "08:00", Quiet: digest.Quiet{From: "22:00", To: "22:00"}}, "Quiet"},
		"quiet without an end": {digest.Schedule{Daily: "08:00", Quiet: digest.Quiet{From: "22:00"}}, "Quiet.To"},
		"quiet from no time":   {digest.Schedule{Daily: "08:00", Quiet: digest.Quiet{From: "x", To: "07:00"}}, "Quiet.From"},
		"none, in no zone":     {digest.Schedule{Zone: "Local"}, "Zone"},
	} {
		var invalid *plaza.InvalidError
		require.ErrorAs(t, c.Validate(), &invalid, name)
		require.Equal(t, "Schedule."+c.field, invalid.Field, name)
	}
}

func TestASchedulesJSONIsReadBack(t *testing.T) {
	t.Parallel()
	for text, s := range map[string]digest.Schedule{
		`{}`:               {},
		`{"every":"5m0s"}`: {Every: 5 * time.Minute},
		`{"quiet":{"from":"22:00","to":"07:00"}}`: {Quiet: digest.Quiet{From: "22:00", To: "07:00"}},
		`{"daily":"08:00"}`:                       {Daily: "08:00"},
		`{"every":"1m0s","after":"1h0m0s"}`:       {Every: time.Minute, After: time.Hour},
		`{"weekly":"00:00","day":0,"zone":"Asia/Tokyo","quiet":{"from":"22:00","to":"07:00"}}`: {
			Weekly: "00:00", Zone: "Asia/Tokyo", Quiet: digest.Quiet{From: "22:00", To: "07:00"},
		},
	} {
		require.NoError(t, s.Validate())
		written, err := json.Marshal(s)
		require.NoError(t, err)
		require.Equal(t, text, string(written))
		var read digest.Schedule
		require.NoError(t, json.Unmarshal(written, &read))
		require.Equal(t, s, read)
	}
	for _, text := range []string{`{"every":"soon"}`, `{"after":"soon"}`, `{"every":5}`, `{"day":"Monday"}`, `[]`} {
		require.Error(t, json.Unmarshal([]byte(text), new(digest.Schedule)), text)
	}
}
