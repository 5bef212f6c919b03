package leaderboard_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/leaderboard"
)

// zoneless returns the options of a process on a machine without zone files.
func zoneless() *leaderboard.Options {
	o := new(leaderboard.Options)
	o.SetZones(func(string) (*time.Location, error) { return nil, errors.New("no such file") })
	return o
}

func TestStoredPeriodsAreServedWithoutZoneFiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.define(t, leaderboard.Board{Name: "b", Cron: "@daily", Zone: "Asia/Shanghai", Grace: time.Hour})
	w.play(t, "b", "ann 5", "bob 6")
	poor := w.process(t, zoneless())
	require.Equal(t, []string{"1/1 bob 6", "2/2 ann 5"}, texts(all(t, 0, poor.top(in("b")))))
	first := poor.submit(t, score("b", "ann", 7, 0))
	require.Equal(t, "20260309T160000Z", first.Period)
	changes(t, poor.Hide, "bob", true)
	poor.isWhole(t, in("b"))
	require.Len(t, all(t, 0, poor.periodsOf("b")), 1)

	w.set(time.Date(2026, 3, 10, 16, 30, 0, 0, time.UTC)) // nobody opened a period for this day
	for name, read := range poor.reads(t, in("b"), "ann") {
		err := read()
		require.ErrorIs(t, err, plaza.ErrUnavailable, name)
		require.NotErrorIs(t, err, plaza.ErrInvalid, name)
	}
	err := poor.refusal(t, leaderboard.Submission{Board: "b", Player: "ann", Score: leaderboard.Int(8)})
	require.ErrorIs(t, err, plaza.ErrUnavailable)
	require.NotErrorIs(t, err, plaza.ErrInvalid)
	old := leaderboard.In{Board: "b", Period: first.Period}
	require.Equal(t, []string{"1/1 ann 7"}, texts(all(t, 0, poor.top(old))))
	late := score("b", "zoe", 1, 0)
	require.Equal(t, first.Period, poor.submit(t, late).Period, "in its grace")

	w.submit(t, leaderboard.Submission{Board: "b", Player: "ann", Score: leaderboard.Int(8)})
	require.Equal(t, []string{"1/1 ann 8"}, texts(all(t, 0, poor.top(in("b")))), "another machine opened it")
	poor.submit(t, leaderboard.Submission{Board: "b", Player: "ann", Score: leaderboard.Int(9)})
}

func TestDefineWithoutZoneFiles(t *testing.T) {
	t.Parallel()
	poor := newWorld(t, zoneless())
	for zone, want := range map[string]error{
		"Asia/Shanghai": plaza.ErrUnavailable, "Mars/Olympus": plaza.ErrUnavailable,
		"../zone": plaza.ErrInvalid, "+01:00": plaza.ErrInvalid, "Local": plaza.ErrInvalid,
	} {
		_, err := poor.Define(t.Context(), leaderboard.Board{Name: "b", Cron: "@daily", Zone: zone})
		require.ErrorIs(t, err, want, zone)
	}
	require.Zero(t, poor.items(t))
	poor.define(t, leaderboard.Board{Name: "b", Cron: "@daily"})
	poor.submit(t, score("b", "ann", 1, 0))

	poor.define(t, leaderboard.Board{Name: "c", Cron: "@daily", Grace: 1})
	_, err := poor.Define(t.Context(), leaderboard.Board{Name: "c", Cron: "@daily", Zone: "Asia/Shanghai"})
	require.ErrorIs(t, err, plaza.ErrUnavailable)
}
