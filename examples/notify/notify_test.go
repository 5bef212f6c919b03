package main

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/notify"
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

func TestTheBellsShowWhatHappened(t *testing.T) {
	leaks(t)
	var out bytes.Buffer
	require.NoError(t, run(t.Context(), nil, &out), out.String())
	for _, want := range []string{
		`chris  \* finn and 4 others liked your picture 10`,
		`chris  \* eve and 3 others liked your picture 10`,
		`chris    zoe answered your question 7\n +ann followed you\n +bob and 3 others liked`,
		`jack   \* zoe answered question 7`,
		`ok +\d+ records changed no bell`,
	} {
		require.Regexp(t, want, out.String())
	}
	require.NotContains(t, out.String(), "zoe    ", "she answered herself")
	require.NotContains(t, out.String(), "\x1b")
}

// opened is a story that is to be broken.
func opened(t *testing.T, patience time.Duration) (*story, *bytes.Buffer) {
	t.Helper()
	out := new(bytes.Buffer)
	env, err := open(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, env.Close()) })
	s, err := newStory(t.Context(), env, patience, out)
	require.NoError(t, err)
	return s, out
}

func TestBellsThatMissSomethingFail(t *testing.T) {
	leaks(t)
	s, out := opened(t, time.Second)
	s.bells.streams = slices.DeleteFunc(s.bells.streams, func(of streamed) bool { return of.table == s.bells.env.Tables.Reaction })
	require.Error(t, beside(t.Context(), s.bells.run, s.tell))
	require.NotContains(t, out.String(), "ok")
}

// The second readers notify of each follow as if it was new.
func TestARepeatThatChangesABellFails(t *testing.T) {
	s, out := opened(t, time.Minute)
	follows := &s.bells.streams[0]
	handle, calls := follows.handle, map[string]int{}
	follows.handle = func(ctx context.Context, r stream.Record) error {
		err := handle(ctx, r)
		if calls[r.ID]++; calls[r.ID] == 2 {
			id, minted := s.gen.Next(ctx)
			err = errors.Join(err, minted, s.bells.tell(ctx, true, notify.Notification{User: "chris", Activity: feed.Activity{
				ID: id, Actor: feed.Ref{ID: "ann"}, Verb: "follow", Object: feed.Ref{ID: "chris"},
			}}))
		}
		return err
	}
	require.Error(t, beside(t.Context(), s.bells.run, s.tell))
	require.Contains(t, out.String(), "FAIL  it changed the bells")
}

func TestAnInterruptedRunEnds(t *testing.T) {
	leaks(t)
	s, _ := opened(t, time.Minute)
	ctx, stop := context.WithCancelCause(t.Context())
	stopped := errors.New("stopped")
	s.bells.streams[1].handle = func(context.Context, stream.Record) error { stop(stopped); return nil }
	require.ErrorIs(t, beside(ctx, s.bells.run, s.tell), stopped)
}

// The engine would fail to start.
func TestArgumentsAreRefusedBeforeAnythingStarts(t *testing.T) {
	t.Setenv("DYNAMODB_ENDPOINT", "http://127.0.0.1:1")
	var out bytes.Buffer
	require.Error(t, run(t.Context(), []string{"x"}, &out))
	require.Empty(t, out.String())
}
