package sinktest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/calls/callstest"
	"github.com/plaza-sdk/plaza/stream"
)

// Service is a sink and how its service answers.
type Service struct {
	New func(*testing.T, aws.Config) stream.Sink

	// Sent returns the Data of the events in a request, as the service stores
	// them.
	Sent func(*testing.T, Request) []string

	// OK is the answer to a request of n events that are all stored.
	OK func(n int) string

	// Some is the answer to a request of n events of which some were not stored, for a
	// reason that passes.
	Some func(n int, failed []int) string

	// Packs are events of some size, and how many of them each request has.
	Packs []Pack

	// Unclear are answers to a request of two events that confirm neither.
	Unclear map[string]string

	// Refused are events that the service would refuse, by the field that is wrong or by
	// another name.
	Refused map[string]stream.Event

	// Package is that of the sink, such as "stream/firehose", if no other call of it sends
	// requests.
	Package string
}

// Pack is how Deliver sends so many events of so many bytes.
type Pack struct {
	Events, Bytes int
	Calls         []int
	Dead          int
}

// event is one that every service takes.
func event(i int) stream.Event {
	return stream.Event{
		ID:     fmt.Sprint("id", i),
		Source: "update.aws.dynamodb",
		Type:   "post",
		At:     time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC),
		Data:   fmt.Appendf(nil, `{"n":%d,"text":"日本 😀 <&> \u0000"}`, i),
	}
}

func events(n int) []stream.Event {
	made := make([]stream.Event, n)
	for i := range made {
		made[i] = event(i)
	}
	return made
}

// refused is an event that no service would take.
func refused() stream.Event {
	e := event(0)
	e.Data = []byte("\"\xff\"")
	return e
}

// Run tests the contract of a sink.
func Run(t *testing.T, s Service) {
	t.Helper()
	for name, check := range map[string]func(*testing.T){
		"events arrive as they are, in their order":                   s.arrive,
		"no events make no request":                                   s.none,
		"a refused event costs the others nothing":                    s.refuses,
		"a request carries the name of its call":                      s.named,
		"what passes can be tried again, and is not by the SDK":       s.passes,
		"what lasts is not tried again":                               s.lasts,
		"an answer that does not name an event does not confirm it":   s.unclear,
		"a panic of the client becomes an error":                      s.panics,
		"a call whose context ends returns its error":                 s.cancelled,
		"Deliver sends again what the whole request lost":             s.delivered,
		"Deliver sends again only what failed":                        s.resends,
		"Deliver packs as many events as a request can have":          s.packs,
		"Deliver gives up at once where another attempt cannot help":  s.givesUp,
		"an event counts its Data, and nothing larger than its bound": s.limits,
	} {
		t.Run(name, check)
	}
}

func (s Service) arrive(t *testing.T) {
	script := NewScript(func(r Request) Answer { return Answer{Body: s.OK(len(s.Sent(t, r)))} })
	outcomes, err := s.New(t, script.Config()).Put(t.Context(), events(7))
	require.NoError(t, err)
	require.Equal(t, make([]stream.Outcome, 7), outcomes)
	requests := script.Requests()
	require.Len(t, requests, 1)
	for i, data := range s.Sent(t, requests[0]) {
		require.Equal(t, string(event(i).Data), data)
	}
}

func (s Service) none(t *testing.T) {
	script := NewScript(func(Request) Answer { return Answer{Body: s.OK(0)} })
	outcomes, err := s.New(t, script.Config()).Put(t.Context(), nil)
	require.NoError(t, err)
	require.Empty(t, outcomes)
	outcomes, err = s.New(t, script.Config()).Put(t.Context(), []stream.Event{refused(), refused()})
	require.NoError(t, err)
	require.Len(t, outcomes, 2)
	for _, o := range outcomes {
		require.ErrorIs(t, o.Err, plaza.ErrInvalid)
		require.False(t, o.Retry)
	}
	require.Empty(t, script.Requests())
}

func (s Service) refuses(t *testing.T) {
	all := map[string]stream.Event{"no UTF-8": refused()}
	maps.Copy(all, s.Refused)
	for name, bad := range all {
		script := NewScript(func(r Request) Answer { return Answer{Body: s.OK(len(s.Sent(t, r)))} })
		outcomes, err := s.New(t, script.Config()).Put(t.Context(), []stream.Event{bad, event(1), bad, event(3)})
		require.NoError(t, err, name)
		require.Len(t, outcomes, 4, name)
		for i, o := range outcomes {
			if i%2 == 1 {
				require.Zero(t, o, name)
				continue
			}
			var invalid *plaza.InvalidError
			require.ErrorAs(t, o.Err, &invalid, name)
			require.True(t, name == invalid.Field || !strings.HasPrefix(name, "Event."), name)
			require.False(t, len(bad.Data) > 0 && strings.Contains(o.Err.Error(), string(bad.Data)), "no data in errors")
			require.False(t, o.Retry, name)
		}
		require.Equal(t, []string{string(event(1).Data), string(event(3).Data)}, s.Sent(t, script.Requests()[0]), name)
	}
}

func (s Service) named(t *testing.T) {
	if s.Package == "" {
		return
	}
	cfg := NewScript(func(Request) Answer { return Answer{Body: s.OK(1)} }).Config()
	cfg.HTTPClient = callstest.Client(t, cfg.HTTPClient)
	sink := s.New(t, cfg)
	put := func(ctx context.Context) error { return callstest.Failed(sink.Put(ctx, events(1))) }
	callstest.Run(t, "../..", s.Package, []struct {
		Call string
		Run  func(context.Context) error
	}{{"Sink.Put", put}})
}

// Failures of whole requests: those that a later attempt can pass, and those
// that last.
var passing, lasting = map[string]Answer{
	"throttling":       Refusal(http.StatusBadRequest, "ThrottlingException"),
	"of KMS":           Refusal(http.StatusBadRequest, "KmsThrottled"),
	"too many":         Refusal(http.StatusTooManyRequests, "Anything"),
	"old credentials":  Refusal(http.StatusBadRequest, "ExpiredTokenException"),
	"internal":         Refusal(http.StatusInternalServerError, "InternalFailure"),
	"unavailable":      Refusal(http.StatusServiceUnavailable, "ServiceUnavailableException"),
	"a gateway":        {Status: http.StatusBadGateway, Body: "<html>"},
	"not implemented":  {Status: http.StatusNotImplemented},
	"timed out":        Refusal(http.StatusRequestTimeout, "RequestTimeout"),
	"no connection":    {Err: errors.New("connection reset by peer")},
	"anything at all":  {Err: errors.New("who knows")},
	"garbled":          {Body: `{"Entries":[{`},
	"another language": {Body: `<html>`},
	"wrong types":      {Body: `{"Entries":7,"Successful":7,"RequestResponses":7}`},
}, map[string]Answer{
	"validation":    Refusal(http.StatusBadRequest, "ValidationException"),
	"access denied": Refusal(http.StatusBadRequest, "AccessDeniedException"),
	"forbidden":     Refusal(http.StatusForbidden, "Anything"),
	"not found":     Refusal(http.StatusBadRequest, "ResourceNotFoundException"),
	"signature":     Refusal(http.StatusBadRequest, "UnrecognizedClientException"),
	"too large":     {Status: http.StatusRequestEntityTooLarge},
}

// classes are the sentinels that callers see for some failures.
var classes = map[string]error{
	"throttling":      plaza.ErrBusy,
	"old credentials": plaza.ErrBusy,
	"internal":        plaza.ErrUnknownOutcome,
	"no connection":   plaza.ErrUnknownOutcome,
	"garbled":         plaza.ErrUnknownOutcome,
	"access denied":   plaza.ErrTable,
	"forbidden":       plaza.ErrTable,
	"not found":       plaza.ErrTable,
	"validation":      plaza.ErrInvalid,
	"signature":       plaza.ErrInvalid,
	"too large":       plaza.ErrInvalid,
}

func (s Service) passes(t *testing.T) {
	for name, answer := range passing {
		s.fails(t, name, answer, true)
	}
}

func (s Service) lasts(t *testing.T) {
	for name, answer := range lasting {
		s.fails(t, name, answer, false)
	}
}

// fails gives Put the answer, alone and beside an event that is refused. Either
// way the other events' outcomes say whether they can be tried again.
func (s Service) fails(t *testing.T, name string, answer Answer, again bool) {
	t.Helper()
	script := NewScript(func(Request) Answer { return answer })
	sink := s.New(t, script.Config())
	_, err := sink.Put(t.Context(), events(2))
	require.Error(t, err, name)
	if class, ok := classes[name]; ok {
		require.ErrorIs(t, err, class, name)
	}
	require.Len(t, script.Requests(), 1, name)
	outcomes, err := sink.Put(t.Context(), []stream.Event{event(0), refused()})
	require.NoError(t, err, name)
	require.Len(t, outcomes, 2, name)
	require.Error(t, outcomes[0].Err, name)
	require.Equal(t, again, outcomes[0].Retry, name)
	require.ErrorIs(t, outcomes[1].Err, plaza.ErrInvalid, name)
	require.False(t, outcomes[1].Retry, name)
	require.Len(t, script.Requests(), 2, name)
}

func (s Service) unclear(t *testing.T) {
	answers := map[string]string{"nothing": "", "an object": "{}", "null": "null", "of three": s.OK(3), "of one": s.OK(1)}
	maps.Copy(answers, s.Unclear)
	for name, body := range answers {
		script := NewScript(func(Request) Answer { return Answer{Body: body} })
		outcomes, err := s.New(t, script.Config()).Put(t.Context(), events(2))
		require.Len(t, script.Requests(), 1, name)
		if err != nil {
			require.ErrorIs(t, err, plaza.ErrUnknownOutcome, name)
			continue
		}
		require.Len(t, outcomes, 2, name)
		confirmed := 0
		for _, o := range outcomes {
			if o.Err == nil {
				confirmed++
				continue
			}
			assert.True(t, o.Retry, name)
		}
		switch name { // by ids
		case "of three":
			assert.LessOrEqual(t, confirmed, 2)
		case "of one":
			assert.LessOrEqual(t, confirmed, 1)
		default:
			assert.Zero(t, confirmed, name)
		}
	}
}

func (s Service) panics(t *testing.T) {
	script := NewScript(func(Request) Answer { panic("a transport") })
	_, err := s.New(t, script.Config()).Put(t.Context(), events(2))
	require.Error(t, err)
}

func (s Service) cancelled(t *testing.T) {
	for name, end := range map[string]func(Request) Answer{
		"as the context does": func(r Request) Answer {
			<-r.HTTP.Context().Done()
			return Answer{Err: r.HTTP.Context().Err()}
		},
		"with a broken connection": func(Request) Answer { return Answer{Err: errors.New("broken pipe")} },
		"with half an answer":      func(Request) Answer { return Answer{Body: "{"} },
	} {
		ctx, cancel := context.WithCancel(t.Context())
		script := NewScript(func(r Request) Answer {
			cancel()
			return end(r)
		})
		sink := s.New(t, script.Config())
		for range 2 { // while it waits, and before
			_, err := sink.Put(ctx, events(2))
			require.ErrorIs(t, err, context.Canceled, name)
		}
		dead := new(Dead)
		for _, err := range stream.Deliver(ctx, sink, events(2), Quick(3), dead) {
			require.ErrorIs(t, err, context.Canceled, name)
		}
		require.Empty(t, dead.Letters, name)
	}
}

// Quick is a policy without pauses.
func Quick(attempts int) stream.Policy {
	return stream.Policy{Attempts: attempts, Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }}
}

// Deliver delivers events in up to three attempts, and returns the dead letters.
func Deliver(t *testing.T, sink stream.Sink, events []stream.Event) []stream.Dead {
	t.Helper()
	dead := new(Dead)
	for i, err := range stream.Deliver(t.Context(), sink, events, Quick(3), dead) {
		require.NoError(t, err, "event %d", i)
	}
	return dead.Letters
}

func (s Service) delivered(t *testing.T) {
	for name, answer := range passing {
		var calls atomic.Int64
		script := NewScript(func(r Request) Answer {
			if calls.Add(1) < 3 {
				return answer
			}
			return Answer{Body: s.OK(len(s.Sent(t, r)))}
		})
		require.Empty(t, Deliver(t, s.New(t, script.Config()), events(2)), name)
		require.Len(t, script.Requests(), 3, name)
	}
}

func (s Service) resends(t *testing.T) {
	all := events(7)
	bad := []string{string(all[2].Data), string(all[5].Data)}
	var calls [][]string
	script := NewScript(func(r Request) Answer {
		sent, failed := s.Sent(t, r), []int(nil)
		calls = append(calls, sent)
		for i, data := range sent {
			if slices.Contains(bad, data) && (len(calls) < 3 || data == bad[1]) {
				failed = append(failed, i)
			}
		}
		return Answer{Body: s.Some(len(sent), failed)}
	})
	dead := Deliver(t, s.New(t, script.Config()), all)
	require.Len(t, calls, 3)
	require.Len(t, calls[0], 7)
	require.Equal(t, bad, calls[1])
	require.Equal(t, bad, calls[2])
	require.Len(t, dead, 1, "the other one arrived at last")
	require.Equal(t, all[5].ID, dead[0].Seq)
	require.Equal(t, 3, dead[0].Attempts)
}

func (s Service) packs(t *testing.T) {
	for _, p := range s.Packs {
		script := NewScript(func(r Request) Answer { return Answer{Body: s.OK(len(s.Sent(t, r)))} })
		made := events(p.Events)
		for i := range made {
			made[i].ID, made[i].Source, made[i].Type, made[i].At, made[i].Data = "i", "s", "t", time.Time{}, Text(p.Bytes)
		}
		require.Len(t, Deliver(t, s.New(t, script.Config()), made), p.Dead)
		var calls []int
		for _, r := range script.Requests() {
			calls = append(calls, len(s.Sent(t, r)))
		}
		require.Equal(t, p.Calls, calls, "%d of %d bytes", p.Events, p.Bytes)
	}
}

func (s Service) givesUp(t *testing.T) {
	for name, answer := range lasting {
		script := NewScript(func(Request) Answer { return answer })
		require.Len(t, Deliver(t, s.New(t, script.Config()), events(2)), 2, name)
		require.Len(t, script.Requests(), 1, name)
	}
}

func (s Service) limits(t *testing.T) {
	script := NewScript(func(r Request) Answer { return Answer{Body: s.OK(len(s.Sent(t, r)))} })
	sink := s.New(t, script.Config())
	limit := sink.Limit()
	require.Positive(t, limit.Events)
	require.LessOrEqual(t, limit.Event, limit.Bytes)
	fits := event(0)
	fits.Data = Text(limit.Event - (limit.Size(fits) - len(fits.Data)))
	require.Equal(t, limit.Event, limit.Size(fits))
	over := event(1)
	over.Data = Text(len(fits.Data) + 1)
	require.Len(t, Deliver(t, sink, []stream.Event{fits, over}), 1)
	require.Len(t, script.Requests(), 1)
	require.Equal(t, []string{string(fits.Data)}, s.Sent(t, script.Requests()[0]))
}

// Text is a JSON object of n bytes.
func Text(n int) []byte {
	return []byte(`{"text":"` + strings.Repeat("x", n-len(`{"text":""}`)) + `"}`)
}

// Dead keeps dead letters in memory.
type Dead struct{ Letters []stream.Dead }

// Put implements stream.DeadLetters.
func (d *Dead) Put(_ context.Context, letter stream.Dead) error {
	d.Letters = append(d.Letters, letter)
	return nil
}

// Refused requires that New refused each field.
func Refused(t *testing.T, errs map[string]error) {
	t.Helper()
	for field, err := range errs {
		var invalid *plaza.InvalidError
		require.ErrorAs(t, err, &invalid, field)
		require.Equal(t, field, invalid.Field)
	}
}

// Read reads a request's body.
func Read[T any](t *testing.T, r Request) T {
	t.Helper()
	var got T
	require.NoError(t, json.Unmarshal(r.Body, &got))
	return got
}
