package stream_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/plaza-sdk/plaza/stream"
)

// outlet is a Sink that records its calls by the events' IDs.
type outlet struct {
	limit   stream.Limit
	calls   [][]string
	sent    []string
	outcome func(call int, e stream.Event) stream.Outcome
	put     func(call int) error
}

func (o *outlet) Limit() stream.Limit { return o.limit }

func (o *outlet) Put(_ context.Context, events []stream.Event) ([]stream.Outcome, error) {
	var ids []string
	for _, e := range events {
		ids = append(ids, e.ID)
	}
	o.calls = append(o.calls, ids)
	if o.put != nil {
		if err := o.put(len(o.calls)); err != nil {
			return nil, err
		}
	}
	outcomes := make([]stream.Outcome, len(events))
	for i, e := range events {
		if o.outcome != nil {
			outcomes[i] = o.outcome(len(o.calls), e)
		}
		if outcomes[i].Err == nil {
			o.sent = append(o.sent, e.ID)
		}
	}
	return outcomes, nil
}

// throttles refuses events.
func (o *outlet) throttles(which func(call int, e stream.Event) bool) {
	o.outcome = func(call int, e stream.Event) stream.Outcome {
		if which(call, e) {
			return stream.Outcome{Err: errThrottled, Retry: true}
		}
		return stream.Outcome{}
	}
}

// bus has the limits of EventBridge.
func bus() *outlet {
	return &outlet{limit: stream.Limit{Events: 10, Bytes: 1 << 20, Event: 1 << 20}}
}

// eventsOf are n events of that many bytes.
func eventsOf(n, bytes int) []stream.Event {
	events := make([]stream.Event, n)
	for i := range events {
		events[i] = stream.Event{ID: fmt.Sprint(i + 1), Data: []byte(strings.Repeat("x", bytes))}
	}
	return events
}

var errThrottled = errors.New("throttled")

func requireAll(t *testing.T, errs []error, n int) {
	t.Helper()
	require.Len(t, errs, n)
	for i, err := range errs {
		require.NoError(t, err, "event %d", i+1)
	}
}

// How many events of which size a request has is said by sinktest, for each Sink.
func TestOnlyWhatMayPassIsSentAgain(t *testing.T) {
	sink, dead, n := &outlet{limit: stream.Limit{Events: 10, Event: 10}}, &inMemory{}, &naps{}
	sink.outcome = func(call int, e stream.Event) stream.Outcome {
		if e.ID == "4" || e.ID == "2" && call > 1 {
			return stream.Outcome{}
		}
		return stream.Outcome{Err: errThrottled, Retry: e.ID != "1"}
	}
	events := append(eventsOf(4, 10), stream.Event{ID: "5", Data: make([]byte, 11)})
	requireAll(t, stream.Deliver(t.Context(), sink, events, stream.Policy{Attempts: 3, Sleep: n.sleep}, dead), 5)
	require.Equal(t, [][]string{{"1", "2", "3", "4"}, {"2", "3"}, {"3"}}, sink.calls)
	require.Len(t, n.taken, 2)
	require.Equal(t, []string{"5", "1", "3"}, dead.seqs())
	require.Equal(t, [3]int{0, 1, 3}, [3]int{dead.put[0].Attempts, dead.put[1].Attempts, dead.put[2].Attempts})
	require.Equal(t, stream.ErrTooLarge.Error(), dead.put[0].Reason)
}

func TestAGroupWaitsBehindItsFailedEvent(t *testing.T) {
	sink := &outlet{limit: stream.Limit{Events: 2}}
	events := eventsOf(6, 1)
	for i, group := range []string{"a", "b", "a", "b", "a", ""} {
		events[i].Group = group
	}
	sink.throttles(func(call int, e stream.Event) bool { return e.ID == "1" && call <= 3 })
	requireAll(t, stream.Deliver(t.Context(), sink, events, policy(3), &inMemory{}), 6)
	require.Equal(t, [][]string{{"1", "2"}, {"4", "6"}, {"1"}, {"1"}, {"3"}, {"5"}}, sink.calls)
}

// No event of a group passes an earlier one, whatever fails.
func TestNoEventPassesAnEarlierOneOfItsGroup(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		events := eventsOf(rapid.IntRange(0, 20).Draw(t, "events"), 1)
		groups := map[string]string{}
		for i := range events {
			events[i].Group = rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "group")
			groups[events[i].ID] = events[i].Group
		}
		fails := map[string]int{}
		for _, e := range events {
			fails[e.ID] = rapid.SampledFrom([]int{0, 0, 1, 2, 5}).Draw(t, "failures")
		}
		sink := &outlet{limit: stream.Limit{Events: rapid.IntRange(1, 4).Draw(t, "limit")}}
		sink.outcome = func(_ int, e stream.Event) stream.Outcome {
			if fails[e.ID]--; fails[e.ID] >= 0 {
				return stream.Outcome{Err: errThrottled, Retry: rapid.Bool().Draw(t, "retry")}
			}
			return stream.Outcome{}
		}
		down := rapid.SampledFrom([]string{"", "3", "8"}).Draw(t, "down")
		dead := &inMemory{down: func(seq string) bool { return seq == down }}
		errs := stream.Deliver(context.Background(), sink, events, policy(3), dead)
		lost := map[string]bool{}
		for i, e := range events {
			delivered, buried := slices.Contains(sink.sent, e.ID), slices.Contains(dead.seqs(), e.ID)
			require.Equal(t, errs[i] == nil, delivered || buried, "event %s: %v", e.ID, errs[i])
			require.False(t, delivered && buried)
			if lost[e.Group] {
				require.ErrorIs(t, errs[i], stream.ErrHeld)
			}
			lost[e.Group] = lost[e.Group] || e.Group != "" && errs[i] != nil
		}
		sent := map[string][]string{} // of each group, every attempt
		for _, call := range sink.calls {
			for _, id := range call {
				if at := sent[groups[id]]; len(at) == 0 || at[len(at)-1] != id {
					sent[groups[id]] = append(at, id)
				}
			}
		}
		for group, ids := range sent {
			require.True(t, group == "" || slices.IsSortedFunc(ids, inNumbers), "group %s: %v", group, sink.calls)
		}
	})
}

func inNumbers(a, b string) int {
	return strings.Compare(fmt.Sprintf("%9s", a), fmt.Sprintf("%9s", b))
}

func TestABadSinkIsAFailure(t *testing.T) {
	for name, put := range map[string]func() ([]stream.Outcome, error){
		"panic": func() ([]stream.Outcome, error) { panic("boom") },
		"short": func() ([]stream.Outcome, error) { return nil, nil },
	} {
		dead := &inMemory{}
		requireAll(t, stream.Deliver(t.Context(), sinkFunc(put), eventsOf(2, 1), policy(2), dead), 2)
		require.Equal(t, []string{"1", "2"}, dead.seqs(), name)
		require.Equal(t, 2, dead.put[0].Attempts, name)
	}
}

type sinkFunc func() ([]stream.Outcome, error)

func (sinkFunc) Limit() stream.Limit { return stream.Limit{} }

func (f sinkFunc) Put(context.Context, []stream.Event) ([]stream.Outcome, error) { return f() }

func TestWithoutDeadLettersAnEventHasItsError(t *testing.T) {
	sink := &outlet{limit: stream.Limit{Event: 10}}
	sink.outcome = func(int, stream.Event) stream.Outcome { return stream.Outcome{Err: errThrottled, Retry: true} }
	errs := stream.Deliver(t.Context(), sink, append(eventsOf(1, 10), eventsOf(1, 11)...), policy(2), nil)
	require.ErrorIs(t, errs[0], errThrottled)
	require.ErrorIs(t, errs[1], stream.ErrTooLarge)
	require.Len(t, sink.calls, 2)
}

func TestASinkWhoseLimitPanicsIsTheEventsError(t *testing.T) {
	sink := &outlet{limit: stream.Limit{Size: func(stream.Event) int { panic("boom") }}}
	for _, err := range stream.Deliver(t.Context(), sink, eventsOf(2, 1), policy(2), nil) {
		require.ErrorContains(t, err, "boom")
	}
	require.Empty(t, sink.calls)
}

func TestADeliveryThatIsCancelledMakesNoDeadLetters(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	sink := &outlet{limit: stream.Limit{Events: 2}}
	sink.put = func(call int) error {
		if call == 2 {
			cancel()
			return ctx.Err()
		}
		return nil
	}
	dead := &inMemory{}
	errs := stream.Deliver(ctx, sink, append(eventsOf(5, 1), eventsOf(1, 1)...), policy(1), dead)
	for i, err := range errs {
		if i < 2 {
			require.NoError(t, err)
			continue
		}
		require.ErrorIs(t, err, context.Canceled)
	}
	require.Len(t, sink.calls, 2)
	require.Empty(t, dead.put)
}

// Without dead letters of its own, Deliver has made the attempts, and the
// Processor makes the letter.
func TestToLeavesItsFailuresToTheProcessor(t *testing.T) {
	sink := bus()
	sink.throttles(func(_ int, e stream.Event) bool { return e.ID == "e2" })
	to := stream.To(sink, func(r stream.Record) (stream.Event, bool, error) {
		return stream.Event{Group: fmt.Sprint(r.Keys["Id"]), Data: []byte("{}")}, true, nil
	}, policy(3), nil)
	dead := &inMemory{}
	done, err := newProcessor(t, to, dead, nil).Process(t.Context(), itemsOf(change("a", 1, 1), change("b", 2, 1), change("b", 3, 2)))
	require.NoError(t, err)
	require.Equal(t, 3, done)
	require.Equal(t, []string{"2"}, dead.seqs())
	require.Equal(t, []string{"e1", "e3"}, sink.sent)
	require.Len(t, sink.calls, 4, "three attempts, and then what waited behind")
}

func TestToMakesLettersOfRecords(t *testing.T) {
	sink := bus()
	sink.outcome = func(int, stream.Event) stream.Outcome { return stream.Outcome{Err: errors.New("item 7")} }
	dead := &inMemory{}
	r := change("a", 1, 1)
	to := stream.To(sink, func(stream.Record) (stream.Event, bool, error) { return stream.Event{Data: []byte("x")}, true, nil }, policy(3), dead)
	requireAll(t, to(t.Context(), []stream.Record{r}), 1)
	encoded, err := stream.Encode(r, 0)
	require.NoError(t, err)
	require.Equal(t, []stream.Dead{{
		Stream: arn, Seq: "1", KeyHash: dead.put[0].KeyHash, Reason: "*errors.errorString", Attempts: 1, At: r.At, Record: encoded,
	}}, dead.put)
}

func TestARecordWhoseEventCannotBeMadeHoldsItsItem(t *testing.T) {
	sink := bus()
	to := stream.To(sink, func(r stream.Record) (stream.Event, bool, error) {
		switch r.Seq {
		case "1":
			return stream.Event{}, false, errors.New("broken")
		case "2":
			panic("boom")
		case "5":
			return stream.Event{}, false, nil
		}
		return stream.Event{At: r.At.Add(time.Second)}, true, nil
	}, policy(3), nil)
	errs := to(t.Context(), []stream.Record{change("a", 1, 1), change("b", 2, 1), change("a", 3, 2), change("c", 4, 1), change("d", 5, 1)})
	require.ErrorContains(t, errs[0], "broken")
	require.ErrorContains(t, errs[1], "boom")
	require.ErrorIs(t, errs[2], stream.ErrHeld)
	requireAll(t, errs[3:], 2)
	require.Equal(t, [][]string{{"e4"}}, sink.calls)
}
