package faults

import (
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// Steps lets the requests of a call pass one by one, so that a test can choose the order of
// those of several processes.
type Steps struct {
	next           aws.HTTPClient
	waiting, begin chan struct{}
	ended          chan struct{} // nil before the call
	over           bool
}

// NewSteps returns Steps of one process.
func NewSteps() *Steps { return &Steps{waiting: make(chan struct{}), begin: make(chan struct{})} }

// Wrap puts s before next. It wraps only one client.
func (s *Steps) Wrap(next aws.HTTPClient) aws.HTTPClient {
	s.next = next
	return s
}

// Do waits for its turn.
func (s *Steps) Do(r *http.Request) (*http.Response, error) {
	if s.over {
		return s.next.Do(r)
	}
	s.waiting <- struct{}{}
	<-s.begin
	return s.next.Do(r)
}

// Start begins a call, if none was begun, and waits for its first request.
func (s *Steps) Start(call func()) {
	if s.ended != nil {
		return
	}
	s.ended = make(chan struct{})
	go func() {
		defer close(s.ended)
		call()
	}()
	s.await()
}

// Step lets one request pass, and waits for the next or the end of the call. It reports
// whether the call goes on.
func (s *Steps) Step() bool {
	if !s.over {
		s.begin <- struct{}{}
		s.await()
	}
	return !s.over
}

func (s *Steps) await() {
	select {
	case <-s.waiting:
	case <-s.ended:
		s.over = true
	}
}

// Finish lets all requests pass.
func (s *Steps) Finish() {
	for s.Step() {
	}
}
