package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/parallel"
)

const (
	attempts  = 10
	firstWait = 4 * time.Millisecond
	maxWait   = 400 * time.Millisecond
)

// sleep waits before the given attempt: exponential backoff with full jitter.
func sleep(ctx context.Context, attempt int) error {
	wait := min(firstWait<<attempt, maxWait)
	return parallel.Sleep(ctx, rand.N(wait))
}

// passing reports whether the whole write was refused for passing reasons that
// the SDK does not retry. Beside such a reason failed conditions do not count:
// DynamoDB judges each write of a transaction alone, perhaps while another
// attempt at the same transaction is half applied, or is still under way.
func passing(err error) bool {
	var conflict *types.TransactionConflictException
	if errors.As(err, &conflict) || underWay(err) {
		return true
	}
	var canceled *types.TransactionCanceledException
	if !errors.As(err, &canceled) {
		return false
	}
	again := false
	for _, reason := range canceled.CancellationReasons {
		switch code(reason) {
		case "None", "ConditionalCheckFailed":
		case "TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded":
			again = true
		default:
			return false
		}
	}
	return again
}

func code(reason types.CancellationReason) string {
	if reason.Code == nil {
		return "None"
	}
	return *reason.Code
}

type option = func(*dynamodb.Options)

// tries notes how the attempts at a call ended, those of the SDK too.
type tries struct {
	lost     atomic.Bool // one may have been applied, and has no usable answer
	answered atomic.Bool // DynamoDB answered one
	options  atomic.Pointer[dynamodb.Options]
	dates    *clock // may be nil
}

// note is the option that makes a call's attempts known.
func (s *tries) note(o *dynamodb.Options) {
	s.options.Store(o)
	if s.dates != nil {
		o.HTTPClient = listener{o.HTTPClient, s.dates}
	}
	o.APIOptions = append(o.APIOptions, func(stack *middleware.Stack) error { return stack.Finalize.Add(s, middleware.After) })
}

// ID names s among the SDK's steps.
func (*tries) ID() string { return "plaza" }

// HandleFinalize sends one attempt, which has its endpoint and signature by now.
func (s *tries) HandleFinalize(ctx context.Context, in middleware.FinalizeInput, next middleware.FinalizeHandler) (middleware.FinalizeOutput, middleware.Metadata, error) {
	out, metadata, err := next.HandleFinalize(ctx, in)
	switch {
	case err == nil, refused(err):
		s.answered.Store(true)
	case !Unsent(err):
		s.lost.Store(true)
	}
	return out, metadata, err
}

// failed wraps the error of a call with the sentinel that callers know. It keeps the
// cause.
func (t *Table) failed(ctx context.Context, err error, seen *tries, write bool) error {
	class := seen.class(ctx, err, write)
	if class == nil {
		return fmt.Errorf("table %s: %w", t.name, err)
	}
	at := ""
	if errors.Is(class, plaza.ErrUnavailable) {
		o := cmp.Or(seen.options.Load(), &dynamodb.Options{})
		at = " at " + cmp.Or(aws.ToString(o.BaseEndpoint), "region "+o.Region)
	}
	return fmt.Errorf("table %s%s: %w: %w", t.name, at, class, err)
}

func (s *tries) class(ctx context.Context, err error, write bool) error {
	lost, answered := s.lost.Load(), s.answered.Load()
	var missing *types.ResourceNotFoundException
	var call *smithy.OperationError
	switch {
	case errors.Is(err, plaza.ErrCorrupt): // which is a class
	case write && lost:
		return plaza.ErrUnknownOutcome
	case !lost && !answered && errors.As(err, &call) && ctx.Err() == nil:
		return plaza.ErrUnavailable
	case errors.As(err, &missing), wrongKeySchema(err), denied(err):
		return plaza.ErrTable
	case passing(err), throttled(err):
		return plaza.ErrBusy
	case refused(err), !write && ctx.Err() != nil: // of no class
	case lost, answered:
		return plaza.ErrBusy
	}
	return nil //nolint:nilerr // err is of no class, or has one
}

func denied(err error) bool {
	var api smithy.APIError
	return errors.As(err, &api) && api.ErrorCode() == "AccessDeniedException"
}

func throttled(err error) bool {
	return retry.ThrottleErrorCode{Codes: retry.DefaultThrottleErrorCodes}.IsErrorThrottle(err).Bool()
}

// refused reports whether DynamoDB refused a request, so that it was not applied.
func refused(err error) bool {
	var response *smithyhttp.ResponseError
	var garbled *smithy.DeserializationError
	return errors.As(err, &response) && response.HTTPStatusCode()/100 == 4 && !errors.As(err, &garbled) && !underWay(err)
}

// underWay reports whether an earlier attempt at the same transaction has not ended.
func underWay(err error) bool {
	var progress *types.TransactionInProgressException
	return errors.As(err, &progress)
}

// Unsent reports whether a request cannot have left this process: it had no credentials,
// no endpoint or no connection.
func Unsent(err error) bool {
	var call *smithy.OperationError
	var response *smithyhttp.ResponseError
	var dial *net.OpError
	var post *url.Error
	return errors.As(err, &call) && !errors.As(err, &response) ||
		errors.As(err, &dial) && (dial.Op == "dial" || dial.Op == "proxyconnect") ||
		errors.As(err, &post) && (strings.HasPrefix(post.Err.Error(), "unsupported protocol scheme") || post.Err.Error() == "http: no Host in request URL")
}

// TooLarge reports whether a write was refused because its item would be larger
// than DynamoDB allows. That error has no code of its own.
func TooLarge(err error) bool {
	var api smithy.APIError
	return errors.As(err, &api) && api.ErrorCode() == "ValidationException" &&
		strings.Contains(api.ErrorMessage(), "exceeded the maximum allowed size")
}

// wrongKeySchema recognises the validation errors for keys of another schema.
// They have no code of their own.
func wrongKeySchema(err error) bool {
	var api smithy.APIError
	if !errors.As(err, &api) {
		return false
	}
	text := api.ErrorMessage()
	var canceled *types.TransactionCanceledException
	if errors.As(err, &canceled) {
		for _, reason := range canceled.CancellationReasons {
			if code(reason) == "ValidationError" && reason.Message != nil {
				text += *reason.Message
			}
		}
	} else if api.ErrorCode() != "ValidationException" {
		return false
	}
	for _, phrase := range []string{
		"does not match the schema",
		"does not match schema type",
		"required keys was not given",
		"Missing the key",
		"missed key schema element",
		"Type mismatch for key",
		"number of conditions on the keys is invalid",
		"exceeds the number of key attributes",
		"key condition not supported",
		"does not have the specified index",
	} {
		if strings.Contains(text, phrase) {
			return true
		}
	}
	return false
}
