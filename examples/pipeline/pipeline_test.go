package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/plaza-sdk/plaza/examples/pipeline/hackathon"
	"github.com/plaza-sdk/plaza/plazatest"
	"github.com/plaza-sdk/plaza/stream"
)

// leaks looks for goroutines that a run left behind, except for connections to the
// engine.
func leaks(t *testing.T) {
	t.Helper()
	plazatest.Start(t, nil) // DynamoDB Local keeps running
	now := goleak.IgnoreCurrent()
	t.Cleanup(func() {
		goleak.VerifyNone(t, now,
			goleak.IgnoreAnyFunction("net/http.(*persistConn).readLoop"),
			goleak.IgnoreAnyFunction("net/http.(*persistConn).writeLoop"))
	})
}

func TestWhatIsWrittenArrives(t *testing.T) {
	leaks(t)
	var out bytes.Buffer
	require.NoError(t, run(t.Context(), []string{"-projects", "30"}, &out), out.String())
	for _, want := range []string{
		`StarWar +1\. userB 90  2\. userC 70  3\. userA 60\n`, `WarCraft +1\. userD 100\n`, // as inserted
		`StarWar +1\. userA 95\n`, `WarCraft +1\. userD 100  2\. userB 90\n`, // as changed
		`project 5: plaza: invalid argument; attempts: 1\n`,
		`project 6: plaza: invalid argument; attempts: 1\n`,
		`project 7: plaza: not found; attempts: 3\n`,
		`ok +boards`, `ok +archive +101 changes, which make the table again`, // 30 inserted, changed 60 times, and eleven of the story
		`ok +dead letters +3, all driven again\n`, `Nothing was lost\.`, `board \d+ \([1-9]\d* repeats\)`,
	} {
		require.Regexp(t, want, out.String())
	}
}

// lossy is an archive that loses a change.
type lossy struct{ stream.Sink }

func (l lossy) Put(ctx context.Context, events []stream.Event) ([]stream.Outcome, error) {
	kept := slices.DeleteFunc(slices.Clone(events), func(e stream.Event) bool { return bytes.Contains(e.Data, []byte("userC")) })
	_, err := l.Sink.Put(ctx, kept)
	return make([]stream.Outcome, len(events)), err
}

func TestAnArchiveThatLacksALineFailsTheSummary(t *testing.T) {
	o := newOutside()
	o.lines = lossy{o.lines}
	var out bytes.Buffer
	require.Error(t, play(t.Context(), o, 0, time.Minute, &out))
	require.Regexp(t, `FAIL +archive +9 changes, not 11`, out.String())
	require.Regexp(t, `ok +boards`, out.String())
	require.NotContains(t, out.String(), "Nothing was lost")
}

// through is a bus whose events are changed, or dropped, on their way.
type through struct {
	stream.Sink
	change func(*stream.Event)
}

func (b through) Put(ctx context.Context, events []stream.Event) ([]stream.Outcome, error) {
	events = slices.Clone(events)
	for i := range events {
		b.change(&events[i])
	}
	return b.Sink.Put(ctx, events)
}

func TestABoardThatIsNotTheTableFailsTheSummary(t *testing.T) {
	o := newOutside()
	o.bus = through{o.bus, func(e *stream.Event) {
		if e.Source == hackathon.UpdateSource {
			e.Data = bytes.ReplaceAll(e.Data, []byte(`"projectScore":{"N":"100"}`), []byte(`"projectScore":{"N":"101"}`))
		}
	}}
	var out bytes.Buffer
	require.Error(t, play(t.Context(), o, 0, time.Minute, &out))
	require.Regexp(t, `FAIL +boards +WarCraft`, out.String())
	require.Regexp(t, `ok +archive`, out.String())
}

func TestAPipelineThatLosesAnEventDoesNotEndWell(t *testing.T) {
	leaks(t)
	o := newOutside()
	o.bus = through{o.bus, func(e *stream.Event) {
		if e.Source == hackathon.UpdateSource {
			e.Source = "nobody's"
		}
	}}
	var out bytes.Buffer
	require.Error(t, play(t.Context(), o, 0, time.Second, &out))
	require.NotContains(t, out.String(), "Nothing was lost")
}

// broken is an archive that cannot be written at first.
type broken struct {
	stream.Sink
	left int
}

func (b *broken) Put(ctx context.Context, events []stream.Event) ([]stream.Outcome, error) {
	if b.left--; b.left >= 0 {
		return nil, errors.New("disk full")
	}
	return b.Sink.Put(ctx, events)
}

func TestAnArchiveThatFailsIsTriedAgain(t *testing.T) {
	o := newOutside()
	o.lines = &broken{Sink: o.lines, left: 2}
	var out bytes.Buffer
	require.NoError(t, play(t.Context(), o, 0, time.Minute, &out), out.String())
}

func TestAnInterruptedRunEnds(t *testing.T) {
	leaks(t)
	ctx, stop := context.WithCancelCause(t.Context())
	stopped := errors.New("stopped")
	o := newOutside()
	o.bus = through{o.bus, func(*stream.Event) { stop(stopped) }}
	require.ErrorIs(t, play(ctx, o, 0, time.Minute, new(bytes.Buffer)), stopped)
}

// The engine would fail to start.
func TestWrongArgumentsAreRefusedBeforeAnythingStarts(t *testing.T) {
	t.Setenv("DYNAMODB_ENDPOINT", "http://127.0.0.1:1")
	var out bytes.Buffer
	for _, args := range [][]string{{"x"}, {"-projects", "-1"}, {"-projects", "10001"}} {
		require.Error(t, run(t.Context(), args, &out), args)
		require.Empty(t, out.String())
	}
}

func TestAStepThatStandsStillSaysWhatThePollerMet(t *testing.T) {
	met := errors.New("throttled")
	s := &stages{written: 1, problem: met}
	require.ErrorIs(t, s.follow(t.Context(), func(context.Context) error { return nil }, 0, io.Discard), met)
}
