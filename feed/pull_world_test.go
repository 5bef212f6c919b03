package feed_test

import (
	"bytes"
	"context"
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// drawn is a test within a rapid check: it fails, logs and cleans up as that
// does.
type drawn struct {
	testing.TB
	check *rapid.T
}

func (d drawn) Error(args ...any)                 { d.check.Error(args...) }
func (d drawn) Errorf(format string, args ...any) { d.check.Errorf(format, args...) }
func (d drawn) Fail()                             { d.check.Fail() }
func (d drawn) FailNow()                          { d.check.FailNow() }
func (d drawn) Failed() bool                      { return d.check.Failed() }
func (d drawn) Fatal(args ...any)                 { d.check.Fatal(args...) }
func (d drawn) Fatalf(format string, args ...any) { d.check.Fatalf(format, args...) }
func (d drawn) Log(args ...any)                   { d.check.Log(args...) }
func (d drawn) Logf(format string, args ...any)   { d.check.Logf(format, args...) }
func (d drawn) Cleanup(f func())                  { d.check.Cleanup(f) }

// shifted makes ids by a clock that the test moves.
type shifted struct {
	*ids.Generator
	clock *clock
}

func (s shifted) Next(ctx context.Context) (ids.ID, error) {
	id, err := s.Generator.Next(ctx)
	now := id.Time().Add(time.Duration(s.clock.offset.Load()))
	return ids.At(now) | id&(ids.At(id.Time().Add(time.Millisecond))-ids.At(id.Time())-1), err
}

// timed is another process on the tables of w, all of whose time is the clock's.
func (w world) timed(t testing.TB, clock *clock, opts feed.Options, wrap ...func(aws.HTTPClient) aws.HTTPClient) world {
	t.Helper()
	w.db, w.gen, opts.Now = dynamotest.DB(t, wrap...), shifted{generator(t), clock}, clock.now
	return w.open(t, &opts)
}

// settle finishes all deliveries and switches, also those of processes that
// died.
func (w world) settle(t testing.TB, clock *clock) {
	t.Helper()
	for range 20 {
		clock.advance(31 * time.Second) // past every lease
		w.deliver(t)
		if len(w.jobs(t)) == 0 {
			return
		}
	}
	require.Fail(t, "jobs that do not end", "%+v", w.jobs(t))
}

// held calls do, once, just before the first request for which on is true. The test fails
// without one.
func held(t testing.TB, on func(op string, body []byte) bool, do func()) func(aws.HTTPClient) aws.HTTPClient {
	in, did := faults.New(t, 1, faults.Rates{}), false
	in.Script(func(op string, body []byte, _ int) faults.Fault {
		if !did && on(op, body) {
			did = true
			do()
		}
		return faults.Fault{}
	})
	t.Cleanup(func() { require.True(t, did, "nothing was held") })
	return in.Wrap
}

// writing reports whether a request writes and has all the texts.
func writing(texts ...string) func(op string, body []byte) bool {
	return func(op string, body []byte) bool {
		if op == "Query" || op == "GetItem" || op == "BatchGetItem" {
			return false
		}
		return has(body, texts...)
	}
}

// reading is writing for requests that read.
func reading(texts ...string) func(op string, body []byte) bool {
	return func(op string, body []byte) bool {
		return (op == "Query" || op == "GetItem" || op == "BatchGetItem") && has(body, texts...)
	}
}

func has(body []byte, texts ...string) bool {
	return !slices.ContainsFunc(texts, func(text string) bool { return !bytes.Contains(body, []byte(text)) })
}
