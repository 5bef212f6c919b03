// Package awssink has what the sinks to AWS services share: refusing bad events
// before they are sent, and classifying a request's error.
package awssink

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/jsontext"
	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/stream"
)

// Put sends the events that refuse accepts, because one bad entry can fail the
// whole request. The outcome of a refused event is permanent. send returns an
// outcome for each event that it is given; what names the request in errors.
func Put(ctx context.Context, what string, events []stream.Event, refuse func(stream.Event) error, send func([]stream.Event) ([]stream.Outcome, error)) ([]stream.Outcome, error) {
	outcomes := make([]stream.Outcome, len(events))
	var accepted []stream.Event
	var at []int // their indexes in events
	for i, e := range events {
		if err := refuse(e); err != nil {
			outcomes[i] = stream.Outcome{Err: err}
			continue
		}
		accepted, at = append(accepted, e), append(at, i)
	}
	if len(accepted) == 0 {
		return outcomes, nil
	}
	sent, err := try(func() ([]stream.Outcome, error) { return send(accepted) })
	if err != nil {
		again, err := classify(ctx, err)
		err = fmt.Errorf("%s: %w", what, err)
		switch {
		case len(accepted) < len(events): // the refused ones keep their own outcomes
			for _, i := range at {
				outcomes[i] = stream.Outcome{Err: err, Retry: again}
			}
			return outcomes, nil
		case again:
			return nil, err
		}
		return nil, stream.Permanent(err)
	}
	for i, outcome := range sent {
		outcomes[at[i]] = outcome
	}
	return outcomes, nil
}

// Call makes a request and classifies its error as Put does.
func Call[T any](ctx context.Context, what string, request func() (T, error)) (T, error) {
	got, err := try(request)
	if err == nil {
		return got, nil
	}
	again, err := classify(ctx, err)
	err = fmt.Errorf("%s: %w", what, err)
	if !again {
		err = stream.Permanent(err)
	}
	return got, err
}

// try returns a panic as an error: the SDK's checksum check of SQS panics if an
// answer lacks an id.
func try[T any](request func() (T, error)) (got T, err error) {
	err = parallel.Catch(func() error {
		got, err = request()
		return err
	})
	return got, err
}

// classify wraps the SDK's error with the sentinel that callers know, and reports
// whether the same request can succeed later. An unknown error counts as one that
// can: a repeat costs a request, giving up costs the events.
func classify(ctx context.Context, err error) (again bool, _ error) {
	if ctx.Err() != nil {
		return true, errors.Join(ctx.Err(), err)
	}
	switch status, code := statusOf(err), codeOf(err); {
	case Throttled(code), status == http.StatusTooManyRequests, slices.Contains(expired, code):
		return true, fmt.Errorf("%w: %w", plaza.ErrBusy, err)
	case status < http.StatusBadRequest, status >= http.StatusInternalServerError:
		return true, fmt.Errorf("%w: %w", plaza.ErrUnknownOutcome, err)
	case retry.IsErrorRetryables(retry.DefaultRetryables).IsErrorRetryable(err).Bool(): // such as a wrong clock, which the SDK has now corrected
		return true, fmt.Errorf("%w: %w", plaza.ErrBusy, err)
	case status == http.StatusForbidden, status == http.StatusNotFound, strings.HasPrefix(code, "AccessDenied"), slices.Contains(absent, code):
		return false, fmt.Errorf("%w: %w", plaza.ErrTable, err)
	}
	return false, fmt.Errorf("%w: %w", plaza.ErrInvalid, err)
}

var (
	// Credentials that have just expired: the next request is signed by new ones.
	expired = []string{"ExpiredToken", "ExpiredTokenException", "RequestExpired"}
	absent  = []string{"AWS.SimpleQueueService.NonExistentQueue", "QueueDoesNotExist", "ResourceNotFoundException"}
)

// Throttled reports whether an error code means that there were too many
// requests.
func Throttled(code string) bool {
	_, known := retry.DefaultThrottleErrorCodes[code]
	return known || code == "OverLimit" || strings.Contains(code, "Throttled")
}

// statusOf is 0 if there was no answer.
func statusOf(err error) int {
	var response *smithyhttp.ResponseError
	if errors.As(err, &response) {
		return response.HTTPStatusCode()
	}
	return 0
}

func codeOf(err error) string {
	var api smithy.APIError
	if errors.As(err, &api) {
		return api.ErrorCode()
	}
	return ""
}

// Refused is the outcome of an entry that the service answered with a code. The
// message beside it may hold data of the event.
func Refused(service, code string, again bool) stream.Outcome {
	err := fmt.Errorf("%s: %w", service, &smithy.GenericAPIError{Code: code, Message: "entry refused"})
	return stream.Outcome{Err: err, Retry: again}
}

// Unnamed is the outcome of an entry that the answer does not mention.
func Unnamed(service string) stream.Outcome {
	return stream.Outcome{Err: fmt.Errorf("%s: %w", service, stream.ErrOutcomes), Retry: true}
}

// JSON refuses anything but one JSON value that is Unicode. The SDK would silently
// replace other bytes.
func JSON(data []byte) error {
	if !jsontext.Valid(data) {
		return &plaza.InvalidError{Field: "Event.Data", Reason: "is not JSON, or not Unicode"}
	}
	return nil
}
