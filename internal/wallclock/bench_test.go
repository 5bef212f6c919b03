package wallclock_test

import (
	"testing"
	"time"
)

func BenchmarkSchedule(b *testing.B) {
	at := time.Date(2024, 3, 10, 5, 30, 0, 0, time.UTC)
	for _, cron := range []string{"* * * * *", "@daily", "@yearly", "0 0 29 2 *"} {
		s := parse(b, cron, "America/New_York")
		b.Run("Next/"+cron, func(b *testing.B) {
			for b.Loop() {
				s.Next(at)
			}
		})
		b.Run("Prev/"+cron, func(b *testing.B) {
			for b.Loop() {
				s.Prev(at)
			}
		})
	}
}
