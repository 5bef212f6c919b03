package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// fault is what happens to a request to DynamoDB.
type fault int

const (
	fine       fault = iota
	cut              // it does not arrive
	unanswered       // it arrives, and its answer does not
	throttled        // it is refused
	stale            // it gets the first answer to the same request
)

// line is the connection to DynamoDB. It is broken while fault is set.
type line struct {
	next aws.HTTPClient

	mu    sync.Mutex
	fault func(action string, body []byte) fault
	first map[string][]byte // answers, by request
}

func (l *line) wrap(next aws.HTTPClient) aws.HTTPClient {
	l.next, l.first = next, map[string][]byte{}
	return l
}

// breaks makes each request suffer what fault returns; nil repairs the line.
func (l *line) breaks(fault func(action string, body []byte) fault) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.fault = fault
}

func (l *line) Do(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	_, action, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	l.mu.Lock()
	now := fine
	if l.fault != nil {
		now = l.fault(action, body)
	}
	l.mu.Unlock()
	switch now {
	case cut:
		return nil, errors.New("the request is lost")
	case throttled:
		return answered(r, http.StatusBadRequest, []byte(`{"__type":"com.amazonaws.dynamodb.v20120810#ThrottlingException"}`)), nil
	}
	res, err := l.next.Do(r)
	if err != nil || now == fine {
		return res, err
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, err
	}
	if now == unanswered {
		return nil, errors.New("the answer is lost")
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	request := action + sorted(body)
	if l.first[request] == nil {
		l.first[request] = answer
	}
	return answered(r, res.StatusCode, l.first[request]), nil
}

func answered(r *http.Request, status int, body []byte) *http.Response {
	return &http.Response{
		StatusCode: status, ProtoMajor: 1, ProtoMinor: 1, Request: r,
		Header: http.Header{"Content-Type": {"application/x-amz-json-1.0"}},
		Body:   io.NopCloser(bytes.NewReader(body)),
	}
}

// sorted returns the same text for equal requests. The SDK writes maps in random order.
func sorted(body []byte) string {
	var fields map[string]any
	if json.Unmarshal(body, &fields) != nil {
		return ""
	}
	text, _ := json.Marshal(fields)
	return string(text)
}
