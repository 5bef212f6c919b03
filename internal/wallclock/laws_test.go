package wallclock_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/wallclock"
)

// obeysLaws checks that at is in exactly one period, and that this period begins where
// another ends.
func obeysLaws(t testing.TB, s wallclock.Schedule, at time.Time) {
	t.Helper()
	prev, next := s.Prev(at), s.Next(at)
	if prev.After(at) || !next.After(at) {
		t.Fatalf("%s lies outside its period, from %s to %s", at, prev, next)
	}
	for _, law := range []struct {
		says      string
		got, want time.Time
	}{
		{"Next(Prev(t)) == Next(t)", s.Next(prev), next},
		{"Prev(Next(t)) == Next(t)", s.Prev(next), next},
		{"Prev(Next(t)-1) == Prev(t)", s.Prev(next.Add(-1)), prev},
		{"Next(Prev(t)-1) == Prev(t)", s.Next(prev.Add(-1)), prev},
	} {
		if !law.got.Equal(law.want) {
			t.Fatalf("%s for %s: %s, not %s", law.says, at, law.got, law.want)
		}
	}
}

func FuzzSchedule(f *testing.F) {
	for _, zone := range []string{
		"", "Africa/Cairo", "America/Juneau", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe", "Europe/Dublin", "Pacific/Apia", "Mars",
	} {
		for _, cron := range []string{
			"@hourly", "@daily", "@weekly", "@monthly", "@yearly", "@every 1h", "TZ=UTC 0 0 * * *",
			"*/7 1-3 * * *", "30 2 1,15 * MON-FRI", "0 0 29 2 ?", "0 0 31 2 *", "59 23 31 12 *",
		} {
			f.Add(cron, zone, int64(1_325_239_200), uint32(3600))  // as Samoa skipped a day
			f.Add(cron, zone, int64(-3_225_169_588), uint32(0))    // as Alaska repeated one
			f.Add(cron, zone, int64(4_133_894_400), uint32(86400)) // 2100-12-31
		}
	}
	const years = 9000 * 365 * 86400 // before and after 1970
	f.Fuzz(func(t *testing.T, cron, zone string, unix int64, gap uint32) {
		s, err := wallclock.Parse(cron, zone, nil)
		if err != nil {
			var invalid *plaza.InvalidError
			require.ErrorAs(t, err, &invalid)
			require.Contains(t, []string{"Cron", "Zone"}, invalid.Field)
			require.Zero(t, s)
			return
		}
		at := time.Unix(unix%years, 0)
		later := at.Add(time.Duration(gap) * time.Second)
		obeysLaws(t, s, at)
		obeysLaws(t, s, later)
		require.False(t, s.Next(later).Before(s.Next(at)))
		require.False(t, s.Prev(later).Before(s.Prev(at)))
	})
}
