// Package wire reads and rewrites the HTTP messages of DynamoDB's JSON protocol, for
// test code between a client and the engine.
package wire

import (
	"bytes"
	"errors"
	"hash/crc32"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// Request is one call.
type Request struct {
	HTTP *http.Request
	Op   string // e.g. "PutItem"
	Body []byte
}

// Read reads the body of r. Send only what As or Again returns, never r itself.
func Read(r *http.Request) (Request, error) {
	target := r.Header.Get("X-Amz-Target")
	out := Request{HTTP: r, Op: target[strings.LastIndexByte(target, '.')+1:]}
	if r.Body == nil {
		return out, nil
	}
	var err error
	out.Body, err = drain(r.Body)
	return out, err
}

// As returns an HTTP request for another operation or body. The signature is
// the old one: DynamoDB Local does not check it.
func (r Request) As(op string, body []byte) *http.Request {
	out := r.HTTP.Clone(r.HTTP.Context())
	target := out.Header.Get("X-Amz-Target")
	out.Header.Set("X-Amz-Target", strings.TrimSuffix(target, r.Op)+op)
	out.Header.Set("Content-Length", strconv.Itoa(len(body)))
	out.ContentLength = int64(len(body))
	out.Body = io.NopCloser(bytes.NewReader(body))
	out.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	return out
}

// Again returns an HTTP request that sends the same once more.
func (r Request) Again() *http.Request { return r.As(r.Op, r.Body) }

// Answer returns a made-up response to r.
func (r Request) Answer(status int, body []byte) *http.Response {
	out := &http.Response{
		Status:     strconv.Itoa(status) + " " + http.StatusText(status),
		StatusCode: status,
		Proto:      "HTTP/1.1",
		ProtoMajor: 1,
		ProtoMinor: 1,
		Header:     http.Header{"Content-Type": {"application/x-amz-json-1.0"}},
		Request:    r.HTTP,
	}
	SetBody(out, body)
	return out
}

// Body reads the body of a response. SetBody puts it back.
func Body(r *http.Response) ([]byte, error) {
	return drain(r.Body)
}

func drain(body io.ReadCloser) ([]byte, error) {
	data, err := io.ReadAll(body)
	return data, errors.Join(err, body.Close())
}

// SetBody replaces the body, its length and its checksum.
func SetBody(r *http.Response, body []byte) {
	r.Body = io.NopCloser(bytes.NewReader(body))
	r.ContentLength = int64(len(body))
	r.Header.Set("Content-Length", strconv.Itoa(len(body)))
	r.Header.Set("X-Amz-Crc32", strconv.FormatUint(uint64(crc32.ChecksumIEEE(body)), 10))
}
