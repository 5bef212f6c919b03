// Package wallclock runs cron schedules on the wall clock of a time zone, so
// that clock changes neither lose nor double a time.
//
// Zones come from the machine's database. Import time/tzdata into a program whose
// image may have none; this package does not, since that adds half a megabyte.
package wallclock

import (
	"sort"
	"time"

	"github.com/robfig/cron/v3"
)

const (
	// farthest is the largest offset from UTC that RFC 9636 allows.
	farthest = 26 * time.Hour

	// rarest is longer than the time between any two firings. 29 February may be eight
	// years away, as in 2096.
	rarest = 9 * 365 * 24 * time.Hour
)

// A Schedule fires whenever its cron fields match the zone's clock. Times that a
// clock change skips fire once, together, at the change. A repeated time fires the
// first time only.
//
// A wall time is held as the UTC time of the same figures.
type Schedule struct {
	spec *cron.SpecSchedule
	zone *time.Location
}

// Next returns when the schedule fires first after t, in UTC.
func (s Schedule) Next(t time.Time) time.Time {
	_, offset := t.In(s.zone).Zone()
	for wall := t.UTC().Add(seconds(offset)); ; {
		wall = next(s.spec, wall)
		// In a repeated hour, the next wall time has fired already.
		if at := s.at(wall); at.After(t) {
			return at
		}
	}
}

// Prev returns when the schedule fired last, at or before t, in UTC. With Next
// it gives the period of t: [Prev(t), Next(t)).
func (s Schedule) Prev(t time.Time) time.Time {
	// Of two wall times the later never fires first, so bisection finds the last one.
	// They are whole minutes.
	first := t.UTC().Add(-rarest).Truncate(time.Minute)
	minute := func(n int) time.Time { return first.Add(time.Duration(n) * time.Minute) }
	last := sort.Search(int((rarest+farthest)/time.Minute), func(n int) bool {
		return s.at(next(s.spec, minute(n))).After(t)
	})
	return s.at(minute(last))
}

// next returns the first match after a wall time, or zero if there is none in ten years.
func next(spec *cron.SpecSchedule, wall time.Time) time.Time {
	// The library goes second by second, but every match is a whole minute.
	wall = wall.Truncate(time.Minute).Add(59 * time.Second)
	match := spec.Next(wall)
	if match.IsZero() { // the library gives up after five years
		match = spec.Next(wall.AddDate(5, 0, 0))
	}
	return match
}

// at returns the first instant at which the zone's clock shows wall or later.
func (s Schedule) at(wall time.Time) time.Time {
	for t := wall.Add(-farthest).In(s.zone); ; {
		_, offset := t.Zone()
		_, end := t.ZoneBounds()
		if !end.IsZero() && !end.After(t) {
			// Go counts 365 days for every year that a zone's rule describes,
			// so on the last of a leap year the end is a day behind.
			end = end.Add(24 * time.Hour)
		}
		shown := wall.Add(-seconds(offset))
		if shown.Before(t) { // skipped
			shown = t
		}
		if end.IsZero() || shown.Before(end) {
			return shown.UTC()
		}
		t = end
	}
}

func seconds(n int) time.Duration { return time.Duration(n) * time.Second }
