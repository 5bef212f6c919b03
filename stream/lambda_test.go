package stream_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/stream"
)

// tenRecords is a Lambda event of ten items.
func tenRecords(t testing.TB) []byte {
	t.Helper()
	good := lines(t, "lambda/valid.ndjson")[0]
	records := make([]string, 10)
	for i := range records {
		records[i] = strings.NewReplacer(`"111"`, fmt.Sprintf(`"%d"`, i+1), `{"S":"a"}`, fmt.Sprintf(`{"S":"item%d"}`, i)).Replace(good)
	}
	return event(records...)
}

func TestLambdaIsToldTheFirstRecordToSendAgain(t *testing.T) {
	h := &handled{fail: failing("3", "8")}
	dead := &inMemory{down: func(seq string) bool { return seq == "3" }}
	var stops []error
	p := newProcessor(t, stream.Each(h.handle, 1), dead, &stream.ProcessorOptions{
		Policy: policy(2), OnStop: func(err error) { stops = append(stops, err) },
	})
	response, err := p.Lambda(t.Context(), tenRecords(t))
	require.NoError(t, err)
	raw, err := json.Marshal(response)
	require.NoError(t, err)
	require.JSONEq(t, `{"batchItemFailures":[{"itemIdentifier":"3"}]}`, string(raw))
	require.Len(t, stops, 1)
	require.ErrorIs(t, stops[0], errDown)
	require.Empty(t, dead.put, "nothing behind the stop is a dead letter")
}

func TestNoFailuresAreAnEmptyList(t *testing.T) {
	h := &handled{}
	response, err := newProcessor(t, stream.Each(h.handle, 1), &inMemory{}, nil).Lambda(t.Context(), tenRecords(t))
	require.NoError(t, err)
	require.Len(t, h.all, 10)
	for _, r := range []stream.Response{response, {}} {
		raw, err := json.Marshal(r)
		require.NoError(t, err)
		require.JSONEq(t, `{"batchItemFailures":[]}`, string(raw))
	}
	response, err = newProcessor(t, stream.Each(h.handle, 1), &inMemory{}, nil).Lambda(t.Context(), event())
	require.NoError(t, err)
	require.Empty(t, response.BatchItemFailures)
}

func TestAnEventThatCannotBeReadFailsTheFunction(t *testing.T) {
	dead := &inMemory{}
	_, err := newProcessor(t, stream.Each((&handled{}).handle, 1), dead, nil).Lambda(t.Context(), []byte(`{"Records":[{]}`))
	require.ErrorIs(t, err, stream.ErrEvent)
	require.Empty(t, dead.put)
}

// Lambda takes a response without a sequence number for a failure of all, but
// only an error is sure to be one.
func TestAStopWithoutASequenceNumberFailsTheFunction(t *testing.T) {
	dead := &inMemory{down: func(string) bool { return true }}
	p := newProcessor(t, stream.Each((&handled{}).handle, 1), dead, nil)
	_, err := p.Lambda(t.Context(), event(`{"eventID":"e1"}`))
	require.ErrorIs(t, err, errDown)

	dead.down = nil
	response, err := p.Lambda(t.Context(), event(`{"eventID":"e1"}`))
	require.NoError(t, err)
	require.Empty(t, response.BatchItemFailures)
	require.JSONEq(t, `{"eventID":"e1"}`, string(dead.put[0].Record))
}

// The answer is there before the function's time is up, and what was handled by
// then does not come again.
func TestLambdaAnswersBeforeItsTimeIsUp(t *testing.T) {
	raw := tenRecords(t)
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		h := func(ctx context.Context, r stream.Record) error {
			if r.Seq != "3" {
				return nil
			}
			<-ctx.Done()
			return ctx.Err()
		}
		dead := &inMemory{}
		p := newProcessor(t, stream.Each(h, 1), dead, &stream.ProcessorOptions{Margin: 2 * time.Second})
		start := time.Now()
		response, err := p.Lambda(ctx, raw)
		require.NoError(t, err)
		require.Equal(t, []stream.BatchItemFailure{{ItemIdentifier: "3"}}, response.BatchItemFailures)
		require.Equal(t, 8*time.Second, time.Since(start))
		require.Empty(t, dead.put)
		require.NoError(t, ctx.Err())
	})
}

// The default pause is a timer, which the context ends.
func TestPausesEndWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		tries := 0
		h := func(context.Context, stream.Record) error { tries++; return errors.New("broken") }
		p := newProcessor(t, stream.Each(h, 1), &inMemory{}, &stream.ProcessorOptions{
			Policy: stream.Policy{Attempts: 1000, Wait: time.Second, MaxWait: time.Second},
		})
		done, err := p.Process(ctx, itemsOf(changes(1)...))
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Zero(t, done)
		require.Greater(t, tries, 60)
	})
}
