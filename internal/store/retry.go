package store

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/plaza-sdk/plaza"
)

const (
	attempts  = 10
	firstWait = 4 * time.Millisecond
	maxWait   = 400 * time.Millisecond
)

// sleep waits before the given attempt: exponential backoff with full jitter.
func sleep(ctx context.Context, attempt int) error {
	wait := min(firstWait<<attempt, maxWait)
	timer := time.NewTimer(rand.N(wait))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// passing reports whether the whole write was refused for passing reasons that
// the SDK does not retry. Beside such a reason failed conditions do not count:
// DynamoDB judges each write of a transaction alone, perhaps while another
// attempt at the same transaction is half applied.
func passing(err error) bool {
	var conflict *types.TransactionConflictException
	if errors.As(err, &conflict) {
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

// translate wraps a driver's error with the sentinel that callers know. It keeps
// the cause.
func translate(ctx context.Context, err error, write bool) error {
	var missing *types.ResourceNotFoundException
	switch {
	case errors.As(err, &missing), wrongKeySchema(err), denied(err):
		return fmt.Errorf("%w: %w", plaza.ErrTable, err)
	case passing(err), throttled(err):
		return fmt.Errorf("%w: %w", plaza.ErrBusy, err)
	case write && unanswered(ctx, err):
		return fmt.Errorf("%w: %w", plaza.ErrUnknownOutcome, err)
	case !write && ctx.Err() == nil && unanswered(ctx, err):
		return fmt.Errorf("%w: %w", plaza.ErrBusy, err)
	}
	return err
}

func denied(err error) bool {
	var api smithy.APIError
	return errors.As(err, &api) && api.ErrorCode() == "AccessDeniedException"
}

func throttled(err error) bool {
	return retry.ThrottleErrorCode{Codes: retry.DefaultThrottleErrorCodes}.IsErrorThrottle(err).Bool()
}

func unanswered(ctx context.Context, err error) bool {
	return ctx.Err() != nil || lost(err)
}

// lost reports whether a request had no usable answer.
func lost(err error) bool {
	var send *smithyhttp.RequestSendError
	var response *smithyhttp.ResponseError
	var garbled *smithy.DeserializationError
	return errors.As(err, &send) || errors.As(err, &garbled) ||
		errors.As(err, &response) && response.HTTPStatusCode() >= 500
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
		"key condition not supported",
		"does not have the specified index",
	} {
		if strings.Contains(text, phrase) {
			return true
		}
	}
	return false
}
