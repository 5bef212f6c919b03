package feed_test

import (
	"bytes"
	"context"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/dynamotest/wire"
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
	w.db, w.gen = dynamotest.DB(t, wrap...), generator(t)
	source := shifted{w.gen, clock}
	opts.Now = clock.now
	var err error
	w.follows, err = follow.New(w.db, w.followTable, source, nil)
	require.NoError(t, err)
	w.Repository, err = feed.New(w.db, w.feedTable, source, w.follows, sharded(&opts))
	require.NoError(t, err)
	return w
}

// settle finishes all deliveries and switches, also those of processes that
// died.
func (w world) settle(t testing.TB, clock *clock) {
	t.Helper()
	for range 20 {
		clock.advance(31 * time.Second) // past every lease
		_, err := w.Deliver(t.Context())
		require.NoError(t, err)
		if len(w.jobs(t)) == 0 {
			return
		}
	}
	require.Fail(t, "jobs that do not end", "%+v", w.jobs(t))
}

// pause calls do just before the first request for which on is true.
type pause struct {
	on func(op string, body []byte) bool
	do func()

	did atomic.Bool
}

func (p *pause) Wrap(next aws.HTTPClient) aws.HTTPClient {
	return doer(func(r *http.Request) (*http.Response, error) {
		req, err := wire.Read(r)
		if err != nil {
			return nil, err
		}
		if p.on(req.Op, req.Body) && p.did.CompareAndSwap(false, true) {
			p.do()
		}
		return next.Do(req.Again())
	})
}

// held is a pause, without which the test fails.
func held(t testing.TB, on func(op string, body []byte) bool, do func()) func(aws.HTTPClient) aws.HTTPClient {
	p := &pause{on: on, do: do}
	t.Cleanup(func() {
		if !p.did.Load() {
			t.Error("nothing was held")
		}
	})
	return p.Wrap
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
