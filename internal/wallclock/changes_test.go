package wallclock_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/faults"
)

// The test compares schedules with the clock of every minute around every change of every
// zone from 2010 to 2030; by default, around every fifth one.
func TestEveryClockChange(t *testing.T) {
	t.Parallel()
	for _, h := range histories(t) {
		t.Run(h.zone.String(), func(t *testing.T) {
			t.Parallel()
			for i, c := range h.changes {
				if i%faults.Size(1, 5) > 0 {
					continue
				}
				around := c.by.Abs() + 3*time.Hour
				from, to := c.at.Add(-around), c.at.Add(around)
				clock := minutes(h.zone, from, to)
				for cron, matches := range crons(amid(c, h.zone)) {
					s := parse(t, cron, h.zone.String())
					fires := []time.Time{from.Add(-1)}
					for _, m := range clock {
						if matches(m.wall) && m.at.After(fires[len(fires)-1]) {
							fires = append(fires, m.at)
						}
					}
					for i, at := range fires[1:] {
						if next := s.Next(fires[i]); !next.Equal(at) {
							t.Fatalf("%q after %s: %s, not %s", cron, fires[i], next, at)
						}
					}
					last := fires[len(fires)-1]
					require.Greater(t, s.Next(last), to, "%q after %s", cron, last)
					for _, at := range []time.Time{c.at.Add(-1), c.at, c.at.Add(c.by.Abs() / 2), c.at.Add(c.by.Abs())} {
						obeysLaws(t, s, at)
					}
				}
			}
		})
	}
}

// minute is a minute of the wall clock and when it happens: when the clock first shows it
// or, if it is skipped, when the clock is first past it.
type minute struct{ wall, at time.Time }

// minutes reads the clock once a minute. In these years it changes by whole minutes.
func minutes(zone *time.Location, from, to time.Time) (all []minute) {
	var looks []minute
	first := make(map[time.Time]time.Time)
	for at := from; !at.After(to); at = at.Add(time.Minute) {
		shown := wall(at, zone)
		looks = append(looks, minute{shown, at})
		if _, repeated := first[shown]; !repeated {
			first[shown] = at
		}
	}
	for w := wall(from, zone); !w.After(wall(to, zone)); w = w.Add(time.Minute) {
		at, shown := first[w]
		if !shown {
			at = looks[slices.IndexFunc(looks, func(m minute) bool { return m.wall.After(w) })].at
		}
		all = append(all, minute{w, at})
	}
	return all
}

// amid returns the middle of the wall times that the change skips or repeats.
func amid(c change, zone *time.Location) time.Time {
	if c.by < 0 {
		return wall(c.at.Add(-c.by/2), zone)
	}
	return wall(c.at, zone).Add(-c.by / 2)
}

// crons returns schedules for the hours around a change, each with its meaning.
func crons(amid time.Time) map[string]func(wall time.Time) bool {
	return map[string]func(time.Time) bool{
		"* * * * *":    func(time.Time) bool { return true },
		"*/15 * * * *": func(w time.Time) bool { return w.Minute()%15 == 0 },
		"@hourly":      func(w time.Time) bool { return w.Minute() == 0 },
		"@daily":       func(w time.Time) bool { return w.Minute() == 0 && w.Hour() == 0 },
		"5-50/9 1-3 * * *": func(w time.Time) bool {
			return w.Minute()%9 == 5 && w.Minute() <= 50 && w.Hour() >= 1 && w.Hour() <= 3
		},
		fmt.Sprintf("%d %d * * *", amid.Minute(), amid.Hour()): func(w time.Time) bool {
			return w.Minute() == amid.Minute() && w.Hour() == amid.Hour()
		},
	}
}
