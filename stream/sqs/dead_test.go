package sqs_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	sdk "github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/awssink/sinktest"
	"github.com/plaza-sdk/plaza/stream"
	"github.com/plaza-sdk/plaza/stream/sqs"
)

const arn = "arn:aws:dynamodb:us-east-1:123456789012:table/Main/stream/2026-01-02T03:04:05.678"

func change(id string, seq int, text string) stream.Record {
	return stream.Record{
		ID: fmt.Sprint("e", seq), Stream: arn, Seq: fmt.Sprint(seq), Table: "Main", Kind: stream.Insert,
		At:   time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
		Keys: map[string]types.AttributeValue{"Id": &types.AttributeValueMemberS{Value: id}},
		New: map[string]types.AttributeValue{
			"Id": &types.AttributeValueMemberS{Value: id}, "text": &types.AttributeValueMemberS{Value: text},
		},
	}
}

func letter(t *testing.T, r stream.Record) stream.Dead {
	t.Helper()
	record, err := stream.Encode(r, 0)
	require.NoError(t, err)
	return stream.Dead{Stream: arn, Seq: r.Seq, KeyHash: "k", Reason: "ValidationException", Attempts: 3, At: r.At, Record: record}
}

func deadLetters(t *testing.T, cfg aws.Config, opts *sqs.DeadLettersOptions) *sqs.DeadLetters {
	t.Helper()
	letters, err := sqs.NewDeadLetters(sdk.NewFromConfig(cfg), queue, opts)
	require.NoError(t, err)
	return letters
}

// received is an answer of ReceiveMessage.
func received(messages ...string) sinktest.Answer {
	return sinktest.Answer{Body: `{"Messages":[` + strings.Join(messages, ",") + `]}`}
}

// inQueue is a message, received for the nth time, that was sent at a time.
func inQueue(id string, n, at int, body string) string {
	text, err := json.Marshal(body)
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf(`{"MessageId":%q,"ReceiptHandle":"handle %s %d","Body":%s,"Attributes":{"SentTimestamp":"%d"}}`, id, id, n, text, at)
}

// stored is the body that Put of a letter sends.
func stored(t *testing.T, opts *sqs.DeadLettersOptions, d stream.Dead) string {
	t.Helper()
	script := sinktest.NewScript(func(sinktest.Request) sinktest.Answer { return sinktest.Answer{Body: `{"MessageId":"m"}`} })
	require.NoError(t, deadLetters(t, script.Config(), opts).Put(t.Context(), d))
	requests := script.Requests()
	require.Len(t, requests, 1)
	require.Equal(t, "SendMessage", requests[0].Op)
	return sinktest.Read[struct{ MessageBody string }](t, requests[0]).MessageBody
}

// only is the one letter in a message.
func only(t *testing.T, body string) stream.Dead {
	t.Helper()
	script := sinktest.NewScript(func(sinktest.Request) sinktest.Answer { return received(inQueue("m", 1, 1, body)) })
	letters, err := deadLetters(t, script.Config(), nil).Source().Receive(t.Context())
	require.NoError(t, err)
	require.Len(t, letters, 1)
	letters[0].Receipt = ""
	return letters[0]
}

func TestALetterComesBackAsItWas(t *testing.T) {
	for name, d := range map[string]stream.Dead{
		"a record":            letter(t, change("a", 1, "日本 <&> \u0000")),
		"not SQS's own":       letter(t, change("a", 1, "\uFFFE\uFFFF")),
		"a position":          {Stream: arn, Shard: "shardId-1", Seq: "1", LastSeq: "9", Reason: "panic"},
		"no JSON":             {Seq: "1", Reason: "r", Record: []byte("\x00\xff")},
		"what cannot be read": {Seq: "1", Reason: "r", Record: []byte(`{"eventID":"x"}`)},
	} {
		body := stored(t, nil, d)
		require.True(t, sqs.Allowed(body), name)
		got := only(t, body)
		if len(d.Record) > 0 && d.Record[0] == '{' {
			require.JSONEq(t, string(d.Record), string(got.Record), name)
			got.Record = d.Record
		}
		require.Equal(t, d, got, name)
	}
}

func TestALargeLetterLosesImagesNotItsPosition(t *testing.T) {
	for name, c := range map[string]struct {
		text  string
		bytes int
		kept  string
	}{
		"it fits":                     {"x", 0, "image"},
		"a large image":               {strings.Repeat("x", 1<<20), 0, "keys"},
		"escapes":                     {strings.Repeat("<", 1<<20/5), 0, "keys"},
		"as large as a message":       {strings.Repeat("x", 1<<20-800), 0, "image"},
		"a queue of small ones":       {strings.Repeat("x", 2000), 1024, "keys"},
		"a queue of the smallest one": {"x", 300, "position"},
	} {
		opts := &sqs.DeadLettersOptions{Bytes: c.bytes}
		d := letter(t, change("a", 1, c.text))
		body := stored(t, opts, d)
		limit := c.bytes
		if limit == 0 {
			limit = 1 << 20
		}
		require.LessOrEqual(t, len(body), limit, name)
		got := only(t, body)
		require.Equal(t, "1", got.Seq, name)
		if c.kept == "position" {
			require.Empty(t, got.Record, name)
			continue
		}
		record, err := stream.DecodeEvent(got.Record)
		require.NoError(t, err, name)
		require.Equal(t, d.Seq, record.Seq, name)
		require.Equal(t, c.kept == "image", record.New != nil, name)
		require.Equal(t, c.kept != "image", record.Truncated, name)
	}

	script := sinktest.NewScript(func(sinktest.Request) sinktest.Answer { return sinktest.Answer{Body: `{"MessageId":"m"}`} })
	err := deadLetters(t, script.Config(), &sqs.DeadLettersOptions{Bytes: 100}).Put(t.Context(), letter(t, change("a", 1, "x")))
	require.ErrorIs(t, err, stream.ErrTooLarge)
	require.Empty(t, script.Requests())
}

// Unlike a Sink's, the requests of letters are repeated by the client: nobody
// else repeats them, and two letters are as good as one.
func TestPutSurvivesAPassingFault(t *testing.T) {
	calls := 0
	script := sinktest.NewScript(func(sinktest.Request) sinktest.Answer {
		if calls++; calls == 1 {
			return sinktest.Refusal(http.StatusServiceUnavailable, "ServiceUnavailable")
		}
		return sinktest.Answer{Body: `{"MessageId":"m"}`}
	})
	require.NoError(t, deadLetters(t, script.Config(), nil).Put(t.Context(), letter(t, change("a", 1, "x"))))
	require.Len(t, script.Requests(), 2)
}

func TestPutSaysWhetherTheLetterIsStored(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, c := range map[string]struct {
		ctx    context.Context
		answer sinktest.Answer
		want   error
	}{
		"denied":    {t.Context(), sinktest.Refusal(http.StatusBadRequest, "AccessDeniedException"), plaza.ErrTable},
		"no queue":  {t.Context(), sinktest.Refusal(http.StatusBadRequest, "QueueDoesNotExist"), plaza.ErrTable},
		"throttled": {t.Context(), sinktest.Refusal(http.StatusBadRequest, "ThrottlingException"), plaza.ErrBusy},
		"no id":     {t.Context(), sinktest.Answer{Body: "{}"}, plaza.ErrUnknownOutcome},
		"garbled":   {t.Context(), sinktest.Answer{Body: "<html>"}, plaza.ErrUnknownOutcome},
		"cancelled": {ctx, sinktest.Answer{Body: `{"MessageId":"m"}`}, context.Canceled},
	} {
		script := sinktest.NewScript(func(sinktest.Request) sinktest.Answer { return c.answer })
		err := deadLetters(t, script.Config(), nil).Put(c.ctx, letter(t, change("a", 1, "secret text")))
		require.ErrorIs(t, err, c.want, name)
		require.NotContains(t, err.Error(), "secret", name)
	}
}

// ParseFailure reads what Lambda writes into a queue itself.
func TestWhatOthersWroteIsALetterToo(t *testing.T) {
	record, err := stream.Encode(change("a", 7, "x"), 0)
	require.NoError(t, err)
	invocation := fmt.Sprintf(`{"version":"1.0","timestamp":"2026-01-02T03:04:05.678Z","requestContext":{"condition":"RetriesExhausted","approximateInvokeCount":3},
		"requestPayload":{"version":"0","detail-type":"post","source":"update.aws.dynamodb","detail":%s}}`, record)
	for reason, body := range map[string]string{"RetriesExhausted": invocation, "unknown": string(record)} {
		got := only(t, body)
		require.Equal(t, "7", got.Seq, reason)
		require.Equal(t, reason, got.Reason)
		require.JSONEq(t, string(record), string(got.Record))
	}
	for _, body := range []string{"", "hello", "{}", "null", "[]", `{"reason":"r"}`, `{"reason":"r","attempts":"x"}`, `{"reason":"r","attempts":1,"record":{}`} {
		require.Equal(t, body, string(only(t, body).Record), "what nobody can read stays as it is")
	}
}

func TestOptionsOfDeadLetters(t *testing.T) {
	client := sdk.NewFromConfig(sinktest.NewScript(nil).Config())
	refused := map[string]error{}
	_, refused["client"] = sqs.NewDeadLetters(nil, queue, nil)
	_, refused["queue"] = sqs.NewDeadLetters(client, queue+".fifo", nil)
	_, refused["Options.Bytes"] = sqs.NewDeadLetters(client, queue, &sqs.DeadLettersOptions{Bytes: -1})
	_, refused["Options.Visibility"] = sqs.NewDeadLetters(client, queue, &sqs.DeadLettersOptions{Visibility: 13 * time.Hour})
	_, refused["Options.Wait"] = sqs.NewDeadLetters(client, queue, &sqs.DeadLettersOptions{Wait: time.Millisecond})
	sinktest.Refused(t, refused)
}

func FuzzDecode(f *testing.F) {
	for _, seed := range []string{"", "{}", `{"reason":"r","attempts":1}`, `{"reason":"r","attempts":1,"record":"AP8="}`, `{"Records":[]}`, `{"detail":{}}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		letters := sqs.Decode(body, stream.Limits{})
		require.NotEmpty(t, letters, "a message is never lost")
	})
}
