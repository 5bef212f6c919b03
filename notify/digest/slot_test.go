package digest_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/notify/digest"
)

func TestSlotsFollowTheUsersClock(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		digest.Schedule
		slots []string // in order
	}{
		"every hour":          {digest.Schedule{Every: time.Hour}, []string{"2026-03-10T11:00", "2026-03-10T12:00", "2026-03-10T13:00"}},
		"every seven minutes": {digest.Schedule{Every: 7 * time.Minute}, []string{"2026-03-10T11:50", "2026-03-10T11:57", "2026-03-10T12:04"}},
		"daily":               {digest.Schedule{Daily: "08:00"}, []string{"2026-03-09T08:00", "2026-03-10T08:00", "2026-03-11T08:00"}},
		"weekly":              {digest.Schedule{Weekly: "08:00", Day: time.Monday}, []string{"2026-03-02T08:00", "2026-03-09T08:00", "2026-03-16T08:00"}},
		"on Sunday":           {digest.Schedule{Weekly: "23:59"}, []string{"2026-03-01T23:59", "2026-03-08T23:59", "2026-03-15T23:59"}},
		"in a zone":           {digest.Schedule{Daily: "08:00", Zone: "Asia/Kathmandu"}, []string{"2026-03-09T02:15", "2026-03-10T02:15", "2026-03-11T02:15"}},

		"a time that the clock skips": {
			digest.Schedule{Daily: "02:30", Zone: "Europe/Berlin"},
			[]string{"2026-03-28T01:30", "2026-03-29T01:00", "2026-03-30T00:30"},
		},
		"a time that it shows twice": {
			digest.Schedule{Daily: "02:30", Zone: "Europe/Berlin"},
			[]string{"2026-10-24T00:30", "2026-10-25T00:30", "2026-10-26T01:30"},
		},
		"a summer's and a winter's day": {
			digest.Schedule{Daily: "08:00", Zone: "America/New_York"},
			[]string{"2026-10-31T12:00", "2026-11-01T13:00", "2026-11-02T13:00"},
		},

		"quiet nights": {
			digest.Schedule{Every: time.Hour, Quiet: digest.Quiet{From: "22:00", To: "07:30"}},
			[]string{"2026-03-10T20:00", "2026-03-10T21:00", "2026-03-11T07:30", "2026-03-11T08:00", "2026-03-11T09:00"},
		},
		"a quiet noon": {
			digest.Schedule{Daily: "12:00", Quiet: digest.Quiet{From: "12:00", To: "13:00"}},
			[]string{"2026-03-10T13:00", "2026-03-11T13:00"},
		},
		"its end is not quiet": {
			digest.Schedule{Daily: "13:00", Quiet: digest.Quiet{From: "12:00", To: "13:00"}},
			[]string{"2026-03-10T13:00", "2026-03-11T13:00"},
		},
		"quiet until a skipped time": {
			digest.Schedule{Every: time.Hour, Zone: "Europe/Berlin", Quiet: digest.Quiet{From: "23:00", To: "02:30"}},
			[]string{"2026-03-28T21:00", "2026-03-29T01:00", "2026-03-29T02:00"},
		},
		"quiet but for a skipped time": {
			digest.Schedule{Every: time.Hour, Zone: "Europe/Berlin", Quiet: digest.Quiet{From: "02:50", To: "02:10"}},
			[]string{"2026-03-28T01:10", "2026-03-29T01:00", "2026-03-30T00:10"},
		},
		"quiet at a skipped time": {
			digest.Schedule{Every: time.Hour, Zone: "Europe/Berlin", Quiet: digest.Quiet{From: "02:10", To: "02:50"}},
			[]string{"2026-03-29T00:00", "2026-03-29T01:00", "2026-03-29T02:00"},
		},
		"a slot on an evening, a night before": {
			digest.Schedule{Weekly: "23:00", Day: time.Friday, Quiet: digest.Quiet{From: "22:00", To: "07:00"}},
			[]string{"2026-03-07T07:00", "2026-03-14T07:00"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for i, text := range c.slots[1:] {
				from, to := utc(t, c.slots[i]), utc(t, text)
				for n := range 5 {
					at := from.Add(to.Sub(from) / 5 * time.Duration(n)).Truncate(time.Millisecond)
					requireSlot(t, c.Schedule, at, from, to)
				}
				requireSlot(t, c.Schedule, to.Add(-time.Millisecond), from, to)
			}
		})
	}
}

func utc(t testing.TB, text string) time.Time {
	t.Helper()
	at, err := time.Parse("2006-01-02T15:04", text)
	require.NoError(t, err)
	return at
}

func requireSlot(t require.TestingT, s digest.Schedule, at, from, to time.Time) {
	gotFrom, gotTo, err := digest.SlotOf(s, at)
	require.NoError(t, err)
	require.Equal(t, []time.Time{from, to}, []time.Time{gotFrom.UTC(), gotTo.UTC()}, "%v", at)
}

// TestSlotsAreThoseOfAClockThatIsWatched compares them with a reference that looks at
// the user's clock every minute.
func TestSlotsAreThoseOfAClockThatIsWatched(t *testing.T) {
	t.Parallel()
	changes := map[string][]string{ // of their clocks
		"":                    {"2026-03-10T12:00"},
		"Europe/Berlin":       {"2026-03-29T01:00", "2026-10-25T01:00"},
		"America/New_York":    {"2026-03-08T07:00", "2026-11-01T06:00"},
		"Australia/Lord_Howe": {"2026-04-04T15:00", "2026-10-03T15:30"},
		"America/Sao_Paulo":   {"2018-11-04T03:00", "2018-02-18T02:00"},
		"Africa/Casablanca":   {"2026-02-15T02:00", "2026-03-22T02:00"},
		"Asia/Kathmandu":      {"2026-03-10T12:00"},
		"Asia/Pyongyang":      {"2015-08-14T15:00", "2018-05-04T15:00"},
	}
	zones := []string{}
	for zone := range changes {
		zones = append(zones, zone)
	}
	slices.Sort(zones)
	rapid.Check(t, func(rt *rapid.T) {
		clock := rapid.Custom(func(rt *rapid.T) digest.Clock {
			hour := rapid.SampledFrom([]int{0, 1, 2, 3, 8, 12, 22, 23}).Draw(rt, "hour")
			return digest.Clock(fmt.Sprintf("%02d:%02d", hour, rapid.SampledFrom([]int{0, 10, 30, 59}).Draw(rt, "minute")))
		})
		s := digest.Schedule{Zone: rapid.SampledFrom(zones).Draw(rt, "zone")}
		switch rapid.IntRange(0, 2).Draw(rt, "kind") {
		case 0:
			s.Every = time.Duration(rapid.SampledFrom([]int{1, 5, 7, 60, 61, 1440}).Draw(rt, "every")) * time.Minute
		case 1:
			s.Daily = clock.Draw(rt, "daily")
		case 2:
			s.Weekly, s.Day = clock.Draw(rt, "weekly"), time.Weekday(rapid.IntRange(0, 6).Draw(rt, "day"))
		}
		if rapid.Bool().Draw(rt, "quiet") {
			s.Quiet = digest.Quiet{From: clock.Draw(rt, "from"), To: clock.Draw(rt, "to")}
			if s.Quiet.From == s.Quiet.To {
				s.Quiet = digest.Quiet{}
			}
		}
		change := utc(t, rapid.SampledFrom(changes[s.Zone]).Draw(rt, "change"))
		at := change.Add(time.Duration(rapid.IntRange(-2*24*3600, 2*24*3600).Draw(rt, "seconds")) * time.Second)
		from, to := watched(t, s, at)
		requireSlot(rt, s, at, from, to)
	})
}

// What comes outside the quiet hours has no digest.
func TestQuietHoursAloneAreSlots(t *testing.T) {
	t.Parallel()
	for zone, quiet := range map[string]digest.Quiet{"": {From: "22:00", To: "07:30"}, "Europe/Berlin": {From: "12:00", To: "13:00"}} {
		s := digest.Schedule{Quiet: quiet, Zone: zone}
		require.NoError(t, s.Validate())
		last := time.Time{}
		for at := utc(t, "2026-03-27T00:00"); at.Before(utc(t, "2026-04-01T00:00")); at = at.Add(10 * time.Minute) {
			from, to, err := digest.SlotOf(s, at)
			require.NoError(t, err)
			require.True(t, !from.After(at) && at.Before(to))
			require.True(t, last.IsZero() || from.Equal(last) || to.Equal(last), "no gap")
			last = to
			until, err := s.QuietUntil(at)
			require.NoError(t, err)
			loc, err := time.LoadLocation(zone)
			require.NoError(t, err)
			shown := digest.Clock(at.In(loc).Format("15:04"))
			isQuiet := quiet.From <= shown && shown < quiet.To
			if quiet.From > quiet.To {
				isQuiet = quiet.From <= shown || shown < quiet.To
			}
			require.Equal(t, isQuiet, !until.IsZero(), at)
			if isQuiet {
				require.Equal(t, to, until)
				require.Equal(t, string(quiet.To), to.In(loc).Format("15:04"))
				require.Equal(t, string(quiet.From), from.In(loc).Format("15:04"))
			}
		}
	}
	until, err := hourly.QuietUntil(noon)
	require.NoError(t, err)
	require.Zero(t, until)
	require.Error(t, func() error { _, err := digest.Schedule{Quiet: digest.Quiet{From: "x"}}.QuietUntil(noon); return err }())
}

// With After, slots of ids follow each other, end that long before they are due, and are those of
// no other After.
func TestASlotEndsBeforeItsDigestIsDue(t *testing.T) {
	t.Parallel()
	slot := func(t require.TestingT, s digest.Schedule, id ids.ID) (from, to, due ids.ID) {
		from, to, due, err := digest.SlotOfID(s, id)
		require.NoError(t, err)
		require.True(t, from <= id && id < to)
		return from, to, due
	}
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.SampledFrom([]digest.Schedule{
			{Every: time.Minute}, {Every: 7 * time.Minute}, {Daily: "08:00", Zone: "Europe/Berlin"}, {Weekly: "08:00"},
			{Every: time.Hour, Quiet: digest.Quiet{From: "22:00", To: "07:30"}},
		}).Draw(t, "schedule")
		after := rapid.IntRange(0, 7*24*3600)
		seconds := after.Draw(t, "after")
		s.After = time.Duration(seconds) * time.Second
		id := ids.At(noon) + ids.ID(rapid.Uint64Range(0, 1<<54).Draw(t, "id"))
		from, to, due := slot(t, s, id)
		require.Equal(t, ids.At(to.Time().Add(s.After)), due)
		next, _, _ := slot(t, s, to)
		require.Equal(t, to, next)
		_, end, _ := slot(t, s, from-1)
		require.Equal(t, from, end)
		plain := s
		plain.After = 0
		_, ends, _ := slot(t, plain, due-1)
		require.Equal(t, due, ends, "it is due when the schedule says")
		if other := after.Draw(t, "another"); other != seconds {
			s.After = time.Duration(other) * time.Second
			_, end, _ := slot(t, s, id)
			require.NotEqual(t, to, end)
		}
	})
}

// watched is the slot of at, found by looking at the clock from weeks before it until a
// week after it.
func watched(t testing.TB, s digest.Schedule, at time.Time) (from, to time.Time) {
	t.Helper()
	zone, err := time.LoadLocation(s.Zone)
	require.NoError(t, err)
	shown := func(now time.Time) time.Time { // the UTC time of the same figures
		_, offset := now.In(zone).Zone()
		return now.Add(time.Duration(offset) * time.Second)
	}
	now := at.Add(-17 * 24 * time.Hour).Truncate(time.Minute)
	newest := shown(now.Add(-time.Minute)) // what the clock has shown so far
	quiet, waiting := false, false
	for ; ; now = now.Add(time.Minute) {
		rings, ends := false, false
		for ; newest.Before(shown(now)); newest = newest.Add(time.Minute) {
			next := newest.Add(time.Minute)
			clock := digest.Clock(next.Format("15:04"))
			switch clock {
			case s.Quiet.From:
				quiet = true
			case s.Quiet.To:
				quiet, ends = false, true
			}
			rings = rings || clock == s.Daily || clock == s.Weekly && next.Weekday() == s.Day
		}
		rings = rings || s.Every != 0 && now.Unix()%int64(s.Every.Seconds()) == 0
		due := ends && waiting || rings && !quiet
		waiting = quiet && (rings || waiting && !ends)
		switch {
		case !due:
		case now.After(at):
			return from.UTC(), now.UTC()
		default:
			from = now
		}
	}
}
