package edgetest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/faults"
)

type noIDs struct{ err error }

func (s noIDs) Next(context.Context) (ids.ID, error) { return 0, s.err }

func noID[E any](t *testing.T, f Feature[E]) {
	in := faults.New(t, 1, faults.Rates{})
	exhausted := errors.New("no ids")
	w := world[E]{f: f, table: "none"}.withIDs(t, func(ids.Source) ids.Source { return noIDs{exhausted} }, spread(1), in.Wrap)
	w.refuses(t, Edge{Tail: "a", Head: "b", Kind: f.first()}, exhausted)
	require.Zero(t, in.Requests())
}

func mintedID[E any](t *testing.T, f Feature[E]) {
	in := faults.New(t, 1, faults.Rates{})
	w := newWorld(t, f, spread(1), in.Wrap)
	in.KillAt(1)
	e, begun, err := w.try(t.Context(), Edge{Tail: "jack", Head: "chris", Kind: f.first()})
	require.ErrorIs(t, err, plaza.ErrUnknownOutcome)
	require.False(t, begun)
	require.NotZero(t, e.ID)

	in.Off()
	require.Equal(t, e, w.give(t, e), "the repeat returns the first answer")
	w.holds(t, standing(e), []string{"jack"}, []string{"chris"})
	w.requireStored(t, e)
}

type fixedID ids.ID

func (f fixedID) Next(context.Context) (ids.ID, error) { return ids.ID(f), nil }

// mintedIDTaken moves the ids of edges to one millisecond, where they would be
// equal.
func mintedIDTaken[E any](t *testing.T, f Feature[E]) {
	w := newWorld(t, f, spread(1))
	at := ids.At(w.id(t).Time().Add(-time.Second))
	same := w.withIDs(t, func(ids.Source) ids.Source { return fixedID(at - 1) }, spread(1))
	heads := []string{"anna", "chris", "zoe"}
	for i, head := range heads {
		w.finish(t, Edge{Tail: "jack", Head: head, Kind: f.first(), ID: at + ids.ID(i)}, false)
	}
	var stand []Edge
	for _, head := range heads {
		stand = append(stand, same.begin(t, "jack", head, f.first()))
	}
	w.requireStored(t, stand...)
	w.requireSound(t, stand...)
}

// jack follows by a clock that is behind the one that ended his last edge.
func olderIDs[E any](t *testing.T, f Feature[E]) {
	now := time.Now()
	w := newWorld(t, f, Options{Now: func() time.Time { return now }})
	edge := func(at time.Duration) Edge {
		return Edge{Tail: "jack", Head: "chris", Kind: f.free(), ID: ids.At(now.Add(at))}
	}
	w.give(t, edge(9*time.Second))
	w.finish(t, edge(9*time.Second), true)
	older := (*plaza.OlderError)(nil)
	_, _, err := w.try(t.Context(), edge(0))
	require.ErrorAs(t, err, &older)
	require.ErrorIs(t, err, plaza.ErrRemoved)
	_, _, err = w.try(t.Context(), edge(-2*time.Second))
	require.ErrorIs(t, err, plaza.ErrRemoved)
	require.NotErrorAs(t, err, new(*plaza.OlderError))
	w.begin(t, "jack", "chris", f.free()) // by an id of the library's own
	w.finish(t, Edge{Tail: "jack", Head: "chris", Kind: f.free()}, true)
	now = now.Add(older.RetryAfter)
	_, _, err = w.try(t.Context(), edge(time.Second))
	require.NoError(t, err)
}

func futureIDs[E any](t *testing.T, f Feature[E]) {
	now := time.Now()
	in := faults.New(t, 1, faults.Rates{})
	at := func(now time.Time) Options { return Options{Now: func() time.Time { return now }} }
	w := newWorld(t, f, at(now), in.Wrap)
	ahead := func(by time.Duration) Edge {
		return Edge{Tail: "jack", Head: "chris", Kind: f.free(), ID: ids.At(now.Add(by))}
	}
	var invalid *plaza.InvalidError
	_, _, err := w.try(t.Context(), ahead(11*time.Second))
	require.ErrorAs(t, err, &invalid)
	require.Equal(t, "ID", invalid.Field)
	require.Zero(t, in.Requests())
	_, err = w.End(t.Context(), f.Of(ahead(11*time.Second)))
	require.ErrorAs(t, err, &invalid)
	require.Equal(t, "ID", invalid.Field)
	require.Zero(t, in.Writes())
	w.give(t, ahead(10*time.Second))

	// An edge from the future can be ended.
	e := Edge{Tail: "jack", Head: "anna", Kind: f.free(), ID: ids.At(now.Add(time.Hour))}
	w.process(t, at(now.Add(time.Hour))).give(t, e)
	w.finish(t, e, true)
}
