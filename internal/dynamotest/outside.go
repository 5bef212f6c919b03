package dynamotest

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/plaza-sdk/plaza"
)

type outside struct {
	next  aws.HTTPClient
	slots chan *slot
}

type slot struct {
	in  chan *http.Request
	out chan reply
}

type reply struct {
	res *http.Response
	err error
}

// Outside lets clients in a bubble of synctest use the engine: goroutines outside of
// the bubble send their requests. Inside, answers take no time, idle connections do
// not stop the clock, and Dates are those of the bubble. Call Outside before the
// bubble begins, and the function that it returns inside.
func Outside(t testing.TB, wrap func(aws.HTTPClient) aws.HTTPClient) func(aws.HTTPClient) aws.HTTPClient {
	const n = 32
	o := &outside{slots: make(chan *slot, n)}
	ready := make(chan struct{})
	for range n {
		s := &slot{make(chan *http.Request), make(chan reply, 1)}
		t.Cleanup(func() { close(s.in) })
		go func() {
			<-ready
			for r := range s.in {
				s.out <- o.send(r)
			}
		}()
		o.slots <- s
	}
	var once sync.Once
	return func(next aws.HTTPClient) aws.HTTPClient {
		once.Do(func() { o.next = wrap(next); close(ready) })
		return o
	}
}

func (o *outside) send(r *http.Request) reply {
	res, err := o.next.Do(r)
	if err != nil {
		return reply{nil, err}
	}
	body, err := io.ReadAll(res.Body)
	_ = res.Body.Close()
	res.Body = io.NopCloser(bytes.NewReader(body))
	return reply{res, err}
}

func (o *outside) Do(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		var err error
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
	}
	out := r.Clone(plaza.WithOperation(context.Background(), plaza.Operation(r.Context())))
	out.Body = io.NopCloser(bytes.NewReader(body))
	s := <-o.slots
	s.in <- out
	select {
	case a := <-s.out:
		o.slots <- s
		if a.err == nil {
			a.res.Header.Set("Date", time.Now().UTC().Format(http.TimeFormat)) // the bubble's, as plazatest.OwnDates
		}
		return a.res, a.err
	case <-r.Context().Done():
		go func() { <-s.out; o.slots <- s }()
		return nil, r.Context().Err()
	}
}
