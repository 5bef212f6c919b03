package store_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/store"
)

// spoiling changes the answers that pass through it while it is on.
type spoiling struct {
	next  aws.HTTPClient
	on    *atomic.Bool
	spoil func(*http.Response, []byte)
}

// spoiled is a wrap that is on from the start.
func spoiled(spoil func(*http.Response, []byte)) func(aws.HTTPClient) aws.HTTPClient {
	on := new(atomic.Bool)
	on.Store(true)
	return func(next aws.HTTPClient) aws.HTTPClient { return spoiling{next, on, spoil} }
}

func (s spoiling) Do(r *http.Request) (*http.Response, error) {
	resp, err := s.next.Do(r)
	if err != nil || !s.on.Load() {
		return resp, err
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	resp.Header.Del("X-Amz-Crc32")
	s.spoil(resp, body)
	return resp, nil
}

func answer(status int, body string) func(*http.Response, []byte) {
	return func(resp *http.Response, _ []byte) {
		resp.StatusCode = status
		resp.ContentLength = int64(len(body))
		resp.Body = io.NopCloser(strings.NewReader(body))
	}
}

// cut ends like a connection that was closed in the middle of an answer.
type cut struct{ io.Reader }

func (c cut) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

func (cut) Close() error { return nil }

func TestUnusableAnswersAreClassified(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*http.Response, []byte){
		"garbled":    answer(http.StatusOK, "\x00\xff{garbage"),
		"cut short":  func(resp *http.Response, body []byte) { resp.Body = cut{bytes.NewReader(body[:len(body)/2])} },
		"half of it": func(resp *http.Response, body []byte) { answer(http.StatusOK, string(body[:1]))(resp, nil) },
		"another type": answer(http.StatusOK,
			`{"Item":5,"Items":{},"Responses":7,"UnprocessedItems":[],"Count":"x","Attributes":[1]}`),
		"a proxy's page":   answer(http.StatusBadGateway, "<html>bad gateway</html>"),
		"a gateway's wait": answer(http.StatusGatewayTimeout, ""),
		"an inner fault":   answer(http.StatusInternalServerError, `{"__type":"InternalServerError"}`),
		"denied": answer(http.StatusBadRequest,
			`{"__type":"com.amazon.coral.service#AccessDeniedException","message":"User is not authorized"}`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			on := new(atomic.Bool)
			spoils := func(next aws.HTTPClient) aws.HTTPClient { return spoiling{next, on, spoil} }
			simulated(t, func(t *testing.T, table *store.Table, _ *faults.Injector) {
				on.Store(true)
				for call, do := range others {
					err := do(t.Context(), table)
					want := plaza.ErrBusy
					switch {
					case name == "denied":
						want = plaza.ErrTable
					case strings.HasPrefix(call, "batch ") && call != "batch get":
						want = plaza.ErrUnknownOutcome
					}
					require.ErrorIs(t, err, want, call)
					for _, other := range []error{plaza.ErrInvalid, plaza.ErrBusy, plaza.ErrUnavailable, plaza.ErrUnknownOutcome, plaza.ErrTable, plaza.ErrCorrupt} {
						if other != want {
							require.NotErrorIs(t, err, other, call)
						}
					}
				}
				for kind, write := range writes {
					err := table.Run(t.Context(), write(table))
					if name == "denied" {
						require.ErrorIs(t, err, plaza.ErrTable, kind)
					} else if err != nil { // some writes do not need their answer
						require.ErrorIs(t, err, plaza.ErrUnknownOutcome, kind)
					}
				}
			}, spoils)
		})
	}
}
