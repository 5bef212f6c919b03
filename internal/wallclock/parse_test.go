package wallclock_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/wallclock"
)

func TestBadInputNamesItsField(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ cron, zone, field string }{
		"no cron":               {"", "", "Cron"},
		"no cron fields":        {"midnight", "", "Cron"},
		"four fields":           {"0 0 * *", "", "Cron"},
		"seconds":               {"0 0 0 * * *", "", "Cron"},
		"out of range":          {"60 0 * * *", "", "Cron"},
		"unknown descriptor":    {"@fortnightly", "", "Cron"},
		"an interval":           {"@every 24h", "", "Cron"},
		"a zone in cron":        {"TZ=Asia/Tokyo 0 0 * * *", "", "Cron"},
		"CRON_TZ":               {"CRON_TZ=Asia/Tokyo 0 0 * * *", "", "Cron"},
		"a zone and no fields":  {"TZ=Asia/Tokyo", "", "Cron"},
		"31 February":           {"0 0 31 2 *", "", "Cron"},
		"31st of short months":  {"0 0 31 2,4,6,9,11 *", "", "Cron"},
		"no minutes":            {", 0 * * *", "", "Cron"},
		"no hours":              {"0 , * * *", "", "Cron"},
		"no days of the month":  {"0 0 , * MON", "", "Cron"},
		"no months":             {"0 0 * , *", "", "Cron"},
		"no days of the week":   {"0 0 1 * ,", "", "Cron"},
		"cron is too long":      {strings.Repeat("0,", 124) + "0 0 * * *", "", "Cron"},
		"unknown zone":          {"@daily", "Mars/Olympus_Mons", "Zone"},
		"no name of a zone":     {"@daily", "../zone", "Zone"},
		"the machine's zone":    {"@daily", "Local", "Zone"},
		"its name on some":      {"@daily", "localtime", "Zone"},
		"an offset is no zone":  {"@daily", "+01:00", "Zone"},
		"cron is checked first": {"", "Local", "Cron"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := wallclock.Parse(c.cron, c.zone, nil)
			var invalid *plaza.InvalidError
			require.ErrorAs(t, err, &invalid)
			assert.Equal(t, c.field, invalid.Field)
			assert.Zero(t, s)
		})
	}
}

func TestLongestCronIsAccepted(t *testing.T) {
	t.Parallel()
	parse(t, strings.Repeat("0,", 123)+"00 0 * * *", "")
}
