package main

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestTheStagesMoveInPlaceOnATerminal(t *testing.T) {
	var out bytes.Buffer
	s := &stages{}
	v := &view{out: &out, moving: true, stages: s, patience: time.Minute}
	v.draw(v.panel())
	require.NotContains(t, out.String(), "A", "there is nothing to draw over")
	out.Reset()
	s.written = 4
	v.draw(v.panel())
	require.True(t, strings.HasPrefix(out.String(), "\x1b[5A"), "five rows are drawn over: %q", out.String())
	require.Equal(t, 5, strings.Count(out.String(), "\x1b[K\n"))
	require.Contains(t, out.String(), "4 changes")
}

func TestWorkThatFailsEndsAStep(t *testing.T) {
	failed := errors.New("failed")
	v := &view{out: new(bytes.Buffer), stages: &stages{}, patience: time.Minute}
	err := v.follow(t.Context(), "", func(context.Context) error { return failed })
	require.ErrorIs(t, err, failed)
}

func TestAStepThatStandsStillSaysWhatThePollerMet(t *testing.T) {
	met := errors.New("throttled")
	v := &view{out: new(bytes.Buffer), stages: &stages{written: 1, problem: met}}
	err := v.follow(t.Context(), "", func(context.Context) error { return nil })
	require.ErrorIs(t, err, met)
}

func TestBarsAreFullOnlyAtTheEnd(t *testing.T) {
	for _, c := range []struct{ n, of, want int }{{0, 0, 0}, {0, 9, 0}, {1, 1000, 1}, {999, 1000, barWidth - 1}, {9, 9, barWidth}, {10, 9, barWidth}} {
		require.Equal(t, c.want, strings.Count(bar(c.n, c.of), "█"), c)
	}
}
