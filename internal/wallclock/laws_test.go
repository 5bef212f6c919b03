package wallclock_test

import (
	"testing"
	"time"

	"github.com/plaza-sdk/plaza/internal/wallclock"
)

// obeysLaws checks that at lies in one period, which begins where another ends.
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
