package wallclock_test

import (
	"testing"
	"time"
)

// TestNoMidnightIsLost walks twenty years of days in every zone.
func TestNoMidnightIsLost(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	for _, h := range histories(t) {
		t.Run(h.zone.String(), func(t *testing.T) {
			t.Parallel()
			date := func(at time.Time) time.Time { return wall(at, h.zone).Truncate(day) }
			s := parse(t, "@daily", h.zone.String())
			last := date(begin)
			for at := s.Next(begin); at.Before(end); at = s.Next(at) {
				today := date(at)
				if !today.After(last) || !date(at.Add(-1)).Before(today) {
					t.Fatalf("%s begins no new day", at)
				}
				for last = last.Add(day); last.Before(today); last = last.Add(day) {
					y, m, d := last.Date()
					if date(time.Date(y, m, d, 12, 0, 0, 0, h.zone)).Equal(last) {
						t.Fatalf("%s was passed over", last)
					}
				}
			}
		})
	}
}
