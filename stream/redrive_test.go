package stream_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/streamtest"
	"github.com/plaza-sdk/plaza/stream"
)

// board is a projection that compares versions.
type board map[string]string

func (b board) apply(_ context.Context, r stream.Record) error {
	id, version := fmt.Sprint(r.Keys["Id"]), fmt.Sprint(r.New["version"])
	if version > b[id] {
		b[id] = version
	}
	return nil
}

func TestADeadLetterIsAppliedOnceAfterTheFix(t *testing.T) {
	dead := &inMemory{}
	broken := stream.Each(func(context.Context, stream.Record) error { return errors.New("broken") }, 1)
	_, err := newProcessor(t, broken, dead, nil).Process(t.Context(), itemsOf(change("a", 1, 1), change("b", 2, 1)))
	require.NoError(t, err)

	b := board{}
	h := &handled{fail: func(r stream.Record) error { return b.apply(t.Context(), r) }}
	fixed := stream.Each(h.handle, 1)
	got, err := stream.Redrive(t.Context(), &streamtest.Queue{Letters: dead.put, AtOnce: 1}, fixed)
	require.NoError(t, err)
	require.Equal(t, stream.Redriven{Handled: 2}, got)
	require.Equal(t, []string{"1", "2"}, h.all)
	once := fmt.Sprint(b)

	got, err = stream.Redrive(t.Context(), &streamtest.Queue{}, fixed)
	require.NoError(t, err)
	require.Zero(t, got, "nothing is left")
	_, err = stream.Redrive(t.Context(), &streamtest.Queue{Letters: dead.put, AtOnce: 10}, fixed)
	require.NoError(t, err)
	require.Equal(t, once, fmt.Sprint(b), "a letter that comes twice changes nothing")
}

func TestALetterThatFailsAgainStays(t *testing.T) {
	var dead []stream.Dead
	for _, r := range []stream.Record{change("a", 1, 1), change("b", 2, 1), change("a", 3, 2), change("c", 4, 1)} {
		dead = append(dead, letterOf(t, r))
	}
	for atOnce := 1; atOnce <= 4; atOnce++ {
		h := &handled{fail: failing("1")}
		q := &streamtest.Queue{Letters: dead, AtOnce: atOnce}
		got, err := stream.Redrive(t.Context(), q, stream.Each(h.handle, 1))
		require.NoError(t, err)
		require.Equal(t, stream.Redriven{Handled: 2, Failed: 1, Held: 1}, got, "its item's later letter stays too")
		require.Equal(t, []string{"2", "4"}, q.Deleted)
		require.Equal(t, []string{"2", "4"}, h.all)
	}
}

// A record that could not be read is driven as Lambda wrote it, once the reader is fixed.
func TestPositionsAndUnreadableLettersAreCountedAndStay(t *testing.T) {
	q := &streamtest.Queue{AtOnce: 10, Letters: []stream.Dead{
		{Stream: arn, Shard: "shardId-1", Seq: "5", LastSeq: "9"}, {Seq: "2", Record: []byte(`{"eventID":"x"}`)}, {Seq: "3", Record: []byte("x")},
		letterOf(t, change("a", 1, 1)), {Seq: "111", Shard: "shardId-1", Record: []byte(lines(t, "lambda/valid.ndjson")[0])},
	}}
	var last stream.Record
	h := func(_ context.Context, r stream.Record) error { last = r; return nil }
	got, err := stream.Redrive(t.Context(), q, stream.Each(h, 1))
	require.NoError(t, err)
	require.Equal(t, stream.Redriven{Handled: 2, Positions: 1, Unread: 2}, got)
	require.Equal(t, []string{"1", "111"}, q.Deleted)
	require.Equal(t, number("2"), last.New["v"])
	require.Equal(t, "shardId-1", last.Shard)
}

func TestRedriveStopsWithItsSource(t *testing.T) {
	h := &handled{}
	q := &streamtest.Queue{Letters: []stream.Dead{letterOf(t, change("a", 1, 1)), letterOf(t, change("b", 2, 1))}, AtOnce: 2, DeleteErr: errDown}
	got, err := stream.Redrive(t.Context(), q, stream.Each(h.handle, 1))
	require.ErrorIs(t, err, errDown)
	require.Zero(t, got.Handled)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	q.Given = 0
	_, err = stream.Redrive(ctx, q, stream.Each(h.handle, 1))
	require.ErrorIs(t, err, context.Canceled)
	require.Zero(t, q.Given)

	panics := stream.Batch(func(context.Context, []stream.Record) []error { panic("boom") })
	q = &streamtest.Queue{Letters: slices.Clone(q.Letters), AtOnce: 2}
	got, err = stream.Redrive(t.Context(), q, panics)
	require.NoError(t, err)
	require.Equal(t, stream.Redriven{Failed: 2}, got)
}
