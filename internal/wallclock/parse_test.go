package wallclock_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/wallclock"
)

func TestBadInputNamesItsField(t *testing.T) {
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
		s, err := wallclock.Parse(c.cron, c.zone, nil)
		var invalid *plaza.InvalidError
		require.ErrorAs(t, err, &invalid, name)
		assert.Equal(t, c.field, invalid.Field, name)
		assert.Zero(t, s, name)
	}
}

func TestLongestCronIsAccepted(t *testing.T) {
	parse(t, strings.Repeat("0,", 123)+"00 0 * * *", "")
}

func TestAMachineWithoutZonesIsUnavailable(t *testing.T) {
	none := func(string) (*time.Location, error) { return nil, errors.New("no such file") }
	for _, zone := range []string{"Europe/London", "Asia/Shanghai", "America/Argentina/Buenos_Aires", "Etc/GMT+5", "EST5EDT", "America/Port-au-Prince", "Mars/Olympus_Mons"} {
		_, err := wallclock.Parse("@daily", zone, none)
		require.ErrorIs(t, err, plaza.ErrUnavailable, zone)
		require.NotErrorIs(t, err, plaza.ErrInvalid, zone)
	}
	for _, zone := range []string{"../zone", "/etc/zone", "Europe/", "Europe//London", "+01:00", "Local", "localtime", "Europe/../London", `Europe\London`, "\x00"} {
		_, err := wallclock.Parse("@daily", zone, none)
		require.ErrorIs(t, err, plaza.ErrInvalid, zone)
	}
	_, err := wallclock.Parse("@daily", "", none)
	require.NoError(t, err, "UTC needs no files")
}

// The machine has all zones except one.
func TestAMissingZoneIsInvalid(t *testing.T) {
	for _, missing := range []string{"Asia/Shanghai", "Europe/London"} {
		_, err := wallclock.Parse("@daily", missing, func(name string) (*time.Location, error) {
			if name == missing {
				return nil, errors.New("no such file")
			}
			return time.LoadLocation(name)
		})
		require.ErrorIs(t, err, plaza.ErrInvalid, missing)
	}
}

func TestCheckCronLoadsNoZone(t *testing.T) {
	require.NoError(t, wallclock.CheckCron("30 2 * * *"))
	require.ErrorIs(t, wallclock.CheckCron("61 * * * *"), plaza.ErrInvalid)
}
