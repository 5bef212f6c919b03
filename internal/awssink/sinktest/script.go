// Package sinktest is the contract of the sinks to AWS services. It runs them
// over scripted HTTP.
package sinktest

import (
	"bytes"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/credentials"
)

// Request is what a client sent.
type Request struct {
	Op   string // e.g. "PutEvents"
	Body []byte
	HTTP *http.Request
}

// Answer is the response to a request, or the error of its connection.
type Answer struct {
	Status int // 0: 200
	Body   string
	Err    error
}

// Refusal is the answer of a service that refuses a whole request.
func Refusal(status int, code string) Answer {
	return Answer{Status: status, Body: `{"__type":"com.amazonaws.test#` + code + `","message":"a message"}`}
}

// Script is a transport that answers requests itself and keeps them.
type Script struct {
	answer func(Request) Answer

	mu       sync.Mutex
	requests []Request
}

// NewScript returns a transport whose answers come from the function.
func NewScript(answer func(Request) Answer) *Script { return &Script{answer: answer} }

// RoundTrip implements http.RoundTripper.
func (s *Script) RoundTrip(r *http.Request) (*http.Response, error) {
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	target := r.Header.Get("X-Amz-Target")
	request := Request{Op: target[strings.LastIndexByte(target, '.')+1:], Body: body, HTTP: r}
	s.mu.Lock()
	s.requests = append(s.requests, request)
	s.mu.Unlock()
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	a := s.answer(request)
	if a.Err != nil {
		return nil, a.Err
	}
	if a.Status == 0 {
		a.Status = http.StatusOK
	}
	return &http.Response{
		Status:        strconv.Itoa(a.Status) + " " + http.StatusText(a.Status),
		StatusCode:    a.Status,
		Proto:         "HTTP/1.1",
		ProtoMajor:    1,
		ProtoMinor:    1,
		Header:        http.Header{"Content-Type": {r.Header.Get("Content-Type")}},
		ContentLength: int64(len(a.Body)),
		Body:          io.NopCloser(bytes.NewBufferString(a.Body)),
		Request:       r,
	}, nil
}

// Requests returns the requests so far.
func (s *Script) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// Config configures a client whose requests go to the script. It retries as
// often as by default, but without a pause.
func (s *Script) Config() aws.Config {
	return aws.Config{
		Region:      "us-east-1",
		Credentials: credentials.NewStaticCredentialsProvider("id", "secret", ""),
		HTTPClient:  &http.Client{Transport: s},
		Retryer: func() aws.Retryer {
			return retry.NewStandard(func(o *retry.StandardOptions) {
				o.Backoff = retry.BackoffDelayerFunc(func(int, error) (time.Duration, error) { return 0, nil })
			})
		},
	}
}
