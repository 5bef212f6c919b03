package sqs_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/awssink/sinktest"
	"github.com/plaza-sdk/plaza/internal/calls/callstest"
	"github.com/plaza-sdk/plaza/stream"
	"github.com/plaza-sdk/plaza/stream/sqs"
)

// play answers ReceiveMessage in turn, and then with an empty queue.
func play(answers ...sinktest.Answer) *sinktest.Script {
	return sinktest.NewScript(func(r sinktest.Request) sinktest.Answer {
		if r.Op != "ReceiveMessage" || len(answers) == 0 {
			return sinktest.Answer{Body: "{}"}
		}
		next := answers[0]
		answers = answers[1:]
		return next
	})
}

// deleted are the handles by which messages were deleted.
func deleted(t *testing.T, script *sinktest.Script) (handles []string) {
	for _, r := range script.Requests() {
		if r.Op == "DeleteMessage" {
			handles = append(handles, sinktest.Read[struct{ ReceiptHandle string }](t, r).ReceiptHandle)
		}
	}
	return handles
}

func requests(script *sinktest.Script, op string) (n int) {
	for _, r := range script.Requests() {
		if r.Op == op {
			n++
		}
	}
	return n
}

func TestReceiveAsksForWhatTheOptionsSay(t *testing.T) {
	type asked struct {
		MaxNumberOfMessages, VisibilityTimeout, WaitTimeSeconds int
	}
	for want, opts := range map[asked]*sqs.DeadLettersOptions{
		{10, 300, 5}: nil,
		{10, 60, 20}: {Visibility: time.Minute, Wait: 20 * time.Second},
	} {
		script := play()
		letters, err := deadLetters(t, script.Config(), opts).Source().Receive(t.Context())
		require.NoError(t, err)
		require.Empty(t, letters)
		require.Equal(t, want, sinktest.Read[asked](t, script.Requests()[0]))
	}
}

func TestLettersOfOneAnswerAreOldestFirst(t *testing.T) {
	body := func(seq int) string { return stored(t, nil, letter(t, change("a", seq, "x"))) }
	script := play(received(inQueue("c", 1, 3000, body(3)), inQueue("a", 1, 1000, body(1)), inQueue("b", 1, 2000, body(2))))
	letters, err := deadLetters(t, script.Config(), nil).Source().Receive(t.Context())
	require.NoError(t, err)
	var got []string
	for _, l := range letters {
		got = append(got, l.Seq)
	}
	require.Equal(t, []string{"1", "2", "3"}, got)
}

// A message that Redrive left becomes visible again while it still runs.
func TestAMessageComesOnceFromASource(t *testing.T) {
	first, second := stored(t, nil, letter(t, change("a", 1, "x"))), stored(t, nil, letter(t, change("b", 2, "x")))
	script := play(
		received(inQueue("a", 1, 1, first)),
		received(inQueue("a", 2, 1, first)),
		received(inQueue("a", 3, 1, first), inQueue("b", 1, 2, second)),
		received(inQueue("a", 4, 1, first)),
	)
	letters := deadLetters(t, script.Config(), nil)
	source := letters.Source()
	var got []stream.Dead
	for {
		more, err := source.Receive(t.Context())
		require.NoError(t, err)
		if len(more) == 0 {
			break
		}
		got = append(got, more...)
	}
	require.Len(t, got, 2)
	require.Equal(t, 5, requests(script, "ReceiveMessage"))
	for _, l := range got {
		require.NoError(t, source.Delete(t.Context(), l))
	}
	require.Equal(t, []string{"handle a 4", "handle b 1"}, deleted(t, script), "only the last handle is sure to delete")
	require.ErrorIs(t, letters.Source().Delete(t.Context(), got[0]), plaza.ErrInvalid)
	require.ErrorIs(t, source.Delete(t.Context(), stream.Dead{}), plaza.ErrInvalid)
}

// An event of several records that a function failed at is one message.
func TestAMessageGoesWithItsLastLetter(t *testing.T) {
	record := func(seq int) string {
		return fmt.Sprintf(`{"eventID":"e%d","eventName":"INSERT","eventVersion":"1.1","eventSource":"aws:dynamodb","awsRegion":"us-east-1","eventSourceARN":%q,
			"dynamodb":{"ApproximateCreationDateTime":1,"Keys":{"Id":{"S":"a"}},"NewImage":{"Id":{"S":"a"}},"SequenceNumber":"%d","SizeBytes":1,"StreamViewType":"NEW_AND_OLD_IMAGES"}}`, seq, arn, seq)
	}
	body := fmt.Sprintf(`{"requestContext":{"condition":"RetriesExhausted","approximateInvokeCount":3},"requestPayload":{"Records":[%s,%s,%s]}}`, record(1), record(2), record(3))
	script := play(received(inQueue("m", 1, 1, body)))
	source := deadLetters(t, script.Config(), nil).Source()
	letters, err := source.Receive(t.Context())
	require.NoError(t, err)
	require.Len(t, letters, 3)
	for _, i := range []int{2, 0, 2, 0} {
		require.NoError(t, source.Delete(t.Context(), letters[i]))
		require.Empty(t, deleted(t, script))
	}
	require.NoError(t, source.Delete(t.Context(), letters[1]))
	require.Equal(t, []string{"handle m 1"}, deleted(t, script))
}

func TestReceiveEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	body := stored(t, nil, letter(t, change("a", 1, "x")))
	n := 0
	script := sinktest.NewScript(func(r sinktest.Request) sinktest.Answer {
		if n++; n > 3 { // the same message forever
			cancel()
			<-r.HTTP.Context().Done()
			return sinktest.Answer{Err: r.HTTP.Context().Err()}
		}
		return received(inQueue("a", n, 1, body))
	})
	source := deadLetters(t, script.Config(), nil).Source()
	_, err := source.Receive(ctx)
	require.NoError(t, err)
	_, err = source.Receive(ctx)
	require.ErrorIs(t, err, context.Canceled)
	require.Len(t, script.Requests(), 4)
}

func TestRequestsCarryTheNameOfTheCall(t *testing.T) {
	body := stored(t, nil, letter(t, change("a", 1, "x")))
	cfg := sinktest.NewScript(func(r sinktest.Request) sinktest.Answer {
		switch r.Op {
		case "SendMessageBatch":
			return sinktest.Answer{Body: allSent(1)}
		case "ReceiveMessage":
			return received(inQueue("a", 1, 1, body))
		default:
			return sinktest.Answer{Body: `{"MessageId":"m"}`}
		}
	}).Config()
	cfg.HTTPClient = callstest.Client(t, cfg.HTTPClient)
	sink, letters := open(t, cfg), deadLetters(t, cfg, nil)
	source := letters.Source()
	var got []stream.Dead
	callstest.Run(t, "../..", "stream/sqs", []struct {
		Call string
		Run  func(context.Context) error
	}{
		{"Sink.Put", func(ctx context.Context) error {
			return callstest.Failed(sink.Put(ctx, []stream.Event{{Data: []byte("{}")}}))
		}},
		{"DeadLetters.Put", func(ctx context.Context) error { return letters.Put(ctx, letter(t, change("a", 1, "x"))) }},
		{"Source.Receive", func(ctx context.Context) (err error) {
			got, err = source.Receive(ctx)
			return err
		}},
		{"Source.Delete", func(ctx context.Context) error { return source.Delete(ctx, got[0]) }},
	})
}
