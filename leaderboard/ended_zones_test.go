package leaderboard_test

import (
	"fmt"
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/leaderboard"
)

// Clocks change by half an hour on Lord Howe Island.
func TestPeriodsEndByTheWallClockWhereClocksChange(t *testing.T) {
	t.Parallel()
	for name, changes := range map[string][]time.Time{
		"Europe/Berlin":       {time.Date(2026, 3, 29, 1, 0, 0, 0, time.UTC), time.Date(2026, 10, 25, 1, 0, 0, 0, time.UTC)},
		"Australia/Lord_Howe": {time.Date(2026, 4, 4, 15, 0, 0, 0, time.UTC), time.Date(2026, 10, 3, 15, 30, 0, 0, time.UTC)},
	} {
		zone, err := time.LoadLocation(name)
		require.NoError(t, err)
		for _, change := range changes[:faults.Size(2, 1)] {
			_, before := change.Add(-time.Second).In(zone).Zone()
			_, after := change.In(zone).Zone()
			require.NotEqual(t, before, after, "the clocks change in %s at %v", name, change)
			for cron, begin := range faults.Sample(3, map[string]func(at time.Time, n int) time.Time{
				"@daily": func(at time.Time, n int) time.Time {
					return time.Date(at.Year(), at.Month(), at.Day()+n, 0, 0, 0, 0, zone)
				},
				"@weekly": func(at time.Time, n int) time.Time {
					return time.Date(at.Year(), at.Month(), at.Day()-int(at.Weekday())+7*n, 0, 0, 0, 0, zone)
				},
				"@monthly": func(at time.Time, n int) time.Time {
					return time.Date(at.Year(), at.Month()+time.Month(n), 1, 0, 0, 0, 0, zone)
				},
			}) {
				t.Run(fmt.Sprint(name, cron, change.Month()), func(t *testing.T) {
					t.Parallel()
					w := newWorld(t, nil)
					worker := w.process(t, zoneless())
					w.define(t, leaderboard.Board{Name: "b", Cron: cron, Zone: name})
					local := change.In(zone)
					for n := -1; n <= 1; n++ {
						start, end := begin(local, n), begin(local, n+1)
						for _, at := range []time.Time{start, end.Add(-time.Second)} {
							w.set(at)
							w.enter(t, "b")
						}
						w.set(end.Add(settled - time.Second))
						var c calls
						require.Zero(t, worker.deliver(t, c.do))
						w.set(end.Add(settled + time.Second))
						require.Equal(t, 1, worker.deliver(t, c.do))
						want := leaderboard.Period{Name: start.UTC().Format("20060102T150405Z"), Start: start.UTC(), End: end.UTC()}
						require.Equal(t, want, c.all[0].Period)
					}
				})
			}
		}
	}
}

// The worker's machine has other rules for the zone than the one that opened the period.
func TestTheStoredPeriodDecidesWhenItEnds(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.define(t, leaderboard.Board{Name: "b", Cron: "@daily", Zone: "Europe/Berlin"})
	w.enter(t, "b")
	o := new(leaderboard.Options)
	o.SetZones(func(name string) (*time.Location, error) { return time.FixedZone(name, 5*3600), nil })
	other := w.process(t, o)
	end := march(10, 23)
	var c calls
	w.set(end.Add(settled - time.Second))
	require.Zero(t, other.deliver(t, c.do))
	w.set(end.Add(settled + time.Second))
	require.Equal(t, 1, other.deliver(t, c.do))
	require.Equal(t, end, c.all[0].Period.End)
	other.enter(t, "b") // until the next day by its own rules
	w.set(march(11, 19).Add(settled + time.Second))
	require.Equal(t, 1, w.deliver(t, c.do))
	require.Equal(t, []time.Time{march(10, 23), march(11, 19)}, []time.Time{c.all[1].Period.Start, c.all[1].Period.End})
}
