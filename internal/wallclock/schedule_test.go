package wallclock_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/wallclock"
)

func parse(t testing.TB, cron, zone string) wallclock.Schedule {
	t.Helper()
	s, err := wallclock.Parse(cron, zone, nil)
	require.NoError(t, err, "%q in %q", cron, zone)
	return s
}

func utc(t testing.TB, text string) time.Time {
	t.Helper()
	at, err := time.Parse("2006-01-02T15:04Z", text)
	require.NoError(t, err)
	return at
}

func TestScheduleFollowsTheWallClock(t *testing.T) {
	for name, c := range map[string]struct {
		zone, cron string
		fires      []string // in order
	}{
		"UTC":                                 {"", "@daily", []string{"2024-02-28T00:00Z", "2024-02-29T00:00Z", "2024-03-01T00:00Z"}},
		"days of month or of week":            {"UTC", "30 12 31 1,3 MON", []string{"2024-01-29T12:30Z", "2024-01-31T12:30Z", "2024-03-04T12:30Z"}},
		"yearly":                              {"Asia/Kolkata", "@yearly", []string{"2023-12-31T18:30Z", "2024-12-31T18:30Z"}},
		"29 February, once in eight years":    {"", "0 0 29 2 *", []string{"2096-02-29T00:00Z", "2104-02-29T00:00Z", "2108-02-29T00:00Z"}},
		"the last day of a leap year by rule": {"America/New_York", "@daily", []string{"2040-12-30T05:00Z", "2040-12-31T05:00Z", "2041-01-01T05:00Z", "2041-01-02T05:00Z"}},

		"a skipped time":            {"America/New_York", "30 2 * * *", []string{"2024-03-09T07:30Z", "2024-03-10T07:00Z", "2024-03-11T06:30Z"}},
		"several skipped times":     {"America/New_York", "*/20 1-3 * * *", []string{"2024-03-10T06:40Z", "2024-03-10T07:00Z", "2024-03-10T07:20Z"}},
		"a skipped midnight":        {"America/Sao_Paulo", "@daily", []string{"2018-11-03T03:00Z", "2018-11-04T03:00Z", "2018-11-05T02:00Z"}},
		"a skipped day":             {"Pacific/Apia", "@daily", []string{"2011-12-29T10:00Z", "2011-12-30T10:00Z", "2011-12-31T10:00Z"}},
		"a skipped day of the week": {"Pacific/Apia", "0 12 * * FRI", []string{"2011-12-23T22:00Z", "2011-12-30T10:00Z", "2012-01-05T22:00Z"}},

		"a repeated time":              {"America/New_York", "30 1 * * *", []string{"2024-11-02T05:30Z", "2024-11-03T05:30Z", "2024-11-04T06:30Z"}},
		"a repeated hour":              {"America/New_York", "@hourly", []string{"2024-11-03T04:00Z", "2024-11-03T05:00Z", "2024-11-03T07:00Z"}},
		"a repeated midnight":          {"America/Havana", "@daily", []string{"2024-11-02T04:00Z", "2024-11-03T04:00Z", "2024-11-04T05:00Z"}},
		"midnight, a minute before it": {"America/St_Johns", "@daily", []string{"2010-11-06T02:30Z", "2010-11-07T02:30Z", "2010-11-08T03:30Z"}},
		"midnight, put off by an hour": {"America/Sao_Paulo", "@daily", []string{"2018-02-17T02:00Z", "2018-02-18T03:00Z", "2018-02-19T03:00Z"}},
	} {
		s := parse(t, c.cron, c.zone)
		for i, text := range c.fires[1:] {
			from, to := utc(t, c.fires[i]), utc(t, text)
			for n := range 7 {
				at := from.Add(to.Sub(from) / 7 * time.Duration(n))
				assert.Equal(t, from, s.Prev(at), name)
				assert.Equal(t, to, s.Next(at), name)
			}
			assert.Equal(t, from, s.Prev(to.Add(-1)), name)
			assert.Equal(t, to, s.Next(to.Add(-1)), name)
		}
	}
}

func TestLocationAndMonotonicClockOfAnInstantDoNotMatter(t *testing.T) {
	s := parse(t, "@daily", "Asia/Tokyo")
	now := time.Now()
	for _, same := range []time.Time{now.Round(0), now.In(time.FixedZone("", 5*60*60)), now.UTC()} {
		require.Equal(t, s.Next(now), s.Next(same))
		require.Equal(t, s.Prev(now), s.Prev(same))
	}
}
