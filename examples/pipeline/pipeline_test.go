package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

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

// requireStory checks what each run prints, whatever its bus.
func requireStory(t *testing.T, text string) {
	t.Helper()
	for _, want := range []string{
		`StarWar +1\. userB 90  2\. userC 70  3\. userA 60\n`, `WarCraft +1\. userD 100\n`, // as inserted
		`StarWar +1\. userA 95\n`, `WarCraft +1\. userD 100  2\. userB 90\n`, // as changed
		`project 5: plaza: invalid argument; attempts: 1\n`,
		`project 6: plaza: invalid argument; attempts: 1\n`,
		`project 7: plaza: not found; attempts: 3\n`,
		`ok +main table`, `ok +boards`, `ok +archive`, `ok +dead letters +3, all driven again\n`, `Nothing was lost\.`,
	} {
		require.Regexp(t, want, text)
	}
}

func TestWhatIsWrittenArrives(t *testing.T) {
	leaks(t)
	path := filepath.Join(t.TempDir(), "archive.ndjson")
	var out bytes.Buffer
	require.NoError(t, run(t.Context(), []string{"-projects", "30", "-archive", path}, &out), out.String())
	requireStory(t, out.String())
	require.NotContains(t, out.String(), "\x1b")

	// 30 inserted, changed 60 times, and eleven writes of the story.
	require.Contains(t, out.String(), "101 changes, which make the table again")
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	seen := map[string]bool{}
	for line := range bytes.Lines(content) {
		record, err := stream.DecodeEvent(line)
		require.NoError(t, err)
		seen[record.ID] = true
	}
	require.Len(t, seen, 101)
	require.Greater(t, bytes.Count(content, []byte("\n")), 101, "the bus brings some events twice")
	require.Regexp(t, `[1-9]\d* repeats`, regexp.MustCompile(`(?m)^  board .*$`).FindString(out.String()[bytes.LastIndex(out.Bytes(), []byte("\nAfter")):]))
}

func TestWhatIsWrittenArrivesOverAWSServices(t *testing.T) {
	endpoint := os.Getenv("MOTO_ENDPOINT")
	if endpoint == "" && os.Getenv("CI") == "" {
		t.Skip("this needs a moto server, with its address in MOTO_ENDPOINT: pip install 'moto[server]'")
	}
	var out bytes.Buffer
	require.NoError(t, run(t.Context(), []string{"-projects", "3", "-endpoint", endpoint}, &out), out.String())
	requireStory(t, out.String())
}

// opened is what a run has outside, to be broken.
func opened(t *testing.T) *outside {
	t.Helper()
	o, err := local("")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, o.close(context.Background())) })
	return o
}

func TestAnArchiveThatLacksALineFailsTheSummary(t *testing.T) {
	o := opened(t)
	whole := o.content
	o.content = func(ctx context.Context) ([]byte, error) {
		content, err := whole(ctx)
		first, _, _ := bytes.Cut(content, []byte("\n"))
		return bytes.ReplaceAll(content, append(first, '\n'), nil), err
	}
	var out bytes.Buffer
	require.Error(t, play(t.Context(), o, 0, time.Minute, &out))
	require.Regexp(t, `FAIL +archive +10 changes, not 11`, out.String())
	require.Regexp(t, `ok +boards`, out.String())
	require.NotContains(t, out.String(), "Nothing was lost")
}

// lying changes a score on its way to the board.
type lying struct{ queue }

func (l lying) receive(ctx context.Context) ([]message, error) {
	messages, err := l.queue.receive(ctx)
	for i, m := range messages {
		messages[i].data = bytes.ReplaceAll(m.data, []byte(`"projectScore":{"N":"100"}`), []byte(`"projectScore":{"N":"101"}`))
	}
	return messages, err
}

func TestABoardThatIsNotTheTableFailsTheSummary(t *testing.T) {
	o := opened(t)
	o.board = lying{o.board}
	var out bytes.Buffer
	require.Error(t, play(t.Context(), o, 0, time.Minute, &out))
	require.Regexp(t, `FAIL +boards +WarCraft`, out.String())
	require.Regexp(t, `ok +archive`, out.String())
}

// forgetful is a board's queue that drops every message, and counts it as handled.
type forgetful struct{ queue }

func (f forgetful) receive(ctx context.Context) ([]message, error) {
	_, err := f.queue.receive(ctx)
	return nil, err
}

func TestAPipelineThatLosesAnEventDoesNotEndWell(t *testing.T) {
	leaks(t)
	o := opened(t)
	o.board = forgetful{o.board}
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
	o := opened(t)
	o.lines = &broken{Sink: o.lines, left: 2}
	var out bytes.Buffer
	require.NoError(t, play(t.Context(), o, 0, time.Minute, &out), out.String())
}

func TestAnInterruptedRunEnds(t *testing.T) {
	leaks(t)
	ctx, stop := context.WithCancelCause(t.Context())
	o := opened(t)
	o.board = stopping{o.board, stop}
	require.ErrorIs(t, play(ctx, o, 0, time.Minute, new(bytes.Buffer)), errStopped)
}

var errStopped = errors.New("stopped")

// stopping ends a run at its first message.
type stopping struct {
	queue
	stop context.CancelCauseFunc
}

func (s stopping) receive(ctx context.Context) ([]message, error) {
	messages, err := s.queue.receive(ctx)
	s.stop(errStopped)
	return messages, err
}

// The engine would fail to start.
func TestWrongArgumentsAreRefusedBeforeAnythingStarts(t *testing.T) {
	t.Setenv("DYNAMODB_ENDPOINT", "http://127.0.0.1:1")
	var out bytes.Buffer
	for _, args := range [][]string{
		{"x"}, {"-projects", "-1"}, {"-projects", "10001"}, {"-projects", "all"}, {"-endpoint", "moto"},
		{"-endpoint", "http://127.0.0.1:1", "-archive", "x"},
	} {
		require.Error(t, run(t.Context(), args, &out), args)
		require.Empty(t, out.String())
	}
	require.NoError(t, run(t.Context(), []string{"-h"}, &out))
	require.Contains(t, out.String(), "-projects")
}

func TestAnArchiveIsNotOverwritten(t *testing.T) {
	t.Setenv("DYNAMODB_ENDPOINT", "http://127.0.0.1:1")
	path := filepath.Join(t.TempDir(), "archive.ndjson")
	require.NoError(t, os.WriteFile(path, []byte("mine"), 0o600))
	require.ErrorIs(t, run(t.Context(), []string{"-archive", path}, new(bytes.Buffer)), os.ErrExist)
}
